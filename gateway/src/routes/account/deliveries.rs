//! Deliveries to an endpoint (§10.18). Each call names the endpoint in the query.

use axum::extract::RawQuery;
use contracts::common::v1::PageInfo;
use contracts::public::{
    AccountAttempt, AccountDelivery, OneDelivery, RecoveredDeliveries, SentDelivery,
};
use contracts::webhook::v1 as proto;
use contracts::webhook::v1::deliveries_service_client::DeliveriesServiceClient;
use http::Method;
use kit::{Code, Fault, timestamp};

use super::{TokenCaller, change, not_found, of_endpoint, time, unknown_state};
use crate::app::Gateway;
use crate::envelope::{self, ApiResponse};
use crate::errors::ApiError;
use crate::extract::path_param::PathParam;
use crate::extract::query::{Params, refused};
use crate::openapi::operation::{ListKind, Operation, Success, Tag};
use crate::openapi::parameters as p;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(in crate::routes) fn operations() -> [Operation; 4] {
    [
        Operation::get("/account/deliveries", "listDeliveries", Tag::AccountApi, "Lists deliveries to an endpoint, the newest first.",
            Success::List("AccountDelivery", ListKind::Page),
            &[p::ENDPOINT, p::DELIVERY_STATE, p::EVENT_OF_DELIVERY, p::SINCE_MOMENT, p::UNTIL_MOMENT, p::LIMIT, p::CURSOR])
            .codes(&[Code::NotFound]),
        Operation::get("/account/deliveries/recover", "recoverDeliveries",
            Tag::AccountApi, "Sends the deliveries again that have failed since a time.",
            Success::Object("RecoveredDeliveries"), &[p::ENDPOINT, p::RECOVER_SINCE, p::ONLY_COUNT]).method(Method::POST)
            .codes(&[Code::NotFound, Code::PlanRequired]),
        Operation::get("/account/deliveries/{id}", "getDelivery", Tag::AccountApi, "Gets a delivery with its attempts.",
            Success::Object("OneDelivery"), &[p::DELIVERY_ID, p::ENDPOINT]),
        Operation::get("/account/deliveries/{id}/send-again", "sendDeliveryAgain", Tag::AccountApi, "Makes one attempt at once.",
            Success::Object("SentDelivery"), &[p::DELIVERY_ID, p::ENDPOINT]).method(Method::POST).codes(&[Code::PlanRequired]),
    ]
}

pub async fn list(caller: TokenCaller, RawQuery(query): RawQuery) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref());
    let endpoint_id = query.id("endpoint");
    let asked = query.page();
    let state = match query.text("state").as_deref() {
        None => proto::DeliveryState::Unspecified,
        Some("waiting") => proto::DeliveryState::Waiting,
        Some("delivered") => proto::DeliveryState::Delivered,
        Some("failed") => proto::DeliveryState::Failed,
        Some("cancelled") => proto::DeliveryState::Cancelled,
        Some(_) => {
            query.bad.add(
                "state",
                "Use one of: waiting, delivered, failed, cancelled.",
            );
            proto::DeliveryState::Unspecified
        }
    };
    let request = proto::ListDeliveriesRequest {
        account_id: caller.account.to_string(),
        endpoint_id,
        state: state.into(),
        event: query.text("event").unwrap_or_default(),
        since: query.timestamp("since").map(timestamp::encode),
        until: query.timestamp("until").map(timestamp::encode),
        limit: asked.limit,
        cursor: asked.cursor,
    };
    let listed = async {
        let method = DeliveriesServiceClient::list_deliveries;
        let listed = caller.app.webhooks.read(method, request).await;
        listed.map_err(of_endpoint)
    };
    let bad = query.into_bad();
    if !bad.is_empty() {
        return Err(refused(bad, listed).await.into());
    }
    let listed = listed.await?;
    let rows = listed.deliveries.into_iter().map(delivery);
    let rows: Vec<AccountDelivery> = rows.collect::<Result<_, _>>()?;
    let json = serde_json::to_vec(&rows).map_err(|error| Fault::internal(&error))?;
    let info = PageInfo {
        total: u64::try_from(rows.len()).unwrap_or_default(),
        next_cursor: Some(listed.next_cursor).filter(|next| !next.is_empty()),
    };
    Ok(ApiResponse::list(json.into(), Some(info)))
}

pub async fn get(
    caller: TokenCaller,
    PathParam(id): PathParam,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref());
    let request = proto::GetDeliveryRequest {
        account_id: caller.account.to_string(),
        endpoint_id: query.id("endpoint"),
        id: number(&id)?,
    };
    let found = get_delivery(&caller.app, request);
    let bad = query.into_bad();
    if !bad.is_empty() {
        return Err(refused(bad, found).await.into());
    }
    let found = found.await?;
    let attempts = found.attempts.into_iter().map(attempt);
    ApiResponse::json(&OneDelivery {
        delivery: delivery(found.delivery.ok_or_else(envelope::internal)?)?,
        attempts: attempts.collect(),
        body: String::from_utf8_lossy(&found.body).into_owned(),
    })
}

