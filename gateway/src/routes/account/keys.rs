//! Keys, and requests for live keys (§10.18).

use axum::extract::{RawQuery, State};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService as _;
use contracts::public::{AccountKey, NewAccountKey, RotatedAccountKey};
use kit::Fault;
use tonic::Request;

use super::{IdParam, TokenCaller, not_found, page, time};
use crate::app::{App, Gateway};
use crate::envelope::{self, ApiResponse};
use crate::errors::ApiError;
use crate::extract::fields::Fields;
use crate::extract::json_body::JsonBody;
use crate::extract::query::Params;

/// Requests for keys that are read at once. Few are ever open.
const REQUESTS: u32 = 500;

pub async fn list(
    State(app): State<App>,
    caller: TokenCaller,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref(), &["limit", "cursor"]);
    let asked = query.page();
    query.finish()?;
    let keys = all(&app, &caller.account).await?;
    let list = ("account keys", caller.account.as_str());
    page(&keys, |key| &key.id, list, (asked.limit, &asked.cursor))
}

pub async fn get(
    State(app): State<App>,
    caller: TokenCaller,
    IdParam(id): IdParam,
) -> Result<ApiResponse, ApiError> {
    let keys = all(&app, &caller.account).await?;
    let key = keys.into_iter().find(|key| key.id == id);
    ApiResponse::json(&key.ok_or_else(not_found)?)
}

/// Creates a test key, or requests a live one.
pub async fn create(
    State(app): State<App>,
    caller: TokenCaller,
    body: JsonBody,
) -> Result<ApiResponse, ApiError> {
    let known = ["name", "mode", "kind", "may_write", "game", "expires_at"];
    let mut fields = Fields::read(&body, &known)?;
    let mode = fields.text("mode");
    let request = proto::AccountsServiceCreateKeyRequest {
        actor: Some(caller.actor),
        account_id: caller.account,
        name: fields.text("name").unwrap_or_default(),
        kind: fields.text("kind").unwrap_or_default(),
        may_write: fields.flag("may_write"),
        game: fields.text("game"),
        expires_at: fields.timestamp("expires_at"),
    };
    if !matches!(mode.as_deref(), Some("test" | "live")) {
        fields.add_error("mode", "Use one of: test, live.");
    }
    fields.finish()?;
    let (key, secret) = if mode.as_deref() == Some("live") {
        let request = proto::AccountsServiceRequestKeyRequest {
            actor: request.actor,
            account_id: request.account_id,
            name: request.name,
            kind: request.kind,
            may_write: request.may_write,
            game: request.game,
            expires_at: request.expires_at,
        };
        let requested = app.accounts.request_key(Request::new(request)).await;
        let requested = requested.map_err(Fault::from)?.into_inner().request;
        (of_request(requested.ok_or_else(envelope::internal)?), None)
    } else {
        let made = app.accounts.create_key(Request::new(request)).await;
        let made = made.map_err(Fault::from)?.into_inner();
        let key = made.key.ok_or_else(envelope::internal)?;
        (shape(&app, key), Some(made.secret))
    };
    let path = format!("/v1/account/keys/{}", key.id);
    Ok(ApiResponse::json(&NewAccountKey { key, secret })?.created_at(path))
}

pub async fn rotate(
    State(app): State<App>,
    caller: TokenCaller,
    IdParam(id): IdParam,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref(), &["grace_seconds"]);
    let grace_seconds = query.number("grace_seconds");
    query.finish()?;
    let request = proto::AccountsServiceRotateKeyRequest {
        actor: Some(caller.actor),
        account_id: caller.account,
        id,
        grace_seconds,
    };
    let rotated = app.accounts.rotate_key(Request::new(request)).await;
    let rotated = rotated.map_err(Fault::from)?.into_inner();
    let (key, old_key) = rotated
        .key
        .zip(rotated.old_key)
        .ok_or_else(envelope::internal)?;
    ApiResponse::json(&RotatedAccountKey {
        key: shape(&app, key),
        secret: rotated.secret,
        old_key: shape(&app, old_key),
    })
}

