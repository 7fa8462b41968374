//! Endpoints of webhooks (§10.18).

use axum::extract::RawQuery;
use contracts::public::{AccountEndpoint, NewAccountEndpoint, RemovedEndpoint, SentDelivery};
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::deliveries_service_client::DeliveriesServiceClient;
use contracts::webhook::v1::endpoints_service_client::EndpointsServiceClient;
use http::Method;
use kit::{Code, Fault};

use super::deliveries::delivery;
use super::{
    IdParam, TokenCaller, change as run_change, of_endpoint, page, parse_id, time, unknown_state,
};
use crate::envelope::{self, ApiResponse};
use crate::errors::ApiError;
use crate::extract::fields::Fields;
use crate::extract::json_body::JsonBody;
use crate::extract::path_param::PathParam;
use crate::extract::query::{Params, refused};
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(in crate::routes) fn operations() -> [Operation; 6] {
    [
        Operation::get("/account/endpoints", "listEndpoints", Tag::AccountApi, "Lists the endpoints of webhooks.",
            Success::rows("AccountEndpoint"), p::PAGE),
        Operation::get("/account/endpoints", "addEndpoint", Tag::AccountApi, "Adds an endpoint.",
            Success::Added("NewAccountEndpoint"), &[]).write(Method::POST, "EndpointSubmission").codes(&[Code::PlanRequired])
            .about("The response has the signing secret, once. The address must be https, and public."),
        Operation::get("/account/endpoints/{id}", "getEndpoint", Tag::AccountApi, "Gets an endpoint.", Success::Object("AccountEndpoint"), &[p::ID]),
        Operation::get("/account/endpoints/{id}", "changeEndpoint", Tag::AccountApi, "Changes an endpoint.",
            Success::Object("AccountEndpoint"), &[p::ID]).write(Method::PATCH, "EndpointChange"),
        Operation::get("/account/endpoints/{id}", "removeEndpoint", Tag::AccountApi, "Removes an endpoint and its queue.",
            Success::Object("RemovedEndpoint"), &[p::ID]).method(Method::DELETE),
        Operation::get("/account/endpoints/{id}/{action}", "runEndpointAction",
            Tag::AccountApi, "Pauses, resumes or tests an endpoint, or rotates its secret.",
            Success::Object("EndpointActionResult"), &[p::ID, p::ACTION, p::TEST_EVENT, p::TEST_KIND]).method(Method::POST)
            .about("`pause` keeps deliveries until `resume`. `rotate-secret` returns a new secret, which signs in addition to the old \
                one until `switch-secret`, or until the rotation ends. `test` sends a sample of an event."),
    ]
}

pub async fn list(caller: TokenCaller, RawQuery(query): RawQuery) -> Result<ApiResponse, ApiError> {
    let query = Params::parse(query.as_deref());
    let request = proto::ListEndpointsRequest {
        account_id: caller.account.to_string(),
    };
    let method = EndpointsServiceClient::list_endpoints;
    let listed = caller.app.webhooks.read(method, request).await?;
    let rows = listed.endpoints.into_iter().map(shape);
    let mut rows: Vec<AccountEndpoint> = rows.collect::<Result<_, _>>()?;
    rows.sort_by(|one, other| one.id.cmp(&other.id));
    page("account endpoints", &caller, rows, |row| &row.id, query)
}

pub async fn get(caller: TokenCaller, IdParam(id): IdParam) -> Result<ApiResponse, ApiError> {
    answer(find(&caller, id.to_string()).await?.endpoint)
}

async fn find(caller: &TokenCaller, id: String) -> Result<proto::GetEndpointResponse, Fault> {
    let request = proto::GetEndpointRequest {
        account_id: caller.account.to_string(),
        id,
    };
    let method = EndpointsServiceClient::get_endpoint;
    caller.app.webhooks.read(method, request).await
}

pub async fn add(caller: TokenCaller, body: JsonBody) -> Result<ApiResponse, ApiError> {
    let mut fields = Fields::read(&body, &["url", "events", "rate_limit"])?;
    let request = proto::AddEndpointRequest {
        account_id: caller.account.to_string(),
        url: fields.text("url").unwrap_or_default(),
        events: fields.texts("events").unwrap_or_default(),
    };
    // A body that this service cannot read is never sent: a write that is meant to fail might succeed.
    fields.bad.check()?;
    run_change(caller, |caller| async move {
        let method = EndpointsServiceClient::add_endpoint;
        let added = caller.write(method, request).await?;
        let endpoint = shape(added.endpoint.ok_or_else(envelope::internal)?)?;
        let path = format!("/v1/account/endpoints/{}", endpoint.id);
        let secret = added.secret;
        Ok(ApiResponse::json(&NewAccountEndpoint { endpoint, secret })?.created_at(path))
    })
    .await
}

