//! Converts rows to protobuf messages.

use contracts::webhook::v1 as proto;
use kit::api::timestamp::encode;
use time::OffsetDateTime;

use crate::store::deliveries::{Attempt, Delivery, DeliveryState};
use crate::store::endpoints::{Endpoint, EndpointState};
use crate::store::waiting::Backlog;

/// An endpoint, with its health if its backlog was counted.
pub(super) fn endpoint(
    endpoint: Endpoint,
    backlog: Option<Backlog>,
    now: OffsetDateTime,
) -> proto::Endpoint {
    let state = match endpoint.state {
        EndpointState::On => proto::EndpointState::On,
        EndpointState::Paused => proto::EndpointState::Paused,
        EndpointState::Off => proto::EndpointState::Off,
        EndpointState::Unknown => proto::EndpointState::Unspecified,
    };
    let seen_by = endpoint.seen_by(now).into_iter();
    let next_secret = endpoint.waiting_secret(now);
    let rotating_until = endpoint.next_secret_from.filter(|from| *from > now);
    proto::Endpoint {
        id: endpoint.id.to_string(),
        account_id: endpoint.account_id.to_string(),
        url: endpoint.url,
        address_status: endpoint.address_status.map(i32::unsigned_abs),
        address_problem: endpoint.address_problem,
        events: endpoint.events,
        state: state.into(),
        reason: endpoint.reason,
        created_at: Some(encode(endpoint.created_at)),
        rotating_until: rotating_until.map(encode),
        next_secret_id: next_secret.map(|id| id.to_string()).unwrap_or_default(),
        seen_by: seen_by.map(|person| person.to_string()).collect(),
        health: backlog.map(|backlog| proto::Health {
            queued: backlog.count.unsigned_abs(),
            queued_since: backlog.since.map(encode),
            failures: endpoint.failures.unsigned_abs(),
            last_failure_at: endpoint.last_failure_at.map(encode),
            last_success_at: endpoint.last_success_at.map(encode),
        }),
    }
}

pub(super) fn delivery(delivery: Delivery) -> proto::Delivery {
    let state = match delivery.state {
        DeliveryState::Waiting => proto::DeliveryState::Waiting,
        DeliveryState::Delivered => proto::DeliveryState::Delivered,
        DeliveryState::Failed => proto::DeliveryState::Failed,
        DeliveryState::Cancelled => proto::DeliveryState::Cancelled,
        DeliveryState::Unknown => proto::DeliveryState::Unspecified,
    };
    proto::Delivery {
        last_attempt: delivery.last_attempt().map(attempt),
        id: delivery.id,
        endpoint_id: delivery.endpoint_id.to_string(),
        message_id: delivery.message_id.to_string(),
        event: delivery.event,
        state: state.into(),
        created_at: Some(encode(delivery.created_at)),
        tries: delivery.attempts.unsigned_abs(),
        due_at: delivery.due_at.map(encode),
    }
}

pub(super) fn attempt(attempt: Attempt) -> proto::Attempt {
    proto::Attempt {
        number: attempt.number.unsigned_abs(),
        at: Some(encode(attempt.at)),
        duration_ms: attempt.duration_ms.unsigned_abs(),
        status: attempt.status.map(i32::unsigned_abs),
        reason: attempt.reason,
        answer: attempt.answer.into(),
    }
}
