//! States, deliveries and attempts of webhook-svc, in words.

use contracts::webhook::v1 as proto;
use contracts::webhook::v1::{DeliveryState, EndpointState};
use pages::StateText;
use pages::webhooks::deliveries::{AttemptRow, DeliveryRow};
use pages::webhooks::{AddressCheck, EventRow};
use time::OffsetDateTime;

use crate::english::{say, say_of, say_of_two, texts};
use crate::upstream::time_of;

/// The states that a list can be filtered by, with the keys of their texts.
pub(super) const STATES: [(&str, DeliveryState, &str); 4] = [
    ("waiting", DeliveryState::Waiting, WAITING),
    ("delivered", DeliveryState::Delivered, DELIVERED),
    ("failed", DeliveryState::Failed, FAILED),
    ("cancelled", DeliveryState::Cancelled, CANCELLED),
];
const WAITING: &str = "delivery-state-waiting";
const DELIVERED: &str = "delivery-state-delivered";
const FAILED: &str = "delivery-state-failed";
const CANCELLED: &str = "delivery-state-cancelled";

pub(super) fn endpoint_state(state: EndpointState) -> StateText {
    match state {
        EndpointState::On => StateText::good(say("webhook-state-on")),
        EndpointState::Paused => StateText::plain(say("webhook-state-paused")),
        EndpointState::Off => StateText::bad(say("webhook-state-off")),
        EndpointState::Unspecified => StateText::plain(say("webhook-state-unknown")),
    }
}

pub(super) fn delivery_state(delivery: &proto::Delivery) -> StateText {
    match delivery.state() {
        DeliveryState::Waiting if delivery.tries > 0 => {
            StateText::bad(say("delivery-state-retrying"))
        }
        DeliveryState::Waiting => StateText::plain(say(WAITING)),
        DeliveryState::Delivered => StateText::good(say(DELIVERED)),
        DeliveryState::Failed => StateText::bad(say(FAILED)),
        DeliveryState::Cancelled => StateText::plain(say(CANCELLED)),
        DeliveryState::Unspecified => StateText::plain(say("delivery-state-unknown")),
    }
}

/// The time of the next attempt; `now` if it has come.
fn due(delivery: &proto::Delivery, now: OffsetDateTime) -> Option<String> {
    let due = time_of(delivery.due_at)?;
    Some(if due > now { texts().minute(due) } else { say("delivery-now").to_owned() })
}

/// An explanation of a delivery's state for its owner.
pub(super) fn explanation(
    delivery: &proto::Delivery,
    endpoint: EndpointState,
    now: OffsetDateTime,
) -> String {
    let tries = texts().count("delivery-tries", delivery.tries.into());
    let key = match (delivery.state(), endpoint) {
        (DeliveryState::Waiting, EndpointState::Paused) => "delivery-waits-paused",
        (DeliveryState::Waiting, EndpointState::Off) => "delivery-waits-off",
        (DeliveryState::Waiting, _) if delivery.tries == 0 => "delivery-on-its-way",
        (DeliveryState::Waiting, _) => match time_of(delivery.due_at) {
            Some(due) if due > now => {
                return say_of("delivery-retry-at", &texts().minute(due));
            }
            Some(_) => "delivery-retry-now",
            None => "delivery-retry-follows",
        },
        (DeliveryState::Delivered, _) => return say_of("delivery-arrived", &tries),
        (DeliveryState::Failed, _) => return say_of("delivery-failed-after", &tries),
        (DeliveryState::Cancelled, _) => "delivery-not-sent",
        (DeliveryState::Unspecified, _) => return String::new(),
    };
    say(key).to_owned()
}

/// Why a delivery is cancelled, if it is.
pub(super) fn cancelled(delivery: &proto::Delivery) -> Option<String> {
    let is_cancelled = delivery.state() == DeliveryState::Cancelled;
    let attempt = delivery.last_attempt.as_ref().filter(|_| is_cancelled)?;
    Some(attempt.reason.clone())
}

/// What came of the request to an address when it was entered.
pub(super) fn address_check(endpoint: &proto::Endpoint) -> AddressCheck {
    match endpoint.address_status {
        Some(status) => AddressCheck::Answered(status),
        None => AddressCheck::Unreached(endpoint.address_problem.clone()),
    }
}

/// What the button *Send again* does.
pub(super) fn send_again(delivery: &proto::Delivery, endpoint: EndpointState) -> &'static str {
    say(match (endpoint, delivery.state()) {
        (EndpointState::Paused, _) => "delivery-again-paused",
        (EndpointState::Off, _) => "delivery-again-off",
        (_, DeliveryState::Waiting) => "delivery-again-waiting",
        (_, _) => "delivery-again-once",
    })
}

/// The answer to an attempt, or the reason why there was none.
fn result(attempt: &proto::Attempt) -> String {
    match attempt.status {
        Some(status) if attempt.reason.is_empty() => format!("answered {status}"),
        _ => attempt.reason.clone(),
    }
}

pub(super) fn delivery_row(delivery: &proto::Delivery, now: OffsetDateTime) -> DeliveryRow {
    let made = time_of(delivery.created_at).map(|at| texts().second(at));
    let attempt = delivery.last_attempt.as_ref();
    DeliveryRow {
        id: delivery.id,
        created: made.unwrap_or_default(),
        event: delivery.event.clone(),
        state: delivery_state(delivery),
        tries: delivery.tries,
        answer: attempt.map(result).unwrap_or_default(),
        due: due(delivery, now),
    }
}

