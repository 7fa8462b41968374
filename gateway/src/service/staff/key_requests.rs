//! RPCs for requests of live keys (§5.2). Until there is a dashboard, staff request and reveal keys for their owners.

use contracts::gateway::v1 as proto;
use kit::cursor::Binding;
use kit::feed::unexpected_outcome;
use kit::{Fault, ids, pg};

use super::page::ResultPage;
use super::{Staff, id, keys};
use crate::domain::fields::Problems;
use crate::domain::key::{Mode, Spec};
use crate::domain::staff_action::By;
use crate::store::key_requests;
use crate::write::{Command, Outcome};

pub(super) async fn request(
    staff: &Staff,
    by: By,
    request: proto::RequestKeyRequest,
) -> Result<proto::RequestKeyResponse, Fault> {
    let mut problems = Problems::default();
    let identifier = problems.account("account", &request.account);
    let spec = Spec {
        name: problems.name("name", &request.name),
        mode: Mode::Live,
        kind: problems.kind("kind", &request.kind),
        may_write: request.may_write,
        game: request.game.filter(|slug| !slug.is_empty()),
        expires_at: keys::expiry(&mut problems, request.expires_at),
    };
    problems.key(&spec, staff.clock.now());
    problems.finish()?;
    keys::await_game(staff, &identifier, &spec).await?;
    let key_request = write(
        staff,
        by,
        Command::RequestKey(identifier, spec, ids::row_id()),
    )
    .await?;
    Ok(proto::RequestKeyResponse {
        request: Some(key_request),
    })
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
    let mut found = key_requests::page(&staff.pool, state, page.after, page.rows_to_fetch())
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
    let approved = write(staff, by, Command::ApproveKey(id(&request.id)?)).await?;
    Ok(proto::ApproveKeyResponse {
        request: Some(approved),
    })
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
    let rejected = write(staff, by, Command::RejectKey(id, reason)).await?;
    Ok(proto::RejectKeyResponse {
        request: Some(rejected),
    })
}

pub(super) async fn reveal(
    staff: &Staff,
    by: By,
    request: proto::RevealKeyRequest,
) -> Result<proto::RevealKeyResponse, Fault> {
    let id = id(&request.id)?;
    let key_request = key_requests::find(&staff.pool, id)
        .await
        .map_err(|error| pg::fault(&error))?
        .ok_or_else(|| Fault::not_found("There is no key request with this id."))?;
    let (secret, new_key) = keys::new_secret(staff, id, Mode::Live, key_request.spec.kind);
    match staff.write(by, Command::RevealKey(new_key)).await? {
        Outcome::Key(key) => Ok(proto::RevealKeyResponse {
            key: Some((&key).into()),
            secret: secret.expose().to_owned(),
        }),
        other => Err(unexpected_outcome(&other)),
    }
}

/// Applies a command that returns a request.
async fn write(staff: &Staff, by: By, item: Command) -> Result<proto::KeyRequest, Fault> {
    match staff.write(by, item).await? {
        Outcome::KeyRequest(request) => Ok((&request).into()),
        other => Err(unexpected_outcome(&other)),
    }
}
