//! RPCs for keys. `CreateKey` makes a key without a review.

use contracts::gateway::v1 as proto;
use kit::Fault;

use super::{Staff, accounts};
use crate::domain::fields::Problems;
use crate::domain::staff_action::By;
use crate::service::operations::{KeyFields, Scope, id};

pub(super) async fn create(
    staff: &Staff,
    by: By,
    request: proto::CreateKeyRequest,
) -> Result<proto::CreateKeyResponse, Fault> {
    let mut problems = Problems::default();
    let identifier = problems.account("account", &request.account);
    let mode = problems.mode("mode", &request.mode);
    let fields = KeyFields {
        name: request.name,
        kind: request.kind,
        may_write: request.may_write,
        game: request.game,
        expires_at: request.expires_at,
    };
    let created = (staff.operations).create_key(by.into(), problems, identifier, (mode, fields));
    created.await
}

pub(super) async fn list(
    staff: &Staff,
    request: proto::ListKeysRequest,
) -> Result<proto::ListKeysResponse, Fault> {
    let account = accounts::find(staff, &request.account).await?;
    staff.operations.list_keys(account.id).await
}

pub(super) async fn rotate(
    staff: &Staff,
    by: By,
    request: proto::RotateKeyRequest,
) -> Result<proto::RotateKeyResponse, Fault> {
    let (id, grace) = (id("id", &request.id)?, staff.operations.grace.most);
    let rotated = (staff.operations).rotate_key(by.into(), Scope::All, id, Ok(grace));
    rotated.await
}

pub(super) async fn revoke(
    staff: &Staff,
    by: By,
    request: proto::RevokeKeyRequest,
) -> Result<proto::RevokeKeyResponse, Fault> {
    let id = id("id", &request.id)?;
    let revoked = staff.operations.revoke_key(by.into(), Scope::All, id);
    revoked.await
}
