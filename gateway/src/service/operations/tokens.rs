//! Operations on tokens for the account API (§10.18).

use kit::Fault;
use uuid::Uuid;

use super::{AccountCredential, AccountFilter, Operations};
use crate::domain::account_token::Token;
use crate::domain::author::Author;
use crate::store::account_tokens;
use crate::write::{Command, Outcome};

/// The most ended tokens in a list, which has the newest ones.
const ENDED_TOKENS: i64 = 100;

impl Operations {
    /// The tokens of an account, newest first.
    pub(in crate::service) async fn list_tokens(&self, account: Uuid) -> Result<Vec<Token>, Fault> {
        let now = self.clock.now();
        Ok(account_tokens::of_account(&self.pool, account, ENDED_TOKENS, now).await?)
    }

    pub(in crate::service) async fn revoke_token(
        &self,
        by: Author,
        filter: AccountFilter,
        id: Uuid,
    ) -> Result<Token, Fault> {
        let token = account_tokens::find(&self.pool, id)
            .await?
            .filter(|token| filter.includes(token.account))
            .ok_or_else(|| Fault::not_found("There is no account token with this id."))?;
        let account = token.account;
        let revoked = Some(AccountCredential { account, id });
        let command = Command::RevokeToken(id);
        self.write_and_stop(by, command, revoked, Outcome::try_as_token)
            .await
    }
}