pub async fn send_again(
    caller: TokenCaller,
    PathParam(id): PathParam,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref());
    let (endpoint, id) = (query.id("endpoint"), number(&id)?);
    let bad = query.into_bad();
    if !bad.is_empty() {
        let request = proto::GetDeliveryRequest {
            account_id: caller.account.to_string(),
            endpoint_id: endpoint,
            id,
        };
        return Err(refused(bad, get_delivery(&caller.app, request))
            .await
            .into());
    }
    let request = proto::SendAgainRequest {
        account_id: caller.account.to_string(),
        endpoint_id: endpoint,
        id,
    };
    change(caller, |caller| async move {
        let method = DeliveriesServiceClient::send_again;
        let sent = caller.write(method, request).await;
        let sent = sent.map_err(of_endpoint)?;
        ApiResponse::json(&SentDelivery {
            delivery: delivery(sent.delivery.ok_or_else(envelope::internal)?)?,
            next: sent.next,
        })
    })
    .await
}

pub async fn recover(
    caller: TokenCaller,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref());
    let endpoint = query.id("endpoint");
    let since = query.timestamp("since");
    if since.is_none() {
        query.bad.add("since", "Give a time.");
    }
    let dry_run = query.flag("dry_run");
    let bad = query.into_bad();
    let request = proto::RecoverRequest {
        account_id: caller.account.to_string(),
        endpoint_id: endpoint,
        // webhook-svc only checks a call with bad parameters.
        since: Some(timestamp::encode(
            since.unwrap_or_else(|| caller.app.clock.now()),
        )),
        dry_run: dry_run || !bad.is_empty(),
    };
    if !bad.is_empty() {
        let method = DeliveriesServiceClient::recover;
        let checked = caller.app.webhooks.write(method, request);
        let checked = async { checked.await.map_err(of_endpoint) };
        return Err(refused(bad, checked).await.into());
    }
    change(caller, |caller| async move {
        let method = DeliveriesServiceClient::recover;
        let recovered = caller.write(method, request).await;
        let recovered = recovered.map_err(of_endpoint)?;
        ApiResponse::json(&RecoveredDeliveries {
            deliveries: recovered.deliveries,
            dry_run,
            next: recovered.next,
        })
    })
    .await
}

async fn get_delivery(
    app: &Gateway,
    request: proto::GetDeliveryRequest,
) -> Result<proto::GetDeliveryResponse, Fault> {
    let method = DeliveriesServiceClient::get_delivery;
    let found = app.webhooks.read(method, request).await;
    found.map_err(of_endpoint)
}

/// Parses the number of a delivery. No delivery has a text that is not a number, so such a text is a 404.
fn number(id: &str) -> Result<i64, ApiError> {
    id.parse().map_err(|_not_a_number| not_found().into())
}

pub(super) fn delivery(found: proto::Delivery) -> Result<AccountDelivery, Fault> {
    let state = match found.state() {
        proto::DeliveryState::Waiting => "waiting",
        proto::DeliveryState::Delivered => "delivered",
        proto::DeliveryState::Failed => "failed",
        proto::DeliveryState::Cancelled => "cancelled",
        proto::DeliveryState::Unspecified => return Err(unknown_state(found.state)),
    };
    Ok(AccountDelivery {
        id: found.id.to_string(),
        endpoint: found.endpoint_id,
        message_id: found.message_id,
        event: found.event,
        state: state.to_owned(),
        created_at: time(found.created_at),
        tries: found.tries,
        due_at: time(found.due_at),
        last_attempt: found.last_attempt.map(attempt),
    })
}

fn attempt(made: proto::Attempt) -> AccountAttempt {
    AccountAttempt {
        number: made.number,
        at: time(made.at),
        duration_ms: made.duration_ms,
        status: made.status,
        reason: made.reason,
        answer: String::from_utf8_lossy(&made.answer).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use kit::Code;

    use super::*;

    #[test]
    fn a_delivery_in_an_unknown_state_is_an_internal_fault() {
        let in_state = |state: i32| {
            delivery(proto::Delivery {
                state,
                ..proto::Delivery::default()
            })
        };
        let failed = in_state(proto::DeliveryState::Failed.into());
        assert_eq!(failed.unwrap().state, "failed");
        for state in [i32::from(proto::DeliveryState::Unspecified), 99] {
            assert_eq!(in_state(state).unwrap_err().code, Code::Internal);
        }
    }
}
