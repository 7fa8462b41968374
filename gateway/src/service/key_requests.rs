//! Operations on requests for live keys (§5.2). People request and reveal keys, or staff for owners who do not use the dashboard; staff review
//! them.

use contracts::gateway::v1 as proto;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use kit::api::page::{Limits, Page};
use kit::{Fault, ids};
use uuid::Uuid;

use super::keys::{KeyFields, form_id};
use super::{Services, id};
use crate::convert;
use crate::domain::author::Author;
use crate::domain::fields;
use crate::domain::key::Mode;
use crate::domain::key_request::KeyRequest;
use crate::store::key_requests;
use crate::write::key_requests as write;

/// Why a request ended whose account was closed.
const CLOSED: &str = "The account was closed.";

pub(super) async fn request(
    services: &Services,
    by: Author,
    account: &str,
    fields: KeyFields,
    form: &str,
) -> Result<proto::RequestKeyResponse, Fault> {
    let mut bad = BadFields::default();
    let account = bad.id("account_id", account);
    let form = form_id(&mut bad, form);
    let spec = fields.parse(&mut bad, Mode::Live);
    bad.check()?;
    let (producer, plans) = (&services.producer, &services.plans);
    let ids = (ids::row_id(), form);
    let request = write::request(producer, plans, &by, account, &spec, ids).await?;
    Ok(proto::RequestKeyResponse { request: Some((&request).into()) })
}

/// The requests of all accounts.
pub(super) async fn list(
    services: &Services,
    request: proto::ListKeyRequestsRequest,
) -> Result<proto::ListKeyRequestsResponse, Fault> {
    let mut bad = BadFields::default();
    let state = convert::key_request_state(&mut bad, request.state);
    let binding = Binding::new("key requests", [Some(state.as_str())]);
    let page: Page<Uuid> = bad.read_page(Limits::LONG, binding, request.limit, &request.cursor);
    bad.check()?;
    let (pool, rows) = (&services.pool, page.rows_to_fetch());
    let mut found = key_requests::page(pool, state, page.after, rows).await?;
    let next_cursor = page.cut(&mut found, |row| match row {
        Ok(request) => request.id,
        Err(newer) => newer.id,
    })?;
    Ok(proto::ListKeyRequestsResponse {
        requests: found.iter().flatten().map(Into::into).collect(),
        next_cursor,
    })
}

/// The requests of one account.
pub(super) async fn list_own(
    services: &Services,
    account: &str,
) -> Result<proto::AccountsServiceListKeyRequestsResponse, Fault> {
    let account = id("account_id", account)?;
    let found = key_requests::by_account(&services.pool, account).await?;
    Ok(proto::AccountsServiceListKeyRequestsResponse {
        requests: found.iter().map(Into::into).collect(),
    })
}

pub(super) async fn approve(
    services: &Services,
    by: Author,
    request: &str,
) -> Result<proto::ApproveKeyResponse, Fault> {
    let id = id("id", request)?;
    let request = write::approve(&services.producer, &by, id).await?;
    Ok(proto::ApproveKeyResponse { request: Some((&request).into()) })
}

pub(super) async fn reject(
    services: &Services,
    by: Author,
    request: &str,
    reason: &str,
) -> Result<proto::RejectKeyResponse, Fault> {
    let mut bad = BadFields::default();
    let id = bad.id("id", request);
    let reason = fields::reason(&mut bad, "reason", reason);
    if reason.is_empty() {
        bad.add("reason", "A reason is required: the owner of the key reads it.");
    }
    bad.check()?;
    let request = write::end(&services.producer, &by, id, &reason).await?;
    Ok(proto::RejectKeyResponse { request: Some((&request).into()) })
}

/// Withdraws a request of the author's account.
pub(super) async fn withdraw(
    services: &Services,
    by: Author,
    request: &str,
) -> Result<proto::WithdrawKeyRequestResponse, Fault> {
    let request = own(services, &by, request).await?;
    let ended = write::end(&services.producer, &by, request.id, "").await?;
    Ok(proto::WithdrawKeyRequestResponse { request: Some((&ended).into()) })
}

/// Withdraws the requests of an account that may still lead to a key.
pub(super) async fn withdraw_all(
    services: &Services,
    by: &Author,
    account: Uuid,
) -> Result<(), Fault> {
    let mut closed = Ok(());
    for id in key_requests::open(&services.pool, account).await? {
        let ended = write::end(&services.producer, by, id, CLOSED).await;
        closed = closed.and_then(|()| ended.map(drop));
    }
    closed
}

/// A request of an account whose requests exist for the author.
async fn own(services: &Services, by: &Author, request: &str) -> Result<KeyRequest, Fault> {
    let found = key_requests::find(&services.pool, id("id", request)?).await?;
    let own = found.filter(|request| by.is_for(request.account));
    own.ok_or_else(write::unknown)
}

pub(super) async fn reveal(
    services: &Services,
    by: Author,
    request: &str,
) -> Result<proto::RevealKeyResponse, Fault> {
    let request = own(services, &by, request).await?;
    let (secret, new_key) = services.new_secret(request.id, Mode::Live, request.kind, None);
    let key = write::reveal(&services.producer, &by, &new_key).await?;
    Ok(proto::RevealKeyResponse { key: Some((&key).into()), secret: secret.expose().to_owned() })
}
