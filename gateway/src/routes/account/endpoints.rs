//! Endpoints of webhooks (§10.18).

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use contracts::public::{AccountEndpoint, NewAccountEndpoint, RemovedEndpoint, SentDelivery};
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::deliveries_service_client::DeliveriesServiceClient;
use contracts::webhook::v1::endpoints_service_client::EndpointsServiceClient;
use kit::audit::Subject;
use kit::{Code, Fault};
use serde_json::json;
use uuid::Uuid;

use super::deliveries::delivery;
use super::{
    IdParam, TokenCaller, change as run_change, not_found, of_endpoint, page, parse_id, refused,
    time,
};
use crate::app::{App, Gateway};
use crate::domain::staff_action::Action;
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
    let query = Params::parse(query.as_deref(), &["limit", "cursor"]);
    let request = proto::ListEndpointsRequest {
        account_id: caller.account.to_string(),
    };
    let listed = app
        .webhooks
        .read(EndpointsServiceClient::list_endpoints, request)
        .await?;
    let mut rows: Vec<AccountEndpoint> = listed.endpoints.into_iter().map(shape).collect();
    rows.sort_by(|one, other| one.id.cmp(&other.id));
    page(
        "account endpoints",
        caller.account,
        rows,
        |row| &row.id,
        query,
    )
}

pub async fn get(
    State(app): State<App>,
    caller: TokenCaller,
    IdParam(id): IdParam,
) -> Result<ApiResponse, ApiError> {
    let request = proto::GetEndpointRequest {
        account_id: caller.account.to_string(),
        id: id.to_string(),
    };
    answer(
        app.webhooks
            .read(EndpointsServiceClient::get_endpoint, request)
            .await?
            .endpoint,
    )
}

pub async fn add(
    State(app): State<App>,
    caller: TokenCaller,
    body: JsonBody,
) -> Result<ApiResponse, ApiError> {
    let mut fields = Fields::read(&body, &["url", "events", "rate_limit"])?;
    let mut request = proto::AddEndpointRequest {
        account_id: caller.account.to_string(),
        url: fields.text("url").unwrap_or_default(),
        events: fields.texts("events").unwrap_or_default(),
        rate_limit: rate_limit(&mut fields, 1),
    };
    if !fields.bad.is_empty() {
        request.rate_limit = REFUSED_RATE_LIMIT;
        let ask = app
            .webhooks
            .write(EndpointsServiceClient::add_endpoint, request);
        return Err(refused(fields.bad, without_rate_limit(ask)).await);
    }
    let gateway = Arc::clone(&app);
    run_change(&app, async move {
        let url = request.url.clone();
        let added = gateway
            .webhooks
            .write(EndpointsServiceClient::add_endpoint, request)
            .await;
        // If the outcome is unknown, so is the id.
        let endpoint = added.as_ref().ok().and_then(|it| it.endpoint.as_ref());
        let id = endpoint.map(|it| it.id.clone()).unwrap_or_default();
        let change = EndpointChange {
            endpoint: &id,
            url: Some(url),
            action: "add",
        };
        let added = record(&gateway, &caller, change, added).await?;
        let endpoint = shape(added.endpoint.ok_or_else(envelope::internal)?);
        let path = format!("/v1/account/endpoints/{}", endpoint.id);
        let secret = added.secret;
        Ok(ApiResponse::json(&NewAccountEndpoint { endpoint, secret })?.created_at(path))
    })
    .await
}