pub async fn change(
    caller: TokenCaller,
    IdParam(id): IdParam,
    body: JsonBody,
) -> Result<ApiResponse, ApiError> {
    let mut fields = Fields::read(&body, &["url", "events", "rate_limit"])?;
    let request = proto::ChangeEndpointRequest {
        account_id: caller.account.to_string(),
        id: id.to_string(),
        url: fields.text("url"),
        events: fields
            .texts("events")
            .map(|events| proto::EventList { events }),
    };
    if !fields.bad.is_empty() {
        return Err(refused(fields.bad, find(&caller, request.id)).await.into());
    }
    run_change(caller, |caller| async move {
        let method = EndpointsServiceClient::change_endpoint;
        let changed = caller.write(method, request).await?;
        answer(changed.endpoint)
    })
    .await
}

pub async fn remove(caller: TokenCaller, IdParam(id): IdParam) -> Result<ApiResponse, ApiError> {
    let id = id.to_string();
    let request = proto::RemoveEndpointRequest {
        account_id: caller.account.to_string(),
        id: id.clone(),
    };
    run_change(caller, |caller| async move {
        let method = EndpointsServiceClient::remove_endpoint;
        caller.write(method, request).await?;
        ApiResponse::json(&RemovedEndpoint { id, removed: true })
    })
    .await
}

/// One of the actions on an endpoint.
pub async fn run_action(
    caller: TokenCaller,
    PathParam((id, action)): PathParam<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let id = parse_id(&id)?.to_string();
    let mut query = match action.as_str() {
        "test" => Params::parse(query.as_deref()),
        "pause" | "resume" | "rotate-secret" | "switch-secret" => Params::default(),
        _ => return Err(ApiError::path_not_found()),
    };
    let test = proto::SendTestEventRequest {
        account_id: caller.account.to_string(),
        endpoint_id: id.clone(),
        event: query.text("event").unwrap_or_default(),
        kind: query.text("kind").unwrap_or_default(),
    };
    let bad = query.into_bad();
    if !bad.is_empty() {
        return Err(refused(bad, find(&caller, id)).await.into());
    }
    run_change(caller, |caller| async move {
        perform(&caller, id, &action, test).await
    })
    .await
}

/// Runs an action, and makes its response.
async fn perform(
    caller: &TokenCaller,
    id: String,
    action: &str,
    test: proto::SendTestEventRequest,
) -> Result<ApiResponse, ApiError> {
    let account_id = caller.account.to_string();
    match action {
        "pause" => {
            let request = proto::PauseEndpointRequest { account_id, id };
            let method = EndpointsServiceClient::pause_endpoint;
            answer(caller.write(method, request).await?.endpoint)
        }
        "resume" => {
            let request = proto::ResumeEndpointRequest { account_id, id };
            let method = EndpointsServiceClient::resume_endpoint;
            answer(caller.write(method, request).await?.endpoint)
        }
        "switch-secret" => {
            let request = proto::SwitchSecretRequest { account_id, id };
            let method = EndpointsServiceClient::switch_secret;
            answer(caller.write(method, request).await?.endpoint)
        }
        "rotate-secret" => {
            let request = proto::RotateSecretRequest { account_id, id };
            let method = EndpointsServiceClient::rotate_secret;
            let rotated = caller.write(method, request).await?;
            ApiResponse::json(&NewAccountEndpoint {
                endpoint: shape(rotated.endpoint.ok_or_else(envelope::internal)?)?,
                secret: rotated.secret,
            })
        }
        _ => {
            let method = DeliveriesServiceClient::send_test_event;
            let sent = caller.write(method, test).await;
            let sent = sent.map_err(of_endpoint)?;
            ApiResponse::json(&SentDelivery {
                delivery: delivery(sent.delivery.ok_or_else(envelope::internal)?)?,
                next: sent.next,
            })
        }
    }
}

fn answer(endpoint: Option<proto::Endpoint>) -> Result<ApiResponse, ApiError> {
    ApiResponse::json(&shape(endpoint.ok_or_else(envelope::internal)?)?)
}

fn shape(endpoint: proto::Endpoint) -> Result<AccountEndpoint, Fault> {
    let state = match endpoint.state() {
        proto::EndpointState::On => "on",
        proto::EndpointState::Paused => "paused",
        proto::EndpointState::Off => "off",
        proto::EndpointState::Unspecified => return Err(unknown_state(endpoint.state)),
    };
    let health = endpoint.health.unwrap_or_default();
    Ok(AccountEndpoint {
        state: state.to_owned(),
        id: endpoint.id,
        url: endpoint.url,
        events: endpoint.events,
        reason: endpoint.reason,
        rate_limit: None,
        created_at: time(endpoint.created_at),
        rotating_until: time(endpoint.rotating_until),
        queued: health.queued,
        failures: health.failures,
        last_success_at: time(health.last_success_at),
    })
}

#[cfg(test)]
mod tests {
    use kit::Code;

    use super::*;

    #[test]
    fn an_endpoint_in_an_unknown_state_is_an_internal_fault() {
        let in_state = |state: i32| {
            shape(proto::Endpoint {
                state,
                ..proto::Endpoint::default()
            })
        };
        let off = in_state(proto::EndpointState::Off.into());
        assert_eq!(off.unwrap().state, "off");
        for state in [i32::from(proto::EndpointState::Unspecified), 99] {
            assert_eq!(in_state(state).unwrap_err().code, Code::Internal);
        }
    }
}
