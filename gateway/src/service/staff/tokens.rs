//! RPCs for tokens of accounts for the account API (§10.18). Only the people of an account create them.

use contracts::gateway::v1 as proto;
use kit::Fault;

use super::{Staff, accounts};
use crate::domain::staff_action::AuthorizedAction;
use crate::service::operations::{AccountFilter, id};

pub(super) async fn list(
    staff: &Staff,
    request: proto::ListTokensRequest,
) -> Result<proto::ListTokensResponse, Fault> {
    let account = accounts::find(staff, &request.account).await?;
    let tokens = staff.operations.list_tokens(account.id).await?;
    Ok(proto::ListTokensResponse {
        tokens: tokens.iter().map(Into::into).collect(),
    })
}

pub(super) async fn revoke(
    staff: &Staff,
    by: AuthorizedAction,
    request: proto::RevokeTokenRequest,
) -> Result<proto::RevokeTokenResponse, Fault> {
    let id = id("id", &request.id)?;
    let revoked = staff
        .operations
        .revoke_token(by.into(), AccountFilter::Any, id);
    Ok(proto::RevokeTokenResponse {
        token: Some((&revoked.await?).into()),
    })
}