pub async fn change(
    State(app): State<App>,
    caller: TokenCaller,
    IdParam(id): IdParam,
    body: JsonBody,
) -> Result<ApiResponse, ApiError> {
    let (id, mut fields) = (
        id.to_string(),
        Fields::read(&body, &["url", "events", "rate_limit"])?,
    );
    let mut request = proto::ChangeEndpointRequest {
        account_id: caller.account.to_string(),
        id: id.clone(),
        url: fields.text("url"),
        events: fields
            .texts("events")
            .map(|events| proto::EventList { events }),
        rate_limit: rate_limit(&mut fields, 0),
    };
    if !fields.bad.is_empty() {
        request.rate_limit = REFUSED_RATE_LIMIT;
        let ask = app
            .webhooks
            .write(EndpointsServiceClient::change_endpoint, request);
        return Err(refused(fields.bad, without_rate_limit(ask)).await);
    }
    let gateway = Arc::clone(&app);
    run_change(&app, async move {
        let changed = gateway
            .webhooks
            .write(EndpointsServiceClient::change_endpoint, request)
            .await;
        let changed = record_change(&gateway, &caller, &id, "change", changed).await?;
        answer(changed.endpoint)
    })
    .await
}

pub async fn remove(
    State(app): State<App>,
    caller: TokenCaller,
    IdParam(id): IdParam,
) -> Result<ApiResponse, ApiError> {
    let id = id.to_string();
    let request = proto::RemoveEndpointRequest {
        account_id: caller.account.to_string(),
        id: id.clone(),
    };
    let gateway = Arc::clone(&app);
    run_change(&app, async move {
        let url = url(&gateway, caller.account, &id).await;
        let removed = gateway
            .webhooks
            .write(EndpointsServiceClient::remove_endpoint, request)
            .await;
        let change = EndpointChange {
            endpoint: &id,
            url,
            action: "remove",
        };
        record(&gateway, &caller, change, removed).await?;
        ApiResponse::json(&RemovedEndpoint { id, removed: true })
    })
    .await
}

/// One of the actions on an endpoint.
pub async fn run_action(
    State(app): State<App>,
    caller: TokenCaller,
    PathParam((id, action)): PathParam<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let id = parse_id(&id)?.to_string();
    let mut query = match action.as_str() {
        "test" => Params::parse(query.as_deref(), &["event", "kind"]),
        "pause" | "resume" | "rotate-secret" | "switch-secret" => Params::default(),
        _ => return Err(not_found().into()),
    };
    let test = proto::SendTestEventRequest {
        account_id: caller.account.to_string(),
        endpoint_id: id.clone(),
        event: query.text("event").unwrap_or_default(),
        kind: query.text("kind").unwrap_or_default(),
    };
    if !query.bad.is_empty() {
        let request = proto::GetEndpointRequest {
            account_id: caller.account.to_string(),
            id,
        };
        return Err(refused(
            query.bad,
            app.webhooks
                .read(EndpointsServiceClient::get_endpoint, request),
        )
        .await);
    }
    let gateway = Arc::clone(&app);
    run_change(&app, async move {
        let result = perform(&gateway, caller.account, &id, &action, test).await;
        record_change(&gateway, &caller, &id, &action, result).await?
    })
    .await
}

/// Runs an action, and makes its response.
async fn perform(
    app: &Gateway,
    account: Uuid,
    id: &str,
    action: &str,
    test: proto::SendTestEventRequest,
) -> Result<Result<ApiResponse, ApiError>, Fault> {
    let (account_id, id, webhooks) = (account.to_string(), id.to_owned(), &app.webhooks);
    Ok(match action {
        "pause" => {
            let request = proto::PauseEndpointRequest { account_id, id };
            answer(
                webhooks
                    .write(EndpointsServiceClient::pause_endpoint, request)
                    .await?
                    .endpoint,
            )
        }
        "resume" => {
            let request = proto::ResumeEndpointRequest { account_id, id };
            answer(
                webhooks
                    .write(EndpointsServiceClient::resume_endpoint, request)
                    .await?
                    .endpoint,
            )
        }
        "switch-secret" => {
            let request = proto::SwitchSecretRequest { account_id, id };
            answer(
                webhooks
                    .write(EndpointsServiceClient::switch_secret, request)
                    .await?
                    .endpoint,
            )
        }
        "rotate-secret" => {
            let request = proto::RotateSecretRequest { account_id, id };
            let rotated = webhooks
                .write(EndpointsServiceClient::rotate_secret, request)
                .await?;
            let endpoint = rotated.endpoint.map(shape).ok_or_else(envelope::internal);
            let secret = rotated.secret;
            endpoint
                .map_err(Into::into)
                .and_then(|endpoint| ApiResponse::json(&NewAccountEndpoint { endpoint, secret }))
        }
        _ => {
            let sent = webhooks
                .write(DeliveriesServiceClient::send_test_event, test)
                .await
                .map_err(of_endpoint)?;
            let sent = sent.delivery.map(delivery).ok_or_else(envelope::internal);
            sent.map_err(Into::into)
                .and_then(|delivery| ApiResponse::json(&SentDelivery { delivery }))
        }
    })
}

