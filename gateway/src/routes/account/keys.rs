//! Keys, and requests for live keys (§10.18).

use axum::extract::RawQuery;
use contracts::public::{AccountKey, NewAccountKey, RotatedAccountKey, Timestamp};
use http::Method;
use kit::{Code, Fault};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{IdParam, TokenCaller, change, not_found, page};
use crate::domain::account::Identifier;
use crate::domain::fields;
use crate::domain::key::{GameState, Key, Mode};
use crate::domain::key_request::{KeyRequest, KeyRequestState};
use crate::domain::staff_action::Action;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::fields::Fields;
use crate::extract::json_body::JsonBody;
use crate::extract::query::{Params, refused};
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;
use crate::service::operations::KeyFields;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(in crate::routes) fn operations() -> [Operation; 6] {
    [
        Operation::get("/account/keys", "listKeys", Tag::AccountApi, "Lists the keys of the account, and its requests for live keys.",
            Success::rows("AccountKey"), p::PAGE),
        Operation::get("/account/keys", "createKey", Tag::AccountApi, "Makes a test key, or requests a live one.",
            Success::Added("NewAccountKey"), &[]).write(Method::POST, "KeySubmission").codes(&[Code::PlanRequired])
            .about("A test key is made at once, and the response has its secret. A live key is requested: when staff have approved it, \
                `revealKey` has the secret, once."),
        Operation::get("/account/keys/{id}", "getKey", Tag::AccountApi, "Gets a key.", Success::Object("AccountKey"), &[p::ID]),
        Operation::get("/account/keys/{id}/rotate", "rotateKey", Tag::AccountApi, "Makes a new secret for a key.",
            Success::Object("RotatedAccountKey"), &[p::ID, p::GRACE, p::EXPIRES_AT]).method(Method::POST)
            .about("The response has the new secret, once. The old secret works until its grace period ends."),
        Operation::get("/account/keys/{id}/revoke", "revokeKey", Tag::AccountApi, "Revokes a key.",
            Success::Object("AccountKey"), &[p::ID]).method(Method::POST),
        Operation::get("/account/keys/{id}/reveal", "revealKey", Tag::AccountApi, "Reveals the key of an approved request, once.",
            Success::Object("NewAccountKey"), &[p::ID]).method(Method::POST)
            .about("This call makes the key: nobody else has seen its secret."),
    ]
}

pub async fn list(caller: TokenCaller, RawQuery(query): RawQuery) -> Result<ApiResponse, ApiError> {
    let query = Params::parse(query.as_deref());
    let keys = all(&caller).await?;
    page("account keys", &caller, keys, |key| &key.id, query)
}

pub async fn get(caller: TokenCaller, IdParam(id): IdParam) -> Result<ApiResponse, ApiError> {
    ApiResponse::json(&find(&caller, id).await?)
}

/// Creates a test key, or requests a live one.
pub async fn create(caller: TokenCaller, body: JsonBody) -> Result<ApiResponse, ApiError> {
    let known = ["name", "mode", "kind", "may_write", "game", "expires_at"];
    let mut fields = Fields::read(&body, &known)?;
    let mode = fields.text("mode");
    let mode: Option<Mode> = mode.and_then(|mode| mode.parse().ok());
    if mode.is_none() {
        fields.bad.add("mode", "Use one of: test, live.");
    }
    let kind = fields.text("kind");
    // Without a kind that is a text, it is unknown whether the key needs a game.
    let has_kind = !fields.bad.contains("kind");
    let key = KeyFields {
        name: fields.text("name").unwrap_or_default(),
        kind: kind.unwrap_or_default(),
        may_write: fields.flag("may_write"),
        game: fields.text("game").filter(|_| has_kind),
        expires_at: fields.timestamp("expires_at"),
    };
    let (mut bad, now) = (fields.bad, caller.app.clock.now());
    let spec = key.parse(&mut bad, mode.unwrap_or(Mode::Test), now);
    let mode = bad.finish(mode)?;
    let account = Identifier::Id(caller.account);
    change(caller, |caller| async move {
        let operations = &caller.app.operations;
        let (key, secret) = if mode == Mode::Live {
            let by = caller.author(Action::RequestKey);
            let requested = operations.request_key(by, account, spec).await?;
            (of_request(requested, now), None)
        } else {
            let by = caller.author(Action::CreateKey);
            let (key, secret) = operations.create_key(by, account, spec).await?;
            (shape(key, now), Some(secret.expose().to_owned()))
        };
        let path = format!("/v1/account/keys/{}", key.id);
        Ok(ApiResponse::json(&NewAccountKey { key, secret })?.created_at(path))
    })
    .await
}

pub async fn rotate(
    caller: TokenCaller,
    IdParam(id): IdParam,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref());
    let seconds = query.number("grace_seconds");
    let grace = caller.app.operations.grace.choose(seconds);
    let grace = query.bad.read("grace_seconds", grace);
    let expires_at = query.timestamp("expires_at");
    fields::expires_at(&mut query.bad, expires_at, caller.app.clock.now());
    let bad = query.into_bad();
    let Some(grace) = grace.filter(|_| bad.is_empty()) else {
        return Err(refused(bad, find(&caller, id)).await.into());
    };
    change(caller, |caller| async move {
        let by = caller.author(Action::RotateKey);
        let (operations, only) = (&caller.app.operations, caller.only());
        let rotated = operations.rotate_key(by, only, id, Ok(grace), expires_at);
        let rotated = rotated.await?;
        let now = caller.app.clock.now();
        ApiResponse::json(&RotatedAccountKey {
            key: shape(rotated.key, now),
            secret: rotated.secret.expose().to_owned(),
            old_key: shape(rotated.old_key, now),
        })
    })
    .await
}

