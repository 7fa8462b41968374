//! RPCs for requests of live keys (§5.2). Staff review them; they also request and reveal keys for owners who do not use the dashboard.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use kit::api::page::{Limits, Page};
use uuid::Uuid;

use super::Staff;
use crate::domain::fields;
use crate::domain::key::Mode;
use crate::domain::staff_action::AuthorizedAction;
use crate::service::operations::{AccountFilter, id, key_fields};
use crate::store::key_requests;
use crate::write;

pub(super) async fn request(
    staff: &Staff,
    by: AuthorizedAction,
    request: proto::RequestKeyRequest,
) -> Result<proto::RequestKeyResponse, Fault> {
    let mut bad = BadFields::default();
    let account = bad.id("account_id", &request.account_id);
    let spec = key_fields!(request).parse(&mut bad, Mode::Live);
    bad.check()?;
    let requested = staff.operations.request_key(by.into(), account, spec);
    Ok(proto::RequestKeyResponse {
        request: Some((&requested.await?).into()),
    })
}

pub(super) async fn list(
    staff: &Staff,
    request: proto::ListKeyRequestsRequest,
) -> Result<proto::ListKeyRequestsResponse, Fault> {
    let mut bad = BadFields::default();
    let state = fields::state(&mut bad, "state", &request.state);
    let binding = Binding::new("key requests", [Some(state.as_str())]);
    let page: Page<Uuid> = bad.read_page(Limits::LONG, binding, request.limit, &request.cursor);
    bad.check()?;
    let (operations, rows) = (&staff.operations, page.rows_to_fetch());
    let mut found = key_requests::page(&operations.pool, state, page.after, rows).await?;
    let next_cursor = page.cut(&mut found, |request| request.id)?;
    Ok(proto::ListKeyRequestsResponse {
        requests: found.iter().map(Into::into).collect(),
        next_cursor,
    })
}

pub(super) async fn approve(
    staff: &Staff,
    by: AuthorizedAction,
    request: proto::ApproveKeyRequest,
) -> Result<proto::ApproveKeyResponse, Fault> {
    let id = id("id", &request.id)?;
    let producer = &staff.operations.producer;
    let request = write::key_requests::approve(producer, &by.into(), id).await?;
    Ok(proto::ApproveKeyResponse {
        request: Some((&request).into()),
    })
}

pub(super) async fn reject(
    staff: &Staff,
    by: AuthorizedAction,
    request: proto::RejectKeyRequest,
) -> Result<proto::RejectKeyResponse, Fault> {
    let mut bad = BadFields::default();
    let id = bad.id("id", &request.id);
    let reason = fields::reason(&mut bad, "reason", &request.reason);
    if reason.is_empty() {
        bad.add(
            "reason",
            "A reason is required: the owner of the key reads it.",
        );
    }
    bad.check()?;
    let producer = &staff.operations.producer;
    let request = write::key_requests::reject(producer, &by.into(), id, &reason).await?;
    Ok(proto::RejectKeyResponse {
        request: Some((&request).into()),
    })
}

pub(super) async fn reveal(
    staff: &Staff,
    by: AuthorizedAction,
    request: proto::RevealKeyRequest,
) -> Result<proto::RevealKeyResponse, Fault> {
    let id = id("id", &request.id)?;
    let revealed = staff
        .operations
        .reveal_key(by.into(), AccountFilter::Any, id);
    let (key, secret) = revealed.await?;
    Ok(proto::RevealKeyResponse {
        key: Some((&key).into()),
        secret: secret.expose().to_owned(),
    })
}