/// A change that a token made to an endpoint.
pub(super) struct EndpointChange<'a> {
    endpoint: &'a str,
    url: Option<String>,
    action: &'a str,
}

/// Records a change that a token made to an endpoint, and returns the change's result. The endpoint must still exist, since its URL is
/// read.
pub(super) async fn record_change<T>(
    app: &Gateway,
    caller: &TokenCaller,
    endpoint: &str,
    action: &str,
    result: Result<T, Fault>,
) -> Result<T, Fault> {
    let url = match &result {
        Err(fault) if fault.code != Code::OutcomeUnknown => None,
        _ => url(app, caller.account, endpoint).await,
    };
    let change = EndpointChange {
        endpoint,
        url,
        action,
    };
    record(app, caller, change, result).await
}

/// Records a change that a token made, unless webhook-svc has refused it, and returns the change's result. The endpoint may have changed,
/// so a failure to record that is only logged.
async fn record<T>(
    app: &Gateway,
    caller: &TokenCaller,
    change: EndpointChange<'_>,
    result: Result<T, Fault>,
) -> Result<T, Fault> {
    let is_unknown = match &result {
        Ok(_) => false,
        Err(fault) if fault.code == Code::OutcomeUnknown => true,
        Err(_) => return result,
    };
    let mut details =
        json!({ "account": caller.account, "change": change.action, "url": change.url });
    if is_unknown {
        details["outcome_unknown"] = true.into();
    }
    let subject = Subject {
        entity: "endpoint",
        name: change.endpoint.to_owned(),
        details,
    };
    let by = caller.author(Action::ChangeEndpoint);
    if let Err(fault) = app.operations.record(&by, subject).await {
        tracing::error!(%fault, "a change of an endpoint by a token is not recorded");
    }
    result
}

/// The highest rate limit of webhook-svc, in deliveries per second.
const MAX_RATE_LIMIT: u32 = 10_000;

/// webhook-svc refuses this rate limit: it checks a request that has it, and changes nothing.
const REFUSED_RATE_LIMIT: Option<u32> = Some(u32::MAX);

/// Reads and checks the rate limit of a body, at least `least`. webhook-svc cannot check it if another field is bad: the request then has
/// [`REFUSED_RATE_LIMIT`] instead.
fn rate_limit(fields: &mut Fields, least: u32) -> Option<u32> {
    let limit = fields.number("rate_limit");
    if limit.is_some_and(|limit| !(least..=MAX_RATE_LIMIT).contains(&limit)) {
        let reason = format!("Give {least} to {MAX_RATE_LIMIT} deliveries per second.");
        fields.bad.add("rate_limit", reason);
    }
    limit
}

/// Removes the error about [`REFUSED_RATE_LIMIT`], which the client has not sent.
async fn without_rate_limit<T>(call: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    call.await.map_err(|mut fault| {
        fault.fields.remove("rate_limit");
        fault
    })
}

/// The URL of an endpoint, for the audit, which still shows the URL after the endpoint is gone.
async fn url(app: &Gateway, account: Uuid, id: &str) -> Option<String> {
    let request = proto::GetEndpointRequest {
        account_id: account.to_string(),
        id: id.to_owned(),
    };
    let found = app
        .webhooks
        .read(EndpointsServiceClient::get_endpoint, request)
        .await
        .ok()?;
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
