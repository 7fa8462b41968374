//! Tokens for the account API (§10.18).

use kit::{Code, Fault};
use time::OffsetDateTime;
use uuid::Uuid;

use super::key::{Caller, GameState, Key, KeyKind, Mode};
use super::scope::{Scope, Scopes};

/// The most working tokens of an account.
pub const WORKING_TOKENS: i64 = 20;
/// The most tokens that the people of an account create in 24 hours.
pub const NEW_TOKENS: i64 = 100;

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub id: Uuid,
    pub account: Uuid,
    pub name: String,
    pub scopes: Scopes,
    /// The last four characters of the secret.
    pub last4: String,
    pub created_at: OffsetDateTime,
    /// May lag some seconds behind.
    pub last_used_at: Option<OffsetDateTime>,
    pub expires_at: Option<OffsetDateTime>,
    pub revoked_at: Option<OffsetDateTime>,
    /// Incremented by every change.
    pub revision: i64,
    /// The person who made it.
    pub created_by: Uuid,
}

impl Token {
    pub fn works(&self, now: OffsetDateTime) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }

    /// The revoked token; `None` if it was revoked before.
    pub fn revoked(&self, now: OffsetDateTime) -> Option<Self> {
        self.revoked_at.is_none().then(|| Self {
            revoked_at: Some(now),
            revision: self.revision + 1,
            ..self.clone()
        })
    }

    /// The caller of a request with the token.
    pub fn into_caller(self, account_name: String, plan: String) -> Caller {
        Caller {
            key: Key {
                id: self.id,
                account: self.account,
                chain: self.id,
                name: self.name,
                mode: Mode::Live,
                kind: KeyKind::Token,
                may_write: false,
                game: None,
                last4: self.last4,
                created_at: self.created_at,
                last_used_at: self.last_used_at,
                expires_at: self.expires_at,
                grace_until: None,
                revoked_at: self.revoked_at,
                revision: self.revision,
                game_state: GameState::Usable,
            },
            account_name,
            plan,
            scopes: self.scopes,
        }
    }
}

/// Rejects all callers but tokens with the scope `wanted`; without one, all tokens: a token calls the account API and nothing else.
///
/// # Errors
/// `scope_required`.
pub fn check_scope(caller: &Caller, wanted: Option<Scope>) -> Result<(), Fault> {
    let is_token = caller.key.kind == KeyKind::Token;
    let message = match wanted {
        None if !is_token => return Ok(()),
        None => "No call that takes an account token has this path. The paths of those calls are below /v1/account, and none ends in a slash. All other calls take an API key."
            .to_owned(),
        Some(scope) if is_token && caller.scopes.contains(scope) => return Ok(()),
        Some(scope) if is_token => format!(
            "This token lacks the scope `{}`, and its scopes never change. Create another token in the dashboard.",
            scope.as_str()
        ),
        Some(scope) => format!(
            "This call needs an account token with the scope `{}`, not an API key. Owners and developers create tokens in the dashboard.",
            scope.as_str()
        ),
    };
    Err(Fault::new(Code::ScopeRequired, message))
}

/// Rejects a token that is one too many.
///
/// # Errors
/// The account has `working` tokens, or has created `new` ones in 24 hours.
pub fn check_limits(working: i64, new: i64) -> Result<(), Fault> {
    if working >= WORKING_TOKENS || new >= NEW_TOKENS {
        let reason = format!(
            "The account already has {WORKING_TOKENS} working tokens, or has created {NEW_TOKENS} in the last 24 hours. Revoke one, or try \
             again later."
        );
        return Err(Fault::invalid_field("account", reason));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_limited() {
        assert!(check_limits(WORKING_TOKENS - 1, NEW_TOKENS - 1).is_ok());
        assert!(check_limits(WORKING_TOKENS, 0).is_err());
        assert!(check_limits(0, NEW_TOKENS).is_err());
    }
}
