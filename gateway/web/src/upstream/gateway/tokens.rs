//! Tokens for the account API, and changes by programs with such tokens.

use contracts::gateway::v1 as proto;
use kit::{Fault, timestamp};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Actor, Gateway};
use crate::upstream::call::incomplete;

/// A token for the account API to make.
#[derive(Debug, Clone)]
pub struct NewToken {
    pub name: String,
    pub scopes: Vec<String>,
    pub expires_at: Option<prost_types::Timestamp>,
}

/// Which changes of tokens to list.
#[derive(Debug, Clone, Copy)]
pub struct TokenChangeFilter {
    /// Only changes with smaller ids.
    pub before: Option<Uuid>,
    pub since: OffsetDateTime,
    pub limit: u32,
}

impl Gateway {
    /// The tokens of an account, newest first.
    pub async fn tokens(&self, account: Uuid) -> Result<Vec<proto::AccountToken>, Fault> {
        let request = self.calls.read(proto::AccountsServiceListTokensRequest {
            account_id: account.to_string(),
        });
        let listed = self.client().list_tokens(request).await?;
        Ok(listed.into_inner().tokens)
    }

    /// Makes a token; returns it with its secret.
    pub async fn create_token(
        &self,
        actor: &Actor,
        account: Uuid,
        token: NewToken,
    ) -> Result<(proto::AccountToken, String), Fault> {
        let request = self.calls.write(proto::AccountsServiceCreateTokenRequest {
            actor: Some(actor.into()),
            account_id: account.to_string(),
            name: token.name,
            scopes: token.scopes,
            expires_at: token.expires_at,
        });
        let made = self.client().create_token(request).await?.into_inner();
        Ok((made.token.ok_or_else(incomplete)?, made.secret))
    }

    pub async fn revoke_token(
        &self,
        actor: &Actor,
        account: Uuid,
        id: &str,
    ) -> Result<proto::AccountToken, Fault> {
        let request = self.calls.read(proto::AccountsServiceRevokeTokenRequest {
            actor: Some(actor.into()),
            account_id: account.to_string(),
            id: id.to_owned(),
        });
        let revoked = self.client().revoke_token(request).await?;
        revoked.into_inner().token.ok_or_else(incomplete)
    }

    /// The changes by programs with tokens in an account, newest first.
    pub async fn token_changes(
        &self,
        account: Uuid,
        filter: TokenChangeFilter,
    ) -> Result<Vec<proto::TokenChange>, Fault> {
        let request = self
            .calls
            .read(proto::AccountsServiceListTokenChangesRequest {
                account_id: account.to_string(),
                before: filter.before.map(|id| id.to_string()).unwrap_or_default(),
                since: Some(timestamp::encode(filter.since)),
                limit: filter.limit,
            });
        let listed = self.client().list_token_changes(request).await?;
        Ok(listed.into_inner().changes)
    }
}
