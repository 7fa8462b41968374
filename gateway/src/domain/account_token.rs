//! Tokens for the account API (§10.18), and their scopes.

use kit::{Code, Fault};
use strum::VariantArray;
use time::OffsetDateTime;
use uuid::Uuid;

use super::key::{Caller, GameState, Key, KeyKind, Mode};

/// The most working tokens of an account.
pub const WORKING_TOKENS: i64 = 20;
/// The most tokens that the people of an account create in 24 hours.
pub const NEW_TOKENS: i64 = 100;

/// A permission of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub enum Scope {
    KeysRead,
    KeysWrite,
    EndpointsRead,
    EndpointsWrite,
    DeliveriesRead,
    DeliveriesWrite,
    UsageRead,
}

/// The scopes of a token. An API key has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scopes(u8);

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

impl Scope {
    /// Those that change nothing.
    pub const READS: [Self; 4] = [
        Self::KeysRead,
        Self::EndpointsRead,
        Self::DeliveriesRead,
        Self::UsageRead,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::KeysRead => "keys:read",
            Self::KeysWrite => "keys:write",
            Self::EndpointsRead => "endpoints:read",
            Self::EndpointsWrite => "endpoints:write",
            Self::DeliveriesRead => "deliveries:read",
            Self::DeliveriesWrite => "deliveries:write",
            Self::UsageRead => "usage:read",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl Scopes {
    /// The scopes with these names. Names that this version does not know, as a newer version may have stored, grant nothing.
    pub fn from_names(names: &[String]) -> Self {
        let mut scopes = Scope::VARIANTS.to_vec();
        scopes.retain(|scope| names.iter().any(|name| name == scope.as_str()));
        Self::of(&scopes)
    }

    pub fn of(scopes: &[Scope]) -> Self {
        Self(scopes.iter().fold(0, |all, scope| all | scope.bit()))
    }

    /// The scopes that a person has chosen.
    ///
    /// # Errors
    /// A sentence: there is none, or one is unknown.
    pub fn parse(names: &[String]) -> Result<Self, String> {
        let all: Vec<&str> = Scope::VARIANTS.iter().map(|it| it.as_str()).collect();
        if names.is_empty() || !names.iter().all(|name| all.contains(&name.as_str())) {
            return Err(format!("Give one or more of: {}.", all.join(", ")));
        }
        Ok(Self::from_names(names))
    }

    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// In the order of the variants of [`Scope`].
    pub fn names(self) -> Vec<String> {
        let granted = Scope::VARIANTS
            .iter()
            .filter(|scope| self.contains(**scope));
        granted.map(|scope| scope.as_str().to_owned()).collect()
    }
}

impl From<Vec<String>> for Scopes {
    /// The scopes in a column.
    fn from(names: Vec<String>) -> Self {
        Self::from_names(&names)
    }
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
        None => "An account token is for the paths below /v1/account alone. Use an API key here."
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

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn scopes_are_what_was_chosen() {
        for &scope in Scope::VARIANTS {
            let scopes = Scopes::parse(&names(&[scope.as_str()])).unwrap();
            for &other in Scope::VARIANTS {
                assert_eq!(scopes.contains(other), scope == other);
            }
        }
        let twice = Scopes::parse(&names(&["usage:read", "keys:read", "usage:read"])).unwrap();
        assert_eq!(twice.names(), ["keys:read", "usage:read"]);
        for bad in [&[][..], &["keys"], &["keys:read", "all"], &["KEYS:READ"]] {
            assert!(Scopes::parse(&names(bad)).is_err(), "{bad:?}");
        }
        assert_eq!(Scopes::from_names(&names(&["later"])), Scopes::default());
    }

    #[test]
    fn tokens_are_limited() {
        assert!(check_limits(WORKING_TOKENS - 1, NEW_TOKENS - 1).is_ok());
        assert!(check_limits(WORKING_TOKENS, 0).is_err());
        assert!(check_limits(0, NEW_TOKENS).is_err());
    }
}
