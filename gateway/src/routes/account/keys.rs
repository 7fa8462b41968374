//! Keys, and requests for live keys (§10.18).

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService as _;
use contracts::public::{AccountKey, NewAccountKey, RotatedAccountKey};
use kit::Fault;
use tonic::Request;

use super::{IdParam, TokenCaller, change, not_found, page, refused, time};
use crate::app::{App, Gateway};
use crate::envelope::{self, ApiResponse};
use crate::errors::ApiError;
use crate::extract::fields::Fields;
use crate::extract::json_body::JsonBody;
use crate::extract::query::Params;

/// Requests for keys of a page.
const REQUESTS: u32 = 500;

pub async fn list(
    State(app): State<App>,
    caller: TokenCaller,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let query = Params::parse(query.as_deref(), &["limit", "cursor"]);
    let keys = all(&app, &caller.account).await?;
    let list = ("account keys", caller.account.as_str());
    page(&keys, |key| &key.id, list, query)
}

pub async fn get(
    State(app): State<App>,
    caller: TokenCaller,
    IdParam(id): IdParam,
) -> Result<ApiResponse, ApiError> {
    ApiResponse::json(&find(&app, &caller.account, &id).await?)
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
    let errors = fields.errors();
    if !errors.is_empty() {
        let mut bad = app.accounts.bad_fields_of_key(request);
        if errors.contains_key("kind") {
            // Without a valid kind, it is unknown whether the key needs a game.
            bad.remove("game");
        }
        bad.extend(errors);
        return Err(Fault::invalid(bad).into());
    }
    let is_live = mode.as_deref() == Some("live");
    let gateway = Arc::clone(&app);
    change(&app, async move {
        let (key, secret) = if is_live {
            (request_live(&gateway, request).await?, None)
        } else {
            let made = gateway.accounts.create_key(Request::new(request)).await;
            let made = made.map_err(Fault::from)?.into_inner();
            let key = made.key.ok_or_else(envelope::internal)?;
            (shape(&gateway, key), Some(made.secret))
        };
        let path = format!("/v1/account/keys/{}", key.id);
        Ok(ApiResponse::json(&NewAccountKey { key, secret })?.created_at(path))
    })
    .await
}

async fn request_live(
    app: &Gateway,
    request: proto::AccountsServiceCreateKeyRequest,
) -> Result<AccountKey, ApiError> {
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
    Ok(of_request(requested.ok_or_else(envelope::internal)?))
}

pub async fn rotate(
    State(app): State<App>,
    caller: TokenCaller,
    IdParam(id): IdParam,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref(), &["grace_seconds"]);
    let grace_seconds = query.number("grace_seconds");
    let errors = query.errors();
    if !errors.is_empty() {
        let found = async {
            let found = find(&app, &caller.account, &id).await;
            found.map_err(|error| error.fault)
        };
        return Err(refused(errors, found).await);
    }
    let request = proto::AccountsServiceRotateKeyRequest {
        actor: Some(caller.actor),
        account_id: caller.account,
        id,
        grace_seconds,
    };
    let gateway = Arc::clone(&app);
    change(&app, async move {
        let rotated = gateway.accounts.rotate_key(Request::new(request)).await;
        let rotated = rotated.map_err(Fault::from)?.into_inner();
        let (key, old_key) = rotated
            .key
            .zip(rotated.old_key)
            .ok_or_else(envelope::internal)?;
        ApiResponse::json(&RotatedAccountKey {
            key: shape(&gateway, key),
            secret: rotated.secret,
            old_key: shape(&gateway, old_key),
        })
    })
    .await
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
    let gateway = Arc::clone(&app);
    change(&app, async move {
        let revoked = gateway.accounts.revoke_key(Request::new(request)).await;
        let key = revoked.map_err(Fault::from)?.into_inner().key;
        ApiResponse::json(&shape(&gateway, key.ok_or_else(envelope::internal)?))
    })
    .await
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
    let gateway = Arc::clone(&app);
    change(&app, async move {
        let revealed = gateway.accounts.reveal_key(Request::new(request)).await;
        let revealed = revealed.map_err(Fault::from)?.into_inner();
        let key = revealed.key.ok_or_else(envelope::internal)?;
        ApiResponse::json(&NewAccountKey {
            key: shape(&gateway, key),
            secret: Some(revealed.secret),
        })
    })
    .await
}

async fn find(app: &Gateway, account: &str, id: &str) -> Result<AccountKey, ApiError> {
    let mut keys = all(app, account).await?.into_iter();
    keys.find(|key| key.id == id).ok_or_else(not_found)
}

/// The keys of an account, and its requests that have become no key. A key has the id of its request. Read the requests first: a request
/// that is revealed between the two reads is then found, as a request or as a key.
async fn all(app: &Gateway, account: &str) -> Result<Vec<AccountKey>, ApiError> {
    let requests = open_requests(app, account).await?;
    let keys = proto::AccountsServiceListKeysRequest {
        account_id: account.to_owned(),
    };
    let keys = app.accounts.list_keys(Request::new(keys)).await;
    let keys = keys.map_err(Fault::from)?.into_inner().keys;
    Ok(merge(
        keys.into_iter().map(|key| shape(app, key)),
        requests.into_iter().map(of_request),
    ))
}

/// The requests of an account that have become no key.
async fn open_requests(app: &Gateway, account: &str) -> Result<Vec<proto::KeyRequest>, ApiError> {
    let mut open = Vec::new();
    let mut cursor = String::new();
    loop {
        let request = proto::AccountsServiceListKeyRequestsRequest {
            account_id: account.to_owned(),
            limit: REQUESTS,
            cursor,
        };
        let page = app.accounts.list_key_requests(Request::new(request)).await;
        let page = page.map_err(Fault::from)?.into_inner();
        let requests = page.requests.into_iter();
        open.extend(requests.filter(|request| request.state != "revealed"));
        match page.next_cursor {
            Some(next) => cursor = next,
            None => return Ok(open),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_replaces_its_request() {
        let request = |id: &str| {
            of_request(proto::KeyRequest {
                id: id.to_owned(),
                state: "approved".to_owned(),
                ..proto::KeyRequest::default()
            })
        };
        let key = |id: &str| AccountKey {
            state: "working".to_owned(),
            ..request(id)
        };
        // The request `b` was revealed after the requests were read.
        let all = merge(
            [key("b")].into_iter(),
            [request("a"), request("b")].into_iter(),
        );
        let states: Vec<(&str, &str)> = all
            .iter()
            .map(|it| (it.id.as_str(), it.state.as_str()))
            .collect();
        assert_eq!(states, [("a", "approved"), ("b", "working")]);
    }
}
