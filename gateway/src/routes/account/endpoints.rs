//! Endpoints of webhooks (§10.18).

use axum::extract::{RawQuery, State};
use contracts::public::{AccountEndpoint, NewAccountEndpoint, RemovedEndpoint, SentDelivery};
use contracts::webhook::v1 as proto;
use serde_json::json;

use super::deliveries::delivery;
use super::{IdParam, TokenCaller, not_found, of_endpoint, page, parse_id, time};
use crate::app::{App, Gateway};
use crate::envelope::{self, ApiResponse};
use crate::errors::ApiError;
use crate::extract::fields::Fields;
use crate::extract::json_body::JsonBody;
use crate::extract::path_param::PathParam;
use crate::extract::query::Params;

pub async fn list(
    State(app): State<App>,
    caller: TokenCaller,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref(), &["limit", "cursor"]);
    let asked = query.page();
    query.finish()?;
    let request = proto::ListEndpointsRequest {
        account_id: caller.account.clone(),
    };
    let listed = app.webhooks.list_endpoints(request).await?;
    let mut rows: Vec<AccountEndpoint> = listed.endpoints.into_iter().map(shape).collect();
    rows.sort_by(|one, other| one.id.cmp(&other.id));
    let list = ("account endpoints", caller.account.as_str());
    page(&rows, |row| &row.id, list, (asked.limit, &asked.cursor))
}

pub async fn get(
    State(app): State<App>,
    caller: TokenCaller,
    IdParam(id): IdParam,
) -> Result<ApiResponse, ApiError> {
    let request = proto::GetEndpointRequest {
        account_id: caller.account,
        id,
    };
    answer(app.webhooks.get_endpoint(request).await?.endpoint)
}

pub async fn add(
    State(app): State<App>,
    caller: TokenCaller,
    body: JsonBody,
) -> Result<ApiResponse, ApiError> {
    let mut fields = Fields::read(&body, &["url", "events", "rate_limit"])?;
    let request = proto::AddEndpointRequest {
        account_id: caller.account.clone(),
        url: fields.text("url").unwrap_or_default(),
        events: fields.texts("events").unwrap_or_default(),
        rate_limit: fields.number("rate_limit"),
    };
    fields.finish()?;
    let added = app.webhooks.add_endpoint(request).await?;
    let endpoint = shape(added.endpoint.ok_or_else(envelope::internal)?);
    record(&app, caller, &endpoint.id, "add").await;
    let path = format!("/v1/account/endpoints/{}", endpoint.id);
    let secret = added.secret;
    Ok(ApiResponse::json(&NewAccountEndpoint { endpoint, secret })?.created_at(path))
}

pub async fn change(
    State(app): State<App>,
    caller: TokenCaller,
    IdParam(id): IdParam,
    body: JsonBody,
) -> Result<ApiResponse, ApiError> {
    let mut fields = Fields::read(&body, &["url", "events", "rate_limit"])?;
    let request = proto::ChangeEndpointRequest {
        account_id: caller.account.clone(),
        id: id.clone(),
        url: fields.text("url"),
        events: fields
            .texts("events")
            .map(|events| proto::EventList { events }),
        rate_limit: fields.number("rate_limit"),
    };
    fields.finish()?;
    let changed = app.webhooks.change_endpoint(request).await?;
    record(&app, caller, &id, "change").await;
    answer(changed.endpoint)
}

pub async fn remove(
    State(app): State<App>,
    caller: TokenCaller,
    IdParam(id): IdParam,
) -> Result<ApiResponse, ApiError> {
    let request = proto::RemoveEndpointRequest {
        account_id: caller.account.clone(),
        id: id.clone(),
    };
    let url = url(&app, &caller.account, &id).await;
    app.webhooks.remove_endpoint(request).await?;
    record_at(&app, caller, (&id, url), "remove").await;
    ApiResponse::json(&RemovedEndpoint { id, removed: true })
}

