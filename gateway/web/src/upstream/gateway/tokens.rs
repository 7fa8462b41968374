//! Tokens for the account API, and changes by programs with such tokens.

use contracts::gateway::v1 as proto;
use kit::Fault;
use uuid::Uuid;

use super::{Actor, Gateway};
use crate::upstream::call::incomplete;
use crate::upstream::clients::Accounts;

impl Gateway {
    /// The tokens of an account, newest first.
    pub async fn tokens(&self, account: Uuid) -> Result<Vec<proto::AccountToken>, Fault> {
        let request = proto::AccountsServiceListTokensRequest {
            account_id: account.to_string(),
        };
        let listed = self.0.read(Accounts::list_tokens, request).await?;
        Ok(listed.tokens)
    }

    /// Makes a token; returns it with its secret.
    pub async fn create_token(
        &self,
        token: proto::AccountsServiceCreateTokenRequest,
    ) -> Result<(proto::AccountToken, String), Fault> {
        let made = self.0.write(Accounts::create_token, token).await?;
        Ok((made.token.ok_or_else(incomplete)?, made.secret))
    }

    pub async fn revoke_token(
        &self,
        actor: &Actor,
        account: Uuid,
        id: &str,
    ) -> Result<proto::AccountToken, Fault> {
        let request = proto::AccountsServiceRevokeTokenRequest {
            actor: Some(actor.into()),
            account_id: account.to_string(),
            id: id.to_owned(),
        };
        let revoked = self.0.read(Accounts::revoke_token, request).await?;
        revoked.token.ok_or_else(incomplete)
    }

    /// The changes by programs with tokens in an account, newest first.
    pub async fn token_changes(
        &self,
        request: proto::AccountsServiceListTokenChangesRequest,
    ) -> Result<Vec<proto::TokenChange>, Fault> {
        let listed = self.0.read(Accounts::list_token_changes, request).await?;
        Ok(listed.changes)
    }
}
