//! Live keys: asked for, looked at, revealed (§5.2). Until there is a dashboard staff ask and reveal for the owner.

use contracts::gateway::v1 as proto;
use kit::cursor::Binding;
use kit::{Fault, ids, pg};

use super::page::Page;
use super::{Staff, id, keys, unexpected};
use crate::domain::fields::Problems;
use crate::domain::key::{Mode, Wanted};
use crate::domain::staff_action::By;
use crate::store::key_requests;
use crate::write::{Done, Item};

pub(super) async fn ask(
    staff: &Staff,
    by: By,
    request: proto::RequestKeyRequest,
) -> Result<proto::RequestKeyResponse, Fault> {
    let mut problems = Problems::default();
    let named = problems.account("account", &request.account);
    let wanted = Wanted {
        name: problems.name("name", &request.name),
        mode: Mode::Live,
        kind: problems.kind("kind", &request.kind),
        may_write: request.may_write,
        game: request.game.filter(|slug| !slug.is_empty()),
        expires_at: keys::expiry(&mut problems, request.expires_at),
    };
    problems.key(&wanted, staff.clock.now());
    problems.finish()?;
    let asked = changed(staff, by, Item::AskKey(named, wanted, ids::row_id())).await?;
    Ok(proto::RequestKeyResponse {
        request: Some(asked),
    })
}

pub(super) async fn list(
    staff: &Staff,
    request: proto::ListKeyRequestsRequest,
) -> Result<proto::ListKeyRequestsResponse, Fault> {
    let mut problems = Problems::default();
    let state = problems.state("state", &request.state);
    let binding = Binding::new("key requests", [Some(state.as_str())]);
    let page = Page::read(&mut problems, binding, request.limit, &request.cursor);
    problems.finish()?;
    let mut found = key_requests::page(&staff.pool, state, page.after, page.rows())
        .await
        .map_err(|error| pg::fault(&error))?;
    let next_cursor = page.cut(&mut found, |request| request.id)?;
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
    let approved = changed(staff, by, Item::ApproveKey(id(&request.id)?)).await?;
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
        problems.add("reason", "is required: its owner reads it");
    }
    problems.finish()?;
    let rejected = changed(staff, by, Item::RejectKey(id, reason)).await?;
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
    let asked = key_requests::find(&staff.pool, id)
        .await
        .map_err(|error| pg::fault(&error))?
        .ok_or_else(|| Fault::not_found("no such key was asked for"))?;
    let (secret, fresh) = keys::fresh(staff, id, Mode::Live, asked.wanted.kind);
    match staff.write(by, Item::RevealKey(fresh)).await? {
        Done::Key(key) => Ok(proto::RevealKeyResponse {
            key: Some((&key).into()),
            secret: secret.expose().to_owned(),
        }),
        other => Err(unexpected(&other)),
    }
}

/// Makes a change that leaves a request behind.
async fn changed(staff: &Staff, by: By, item: Item) -> Result<proto::KeyRequest, Fault> {
    match staff.write(by, item).await? {
        Done::KeyRequest(request) => Ok((&request).into()),
        other => Err(unexpected(&other)),
    }
}