/// How the newest deliveries ended, without those that wait; `None` if none has ended.
pub(super) fn recent(deliveries: &[proto::Delivery]) -> Option<String> {
    let count = |state| deliveries.iter().filter(|it| it.state() == state).count();
    let delivered = count(DeliveryState::Delivered);
    let failed = count(DeliveryState::Failed);
    let ended = delivered + failed;
    if ended == 0 {
        return None;
    }
    let (delivered, ended) = (delivered.to_string(), ended.to_string());
    let arrived = say_of_two("delivery-recent", &delivered, &ended);
    let failed = say_of("delivery-recent-failed", &failed.to_string());
    Some(format!("{arrived}, {failed}"))
}

pub(super) fn attempt_row(attempt: &proto::Attempt) -> AttemptRow {
    let at = time_of(attempt.at).map(|at| texts().second(at));
    AttemptRow {
        number: attempt.number.into(),
        at: at.unwrap_or_default(),
        duration: milliseconds(attempt.duration_ms),
        result: result(attempt),
        is_success: attempt.reason.is_empty() && attempt.status.is_some(),
        has_status: attempt.status.is_some(),
        answer: String::from_utf8_lossy(&attempt.answer).into_owned(),
    }
}

/// `1,204 ms`.
fn milliseconds(duration: u32) -> String {
    say_of("delivery-milliseconds", &texts().number(duration.into()))
}

pub(super) fn event_row(event: &proto::EventType) -> EventRow {
    EventRow { name: event.name.clone(), description: event.description.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivery(state: DeliveryState, tries: u32) -> proto::Delivery {
        proto::Delivery {
            state: state.into(),
            tries,
            due_at: Some(prost_types::Timestamp { seconds: 1_795_435_500, nanos: 0 }),
            ..proto::Delivery::default()
        }
    }

    /// A minute before the next attempt.
    const NOW: OffsetDateTime = time::macros::datetime!(2026-11-23 12:04 UTC);

    #[test]
    fn a_waiting_delivery_shows_what_it_waits_for() {
        let later = NOW + time::Duration::minutes(2);
        for (tries, endpoint, now, key) in [
            (0, EndpointState::On, NOW, "delivery-on-its-way"),
            (1, EndpointState::On, later, "delivery-retry-now"),
            (0, EndpointState::Paused, NOW, "delivery-waits-paused"),
            (2, EndpointState::Off, NOW, "delivery-waits-off"),
        ] {
            let waiting = delivery(DeliveryState::Waiting, tries);
            let text = explanation(&waiting, endpoint, now);
            assert_eq!(text, say(key));
        }
        let waiting = delivery(DeliveryState::Waiting, 1);
        let text = explanation(&waiting, EndpointState::On, NOW);
        assert!(text.contains("23 November 2026, 12:05 UTC"), "{text}");
        let due = |now| delivery_row(&waiting, now).due;
        assert_eq!(due(later).as_deref(), Some(say("delivery-now")));
        assert_eq!(due(NOW).as_deref(), Some("23 November 2026, 12:05 UTC"));
    }

    #[test]
    fn only_an_answer_without_a_reason_is_a_success() {
        for (status, reason, is_success) in [
            (Some(204), "", true),
            (Some(500), "answered 500", false),
            (None, "has no address", false),
        ] {
            let attempt =
                proto::Attempt { status, reason: reason.to_owned(), ..proto::Attempt::default() };
            let row = attempt_row(&attempt);
            assert_eq!(row.is_success, is_success, "{reason}");
        }
    }

    #[test]
    fn a_delivery_that_is_not_sent_shows_its_reason() {
        let because = |state| proto::Delivery {
            last_attempt: Some(proto::Attempt {
                reason: "The listing is no longer published.".to_owned(),
                ..proto::Attempt::default()
            }),
            ..delivery(state, 0)
        };
        let shown = cancelled(&because(DeliveryState::Cancelled));
        assert_eq!(shown.as_deref(), Some("The listing is no longer published."));
        assert_eq!(cancelled(&because(DeliveryState::Failed)), None);
    }

    #[test]
    fn send_again_depends_on_the_states_of_the_delivery_and_of_its_address() {
        let (failed, waiting) = (DeliveryState::Failed, DeliveryState::Waiting);
        for (state, endpoint, key) in [
            (failed, EndpointState::On, "delivery-again-once"),
            (DeliveryState::Delivered, EndpointState::On, "delivery-again-once"),
            (waiting, EndpointState::On, "delivery-again-waiting"),
            (waiting, EndpointState::Paused, "delivery-again-paused"),
            (failed, EndpointState::Paused, "delivery-again-paused"),
            (failed, EndpointState::Off, "delivery-again-off"),
        ] {
            let shown = send_again(&delivery(state, 6), endpoint);
            assert_eq!(shown, say(key), "{state:?} {endpoint:?}");
        }
    }

    #[test]
    fn the_newest_deliveries_that_have_ended_are_counted() {
        let deliveries = [
            DeliveryState::Delivered,
            DeliveryState::Failed,
            DeliveryState::Delivered,
            DeliveryState::Waiting,
        ];
        let deliveries = deliveries.map(|state| delivery(state, 1));
        let shown = recent(&deliveries);
        assert_eq!(shown.as_deref(), Some("2 of the newest 3 arrived, 1 failed"));
        assert_eq!(recent(&deliveries[3..]), None);
    }
}
