//! Operations on tokens for the account API (§10.18).

use contracts::gateway::v1 as proto;
use kit::feed::unexpected_outcome;
use kit::{Fault, pg};
use uuid::Uuid;

use super::{Operations, Scope};
use crate::domain::author::Author;
use crate::store::account_tokens;
use crate::write::{Command, Outcome};

/// The most ended tokens in a list, which has the newest ones.
const ENDED_TOKENS: i64 = 100;

impl Operations {
    /// The tokens of an account, newest first.
    pub(in crate::service) async fn list_tokens(
        &self,
        account: Uuid,
    ) -> Result<Vec<proto::AccountToken>, Fault> {
        let now = self.clock.now();
        let found = account_tokens::of_account(&self.pool, account, ENDED_TOKENS, now);
        let found = found.await;
        let found = found.map_err(|error| pg::fault(&error))?;
        Ok(found.iter().map(Into::into).collect())
    }

    pub(in crate::service) async fn revoke_token(
        &self,
        by: Author,
        scope: Scope,
        id: Uuid,
    ) -> Result<proto::AccountToken, Fault> {
        let found = account_tokens::find(&self.pool, id).await;
        found
            .map_err(|error| pg::fault(&error))?
            .filter(|token| scope.includes(token.account))
            .ok_or_else(|| Fault::not_found("There is no account token with this id."))?;
        match self.write_and_stop(by, Command::RevokeToken(id)).await? {
            Outcome::Token(token) => Ok((&token).into()),
            other => Err(unexpected_outcome(&other)),
        }
    }
}