pub async fn revoke(
    State(app): State<App>,
    caller: TokenCaller,
    IdParam(id): IdParam,
) -> Result<ApiResponse, ApiError> {
    let request = proto::AccountsServiceRevokeKeyRequest {
        actor: Some(caller.actor),
        account_id: caller.account,
        id,
    };
    let revoked = app.accounts.revoke_key(Request::new(request)).await;
    let key = revoked.map_err(Fault::from)?.into_inner().key;
    ApiResponse::json(&shape(&app, key.ok_or_else(envelope::internal)?))
}

pub async fn reveal(
    State(app): State<App>,
    caller: TokenCaller,
    IdParam(id): IdParam,
) -> Result<ApiResponse, ApiError> {
    let request = proto::AccountsServiceRevealKeyRequest {
        actor: Some(caller.actor),
        account_id: caller.account,
        id,
    };
    let revealed = app.accounts.reveal_key(Request::new(request)).await;
    let revealed = revealed.map_err(Fault::from)?.into_inner();
    let key = revealed.key.ok_or_else(envelope::internal)?;
    ApiResponse::json(&NewAccountKey {
        key: shape(&app, key),
        secret: Some(revealed.secret),
    })
}

/// The keys of an account, and its requests that have become no key. A key has the id of its request.
async fn all(app: &Gateway, account: &str) -> Result<Vec<AccountKey>, ApiError> {
    let keys = proto::AccountsServiceListKeysRequest {
        account_id: account.to_owned(),
    };
    let requests = proto::AccountsServiceListKeyRequestsRequest {
        account_id: account.to_owned(),
        limit: REQUESTS,
        cursor: String::new(),
    };
    let (keys, requests) = futures::join!(
        app.accounts.list_keys(Request::new(keys)),
        app.accounts.list_key_requests(Request::new(requests)),
    );
    let keys = keys.map_err(Fault::from)?.into_inner().keys.into_iter();
    let requests = requests.map_err(Fault::from)?.into_inner().requests;
    let open = requests
        .into_iter()
        .filter(|request| request.state != "revealed");
    let mut all: Vec<AccountKey> = open.map(of_request).collect();
    all.extend(keys.map(|key| shape(app, key)));
    all.sort_by(|one, other| one.id.cmp(&other.id));
    all.dedup_by(|one, other| one.id == other.id);
    Ok(all)
}

fn shape(app: &Gateway, key: proto::Key) -> AccountKey {
    let now = app.clock.now();
    let is_over = |at: Option<prost_types::Timestamp>| {
        at.and_then(kit::timestamp::decode)
            .is_some_and(|at| at <= now)
    };
    let state = if key.revoked_at.is_some() {
        "revoked"
    } else if is_over(key.expires_at) || is_over(key.grace_until) {
        "expired"
    } else if key.grace_until.is_some() {
        "rotated"
    } else {
        "working"
    };
    AccountKey {
        id: key.id,
        name: key.name,
        state: state.to_owned(),
        mode: key.mode,
        kind: key.kind,
        may_write: key.may_write,
        game: key.game,
        last4: Some(key.last4),
        reason: None,
        created_at: time(key.created_at),
        last_used_at: time(key.last_used_at),
        expires_at: time(key.expires_at),
        grace_until: time(key.grace_until),
        revoked_at: time(key.revoked_at),
    }
}

fn of_request(request: proto::KeyRequest) -> AccountKey {
    let state = match request.state.as_str() {
        "asked" => "requested",
        other => other,
    };
    AccountKey {
        state: state.to_owned(),
        id: request.id,
        name: request.name,
        mode: "live".to_owned(),
        kind: request.kind,
        may_write: request.may_write,
        game: request.game,
        last4: None,
        reason: request.reason,
        created_at: time(request.asked_at),
        last_used_at: None,
        expires_at: time(request.expires_at),
        grace_until: None,
        revoked_at: None,
    }
}
