//! RPCs for keys. `CreateKey` makes a key without a review.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::api::bad_fields::BadFields;

use super::{Staff, accounts};
use crate::domain::fields;
use crate::domain::staff_action::AuthorizedAction;
use crate::service::operations::{AccountFilter, id, key_fields};

pub(super) async fn create(
    staff: &Staff,
    by: AuthorizedAction,
    request: proto::CreateKeyRequest,
) -> Result<proto::CreateKeyResponse, Fault> {
    let mut bad = BadFields::default();
    let account = bad.id("account_id", &request.account_id);
    let mode = fields::mode(&mut bad, "mode", &request.mode);
    let spec = key_fields!(request).parse(&mut bad, mode);
    bad.check()?;
    let created = staff.operations.create_key(by.into(), account, spec);
    let (key, secret) = created.await?;
    Ok(proto::CreateKeyResponse {
        key: Some((&key).into()),
        secret: secret.expose().to_owned(),
    })
}

pub(super) async fn list(
    staff: &Staff,
    request: proto::ListKeysRequest,
) -> Result<proto::ListKeysResponse, Fault> {
    let account = accounts::find(staff, &request.account_id).await?;
    staff.operations.list_keys(account.id).await
}

pub(super) async fn rotate(
    staff: &Staff,
    by: AuthorizedAction,
    request: proto::RotateKeyRequest,
) -> Result<proto::RotateKeyResponse, Fault> {
    let id = id("id", &request.id)?;
    let rotated = (staff.operations).rotate_key(by.into(), AccountFilter::Any, id, false);
    Ok(rotated.await?.into())
}

pub(super) async fn revoke(
    staff: &Staff,
    by: AuthorizedAction,
    request: proto::RevokeKeyRequest,
) -> Result<proto::RevokeKeyResponse, Fault> {
    let id = id("id", &request.id)?;
    let revoked = (staff.operations).revoke_key(by.into(), AccountFilter::Any, id);
    Ok(proto::RevokeKeyResponse {
        key: Some((&revoked.await?).into()),
    })
}