/// One of the actions on an endpoint.
pub async fn run_action(
    State(app): State<App>,
    caller: TokenCaller,
    PathParam((id, action)): PathParam<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let id = parse_id(&id)?;
    let account_id = caller.account.clone();
    let webhooks = &app.webhooks;
    let response = match action.as_str() {
        "pause" => {
            let request = proto::PauseEndpointRequest {
                account_id,
                id: id.clone(),
            };
            answer(webhooks.pause_endpoint(request).await?.endpoint)?
        }
        "resume" => {
            let request = proto::ResumeEndpointRequest {
                account_id,
                id: id.clone(),
            };
            answer(webhooks.resume_endpoint(request).await?.endpoint)?
        }
        "rotate-secret" => {
            let request = proto::RotateSecretRequest {
                account_id,
                id: id.clone(),
            };
            let rotated = webhooks.rotate_secret(request).await?;
            ApiResponse::json(&NewAccountEndpoint {
                endpoint: shape(rotated.endpoint.ok_or_else(envelope::internal)?),
                secret: rotated.secret,
            })?
        }
        "switch-secret" => {
            let request = proto::SwitchSecretRequest {
                account_id,
                id: id.clone(),
            };
            answer(webhooks.switch_secret(request).await?.endpoint)?
        }
        "test" => {
            let mut query = Params::parse(query.as_deref(), &["event", "kind"]);
            let request = proto::SendTestEventRequest {
                account_id,
                endpoint_id: id.clone(),
                event: query.text("event").unwrap_or_default(),
                kind: query.text("kind").unwrap_or_default(),
            };
            let sent = async { webhooks.send_test_event(request).await.map_err(of_endpoint) };
            let sent = query.with_errors_of(sent).await?;
            let sent = sent.delivery.ok_or_else(envelope::internal)?;
            ApiResponse::json(&SentDelivery {
                delivery: delivery(sent),
            })?
        }
        _ => return Err(not_found()),
    };
    record(&app, caller, &id, &action).await;
    Ok(response)
}

/// Records what a token did to an endpoint that is still there.
pub(super) async fn record(app: &Gateway, caller: TokenCaller, endpoint: &str, action: &str) {
    let url = url(app, &caller.account, endpoint).await;
    record_at(app, caller, (endpoint, url), action).await;
}

/// Records what a token did. The endpoint has changed, so a failure of this is only logged.
async fn record_at(
    app: &Gateway,
    caller: TokenCaller,
    (endpoint, url): (&str, Option<String>),
    action: &str,
) {
    let details = json!({ "account": caller.account, "change": action, "url": url });
    let recorded = app
        .accounts
        .record_endpoint_change(caller.actor, endpoint, details);
    if let Err(fault) = recorded.await {
        tracing::warn!(%fault, "a change of an endpoint by a token is not recorded");
    }
}

/// The URL of an endpoint, for the audit, which shows it after the endpoint is gone.
async fn url(app: &Gateway, account: &str, id: &str) -> Option<String> {
    let request = proto::GetEndpointRequest {
        account_id: account.to_owned(),
        id: id.to_owned(),
    };
    let found = app.webhooks.get_endpoint(request).await.ok()?;
    Some(found.endpoint?.url)
}

fn answer(endpoint: Option<proto::Endpoint>) -> Result<ApiResponse, ApiError> {
    ApiResponse::json(&shape(endpoint.ok_or_else(envelope::internal)?))
}

fn shape(endpoint: proto::Endpoint) -> AccountEndpoint {
    let state = match endpoint.state() {
        proto::EndpointState::On | proto::EndpointState::Unspecified => "on",
        proto::EndpointState::Paused => "paused",
        proto::EndpointState::Off => "off",
    };
    let health = endpoint.health.unwrap_or_default();
    AccountEndpoint {
        state: state.to_owned(),
        id: endpoint.id,
        url: endpoint.url,
        events: endpoint.events,
        reason: endpoint.reason,
        rate_limit: endpoint.rate_limit,
        created_at: time(endpoint.created_at),
        rotating_until: time(endpoint.rotating_until),
        queued: health.queued,
        failures: health.failures,
        last_success_at: time(health.last_success_at),
    }
}