pub async fn revoke(caller: TokenCaller, IdParam(id): IdParam) -> Result<ApiResponse, ApiError> {
    change(caller, |caller| async move {
        let by = caller.author(Action::RevokeKey);
        let operations = &caller.app.operations;
        let key = operations.revoke_key(by, caller.only(), id).await?;
        ApiResponse::json(&shape(key, caller.app.clock.now()))
    })
    .await
}

pub async fn reveal(caller: TokenCaller, IdParam(id): IdParam) -> Result<ApiResponse, ApiError> {
    change(caller, |caller| async move {
        let by = caller.author(Action::RevealKey);
        let operations = &caller.app.operations;
        let (key, secret) = operations.reveal_key(by, caller.only(), id).await?;
        ApiResponse::json(&NewAccountKey {
            key: shape(key, caller.app.clock.now()),
            secret: Some(secret.expose().to_owned()),
        })
    })
    .await
}

/// The key with this id, or the request that has become no key. Read the request first: one that is revealed between the two reads is then
/// found as a key.
async fn find(caller: &TokenCaller, id: Uuid) -> Result<AccountKey, Fault> {
    let app = &caller.app;
    let request = app.operations.key_request(caller.only(), id).await;
    match request {
        Ok(request) if request.state != KeyRequestState::Revealed => {
            return Ok(of_request(request, app.clock.now()));
        }
        Err(fault) if fault.code != Code::NotFound => return Err(fault),
        Ok(_) | Err(_) => {}
    }
    match app.operations.key(caller.only(), id).await {
        Ok(key) => Ok(shape(key, app.clock.now())),
        Err(fault) if fault.code == Code::NotFound => Err(not_found()),
        Err(fault) => Err(fault),
    }
}

/// The keys of an account, and its requests that have become no key. A key has the id of its request. Read the requests first: a request
/// that is revealed between the two reads is then found, as a request or as a key.
async fn all(caller: &TokenCaller) -> Result<Vec<AccountKey>, Fault> {
    let (app, account) = (&caller.app, caller.account);
    let requests = app.operations.unrevealed_requests(account).await?;
    let keys = app.operations.list_keys(account).await?.keys;
    let now = app.clock.now();
    Ok(merge(
        keys.into_iter().map(|key| shape(key, now)),
        requests.into_iter().map(|request| of_request(request, now)),
    ))
}

/// Sorts keys and requests by id. Of a key and its request, the key stays.
fn merge(
    keys: impl Iterator<Item = AccountKey>,
    requests: impl Iterator<Item = AccountKey>,
) -> Vec<AccountKey> {
    let mut all: Vec<AccountKey> = keys.chain(requests).collect();
    // The sort is stable.
    all.sort_by(|one, other| one.id.cmp(&other.id));
    all.dedup_by(|one, other| one.id == other.id);
    all
}

fn shape(key: Key, now: OffsetDateTime) -> AccountKey {
    let state = if key.revoked_at.is_some() {
        "revoked"
    } else if !key.works(now) {
        "expired"
    } else if key.game_state != GameState::Usable {
        key.game_state.into()
    } else if key.grace_until.is_some() {
        "rotated"
    } else {
        "working"
    };
    AccountKey {
        id: key.id.to_string(),
        name: key.name,
        state: state.to_owned(),
        mode: key.mode.as_str().to_owned(),
        kind: key.kind.as_str().to_owned(),
        may_write: key.may_write,
        game: key.game,
        last4: Some(key.last4),
        reason: None,
        created_at: Some(Timestamp(key.created_at)),
        last_used_at: key.last_used_at.map(Timestamp),
        expires_at: key.expires_at.map(Timestamp),
        grace_until: key.grace_until.map(Timestamp),
        revoked_at: key.revoked_at.map(Timestamp),
    }
}

fn of_request(request: KeyRequest, now: OffsetDateTime) -> AccountKey {
    let is_open = matches!(
        request.state,
        KeyRequestState::Asked | KeyRequestState::Approved
    );
    let state = match request.state {
        _ if is_open && request.has_expired(now) => "expired",
        KeyRequestState::Asked => "requested",
        other => other.as_str(),
    };
    AccountKey {
        id: request.id.to_string(),
        name: request.name,
        state: state.to_owned(),
        mode: Mode::Live.as_str().to_owned(),
        kind: request.kind.as_str().to_owned(),
        may_write: request.may_write,
        game: request.game,
        last4: None,
        reason: request.reason,
        created_at: Some(Timestamp(request.asked_at)),
        last_used_at: None,
        expires_at: request.expires_at.map(Timestamp),
        grace_until: None,
        revoked_at: None,
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;
    use crate::domain::key::{KeyKind, Spec};

    const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

    #[test]
    fn a_key_replaces_its_request() {
        let spec = Spec {
            name: "server".to_owned(),
            mode: Mode::Live,
            kind: KeyKind::Account,
            may_write: false,
            game: None,
            expires_at: None,
        };
        let request = |id| {
            let id = Uuid::from_u128(id);
            KeyRequest::new(id, Uuid::from_u128(9), spec.clone(), NOW)
        };
        let key = |id| {
            Key::new(
                Uuid::from_u128(id),
                Uuid::from_u128(9),
                spec.clone(),
                "",
                NOW,
            )
        };
        // The second request was revealed after the requests were read.
        let all = merge(
            [shape(key(2), NOW)].into_iter(),
            [request(1), request(2)]
                .map(|request| of_request(request, NOW))
                .into_iter(),
        );
        let states: Vec<&str> = all.iter().map(|it| it.state.as_str()).collect();
        assert_eq!(states, ["requested", "working"]);
    }
}
