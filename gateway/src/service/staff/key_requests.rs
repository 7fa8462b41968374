//! RPCs for requests of live keys (§5.2). Staff review them; they also request and reveal keys for owners who do not use the dashboard.

use contracts::gateway::v1 as proto;
use kit::cursor::Binding;
use kit::{Fault, pg};

use super::Staff;
use crate::domain::fields::Problems;
use crate::domain::staff_action::By;
use crate::service::operations::{KeyFields, ResultPage, Scope, id};
use crate::store::key_requests;
use crate::write::Command;

pub(super) async fn request(
    staff: &Staff,
    by: By,
    request: proto::RequestKeyRequest,
) -> Result<proto::RequestKeyResponse, Fault> {
    let mut problems = Problems::default();
    let identifier = problems.account("account", &request.account);
    let fields = KeyFields {
        name: request.name,
        kind: request.kind,
        may_write: request.may_write,
        game: request.game,
        expires_at: request.expires_at,
    };
    let requested = (staff.operations).request_key(by.into(), problems, identifier, fields);
    requested.await
}

pub(super) async fn list(
    staff: &Staff,
    request: proto::ListKeyRequestsRequest,
) -> Result<proto::ListKeyRequestsResponse, Fault> {
    let mut problems = Problems::default();
    let state = problems.state("state", &request.state);
    let binding = Binding::new("key requests", [Some(state.as_str())]);
    let page = ResultPage::parse(&mut problems, binding, request.limit, &request.cursor);
    problems.finish()?;
    let (pool, rows) = (&staff.operations.pool, page.rows_to_fetch());
    let mut found = key_requests::page(pool, state, page.after, rows)
        .await
        .map_err(|error| pg::fault(&error))?;
    let next_cursor = page.truncate(&mut found, |request| request.id)?;
    Ok(proto::ListKeyRequestsResponse {
        requests: found.iter().map(Into::into).collect(),
        next_cursor,
    })
}

pub(super) async fn approve(
    staff: &Staff,
    by: By,
    request: proto::ApproveKeyRequest,
) -> Result<proto::ApproveKeyResponse, Fault> {
    let command = Command::ApproveKey(id("id", &request.id)?);
    let request = Some(staff.operations.write_key_request(by, command).await?);
    Ok(proto::ApproveKeyResponse { request })
}

pub(super) async fn reject(
    staff: &Staff,
    by: By,
    request: proto::RejectKeyRequest,
) -> Result<proto::RejectKeyResponse, Fault> {
    let mut problems = Problems::default();
    let id = problems.id("id", &request.id);
    let reason = problems.reason("reason", &request.reason);
    if reason.is_empty() {
        problems.add(
            "reason",
            "A reason is required: the owner of the key reads it.",
        );
    }
    problems.finish()?;
    let command = Command::RejectKey(id, reason);
    let request = Some(staff.operations.write_key_request(by, command).await?);
    Ok(proto::RejectKeyResponse { request })
}

pub(super) async fn reveal(
    staff: &Staff,
    by: By,
    request: proto::RevealKeyRequest,
) -> Result<proto::RevealKeyResponse, Fault> {
    let id = id("id", &request.id)?;
    let revealed = staff.operations.reveal_key(by.into(), Scope::All, id);
    revealed.await
}
