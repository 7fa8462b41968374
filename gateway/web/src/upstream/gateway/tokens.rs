//! Tokens for the account API, and changes by programs with such tokens.

use contracts::gateway::v1 as proto;
use kit::Fault;
use uuid::Uuid;

use super::{Actor, Gateway};
use crate::upstream::call::{required, rpcs};
use crate::upstream::clients::Accounts;

rpcs! { Gateway:
    /// The tokens of an account, newest first.
    read tokens(account: Uuid) -> Vec<proto::AccountToken> =
        Accounts::list_tokens(proto::AccountsServiceListTokensRequest { account_id: account })
        => |listed| listed.tokens;

    read revoke_token(actor: &Actor, account: Uuid, id: &str) -> proto::AccountToken =
        Accounts::revoke_token(proto::AccountsServiceRevokeTokenRequest { actor, account_id: account, id })
        => |revoked| required(revoked.token)?;
}

impl Gateway {
    /// Makes a token; returns it with its secret.
    pub async fn create_token(
        &self,
        token: proto::AccountsServiceCreateTokenRequest,
    ) -> Result<(proto::AccountToken, String), Fault> {
        let made = self.0.write(Accounts::create_token, token).await?;
        Ok((required(made.token)?, made.secret))
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
