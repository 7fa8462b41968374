//! States, deliveries, attempts and samples of webhook-svc, in words.

use contracts::webhook::v1 as proto;
use contracts::webhook::v1::{DeliveryState, EndpointState};
use pages::webhooks::deliveries::{AttemptRow, DeliveryRow};
use pages::webhooks::{EventRow, SampleRow, ServiceText, StateLabel};
use pages::when;
use time::OffsetDateTime;

use super::service_text;
use crate::domain::json_text;
use crate::page_language::PageLanguage;
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

pub(super) fn endpoint_state(state: EndpointState, language: PageLanguage) -> StateLabel {
    match state {
        EndpointState::On => StateLabel::good(language.say("webhook-state-on")),
        EndpointState::Paused => StateLabel::plain(language.say("webhook-state-paused")),
        EndpointState::Off => StateLabel::bad(language.say("webhook-state-off")),
        EndpointState::Unspecified => StateLabel::plain(language.say("webhook-state-unknown")),
    }
}

pub(super) fn delivery_state(delivery: &proto::Delivery, language: PageLanguage) -> StateLabel {
    match delivery.state() {
        DeliveryState::Waiting if delivery.tries > 0 => {
            StateLabel::bad(language.say("delivery-state-retrying"))
        }
        DeliveryState::Waiting => StateLabel::plain(language.say(WAITING)),
        DeliveryState::Delivered => StateLabel::good(language.say(DELIVERED)),
        DeliveryState::Failed => StateLabel::bad(language.say(FAILED)),
        DeliveryState::Cancelled => StateLabel::plain(language.say(CANCELLED)),
        DeliveryState::Unspecified => StateLabel::plain(language.say("delivery-state-unknown")),
    }
}

/// The time of the next attempt; `now` if it has come.
fn due(delivery: &proto::Delivery, now: OffsetDateTime, language: PageLanguage) -> Option<String> {
    let due = time_of(delivery.due_at)?;
    Some(if due > now {
        when::minute(language.texts(), due)
    } else {
        language.say("delivery-now").to_owned()
    })
}

/// An explanation of a delivery's state for its owner.
pub(super) fn explanation(
    delivery: &proto::Delivery,
    endpoint: EndpointState,
    now: OffsetDateTime,
    language: PageLanguage,
) -> String {
    let texts = language.texts();
    let tries = texts.count("delivery-tries", delivery.tries.into());
    let key = match (delivery.state(), endpoint) {
        (DeliveryState::Waiting, EndpointState::Paused) => "delivery-waits-paused",
        (DeliveryState::Waiting, EndpointState::Off) => "delivery-waits-off",
        (DeliveryState::Waiting, _) if delivery.tries == 0 => "delivery-on-its-way",
        (DeliveryState::Waiting, _) => match time_of(delivery.due_at) {
            Some(due) if due > now => {
                return texts.say_of("delivery-retry-at", &when::minute(texts, due));
            }
            Some(_) => "delivery-retry-now",
            None => "delivery-retry-follows",
        },
        (DeliveryState::Delivered, _) => return texts.say_of("delivery-arrived", &tries),
        (DeliveryState::Failed, _) => return texts.say_of("delivery-failed-after", &tries),
        (DeliveryState::Cancelled, _) => "delivery-not-sent",
        (DeliveryState::Unspecified, _) => return String::new(),
    };
    texts.say(key).to_owned()
}

/// Why a delivery is cancelled, if it is.
pub(super) fn cancelled(delivery: &proto::Delivery, language: PageLanguage) -> Option<ServiceText> {
    let is_cancelled = delivery.state() == DeliveryState::Cancelled;
    let attempt = delivery.last_attempt.as_ref().filter(|_| is_cancelled)?;
    Some(service_text::reason(&attempt.reason, language))
}

/// What the button *Send again* does.
pub(super) fn send_again(
    delivery: &proto::Delivery,
    endpoint: EndpointState,
    language: PageLanguage,
) -> &'static str {
    language.say(match (endpoint, delivery.state()) {
        (EndpointState::Paused, _) => "delivery-again-paused",
        (EndpointState::Off, _) => "delivery-again-off",
        (_, DeliveryState::Waiting) => "delivery-again-waiting",
        (_, _) => "delivery-again-once",
    })
}

/// The answer to an attempt, or the reason why there was none.
fn result(attempt: &proto::Attempt, language: PageLanguage) -> ServiceText {
    match attempt.status {
        Some(status) if attempt.reason.is_empty() => {
            service_text::reason(&format!("answered {status}"), language)
        }
        _ => service_text::reason(&attempt.reason, language),
    }
}

pub(super) fn delivery_row(
    delivery: &proto::Delivery,
    now: OffsetDateTime,
    language: PageLanguage,
) -> DeliveryRow {
    let made = time_of(delivery.created_at);
    let made = made.map(|at| when::second(language.texts(), at));
    let attempt = delivery.last_attempt.as_ref();
    DeliveryRow {
        id: delivery.id,
        created: made.unwrap_or_default(),
        event: delivery.event.clone(),
        state: delivery_state(delivery, language),
        tries: delivery.tries,
        answer: attempt.map_or_else(
            || service_text::reason("", language),
            |attempt| result(attempt, language),
        ),
        due: due(delivery, now, language),
    }
}

/// How the newest deliveries ended, without those that wait; `None` if none has ended.
pub(super) fn recent(deliveries: &[proto::Delivery], language: PageLanguage) -> Option<String> {
    let count = |state| deliveries.iter().filter(|it| it.state() == state).count();
    let delivered = count(DeliveryState::Delivered);
    let failed = count(DeliveryState::Failed);
    let ended = delivered + failed;
    if ended == 0 {
        return None;
    }
    let texts = language.texts();
    let (delivered, ended) = (delivered.to_string(), ended.to_string());
    let arrived = texts.say_of_two("delivery-recent", &delivered, &ended);
    let failed = texts.say_of("delivery-recent-failed", &failed.to_string());
    Some(format!("{arrived}, {failed}"))
}

pub(super) fn attempt_row(attempt: &proto::Attempt, language: PageLanguage) -> AttemptRow {
    let at = time_of(attempt.at).map(|at| when::second(language.texts(), at));
    AttemptRow {
        number: attempt.number.into(),
        at: at.unwrap_or_default(),
        duration: milliseconds(attempt.duration_ms, language),
        result: result(attempt, language),
        is_success: attempt.reason.is_empty() && attempt.status.is_some(),
        has_status: attempt.status.is_some(),
        answer: String::from_utf8_lossy(&attempt.answer).into_owned(),
        headers: (attempt.answer_headers.iter())
            .map(|header| (header.name.clone(), header.value.clone()))
            .collect(),
    }
}

/// `1,204 ms`.
pub(super) fn milliseconds(duration: u32, language: PageLanguage) -> String {
    let texts = language.texts();
    texts.say_of("delivery-milliseconds", &texts.number(duration.into()))
}

pub(super) fn event_row(event: &proto::EventType, language: PageLanguage) -> EventRow {
    let samples = event.samples.iter().map(|sample| SampleRow {
        id: format!("sample-{}-{}", event.name, sample.kind),
        kind: sample.kind.clone(),
        body: json_text::indented(&String::from_utf8_lossy(&sample.body)),
    });
    EventRow {
        name: event.name.clone(),
        description: service_text::event(event, language),
        samples: samples.collect(),
    }
}

#[cfg(test)]
mod tests {
    use pages::site::Language;

    use super::*;

    fn delivery(state: DeliveryState, tries: u32) -> proto::Delivery {
        proto::Delivery {
            state: state.into(),
            tries,
            due_at: Some(prost_types::Timestamp {
                seconds: 1_795_435_500,
                nanos: 0,
            }),
            ..proto::Delivery::default()
        }
    }

    const ENGLISH: PageLanguage = PageLanguage {
        language: Language::English,
        prefix: "",
    };
    const FRENCH: PageLanguage = PageLanguage {
        language: Language::French,
        prefix: "",
    };

    /// Before the time of the next attempt.
    const NOW: OffsetDateTime = time::macros::datetime!(2026-11-23 12:04 UTC);

    #[test]
    fn a_try_whose_time_has_come_is_being_sent_now() {
        let waiting = delivery(DeliveryState::Waiting, 1);
        let later = NOW + time::Duration::minutes(2);
        let text = explanation(&waiting, EndpointState::On, later, ENGLISH);
        assert!(text.ends_with("It is being sent now."), "{text}");
        let due = |now, language| delivery_row(&waiting, now, language).due;
        assert_eq!(due(later, ENGLISH).as_deref(), Some("now"));
        assert_eq!(due(later, FRENCH).as_deref(), Some("maintenant"));
        let due = due(NOW, ENGLISH);
        assert_eq!(due.as_deref(), Some("23 November 2026, 12:05 UTC"));
    }

    #[test]
    fn a_waiting_delivery_says_what_it_waits_for() {
        let waiting = |tries| delivery(DeliveryState::Waiting, tries);
        for (tries, endpoint, words) in [
            (0, EndpointState::On, "on its way"),
            (1, EndpointState::On, "23 November 2026, 12:05 UTC"),
            (0, EndpointState::Paused, "paused"),
            (2, EndpointState::Off, "switched off"),
        ] {
            let text = explanation(&waiting(tries), endpoint, NOW, ENGLISH);
            assert!(text.contains(words), "{text}");
        }
        assert_eq!(delivery_state(&waiting(0), ENGLISH).text, "waiting");
        assert_eq!(delivery_state(&waiting(1), ENGLISH).text, "retrying");
    }

    #[test]
    fn the_newest_deliveries_are_counted() {
        let states = [
            DeliveryState::Delivered,
            DeliveryState::Failed,
            DeliveryState::Delivered,
            DeliveryState::Waiting,
        ];
        let deliveries = states.map(|state| delivery(state, 1));
        let text = recent(&deliveries, ENGLISH).unwrap();
        assert_eq!(text, "2 of the newest 3 arrived, 1 failed");
        assert_eq!(recent(&deliveries[3..], ENGLISH), None);
        assert_eq!(
            recent(&deliveries, FRENCH).unwrap(),
            "livrées\u{a0}: 2 sur 3, en échec\u{a0}: 1"
        );
    }

    #[test]
    fn the_button_says_what_it_does() {
        for (state, endpoint, words) in [
            (DeliveryState::Failed, EndpointState::On, "no other follows"),
            (
                DeliveryState::Delivered,
                EndpointState::On,
                "One try is made now",
            ),
            (DeliveryState::Waiting, EndpointState::On, "follows at once"),
            (
                DeliveryState::Waiting,
                EndpointState::Paused,
                "when you resume it",
            ),
            (
                DeliveryState::Failed,
                EndpointState::Paused,
                "when you resume it",
            ),
            (
                DeliveryState::Failed,
                EndpointState::Off,
                "resume it before",
            ),
        ] {
            let text = send_again(&delivery(state, 6), endpoint, ENGLISH);
            assert!(text.contains(words), "{text}");
        }
    }

    #[test]
    fn a_failed_attempt_says_why() {
        let attempt = |status, reason: &str| proto::Attempt {
            status,
            reason: reason.to_owned(),
            ..proto::Attempt::default()
        };
        let good = attempt_row(&attempt(Some(204), ""), ENGLISH);
        assert_eq!(
            (good.result.text.as_str(), good.is_success),
            ("answered 204", true)
        );
        let bad = attempt_row(&attempt(Some(500), "answered 500"), ENGLISH);
        assert_eq!(
            (bad.result.text.as_str(), bad.is_success),
            ("answered 500", false)
        );
        let none = attempt_row(&attempt(None, "has no address"), ENGLISH);
        assert_eq!(
            (none.result.text.as_str(), none.is_success),
            ("has no address", false)
        );
    }

    #[test]
    fn a_delivery_is_described_in_the_language_of_the_page() {
        let twice = delivery(DeliveryState::Delivered, 2);
        assert_eq!(delivery_state(&twice, FRENCH).text, "livrée");
        assert_eq!(
            explanation(&twice, EndpointState::On, NOW, FRENCH),
            "Votre récepteur l’a acceptée après 2 tentatives."
        );
        let slow = proto::Attempt {
            status: Some(204),
            duration_ms: 1_204,
            ..proto::Attempt::default()
        };
        let slow = attempt_row(&slow, FRENCH);
        assert_eq!(slow.duration, "1\u{202f}204\u{a0}ms");
        assert_eq!(slow.result.text, "a répondu 204");
    }

    #[test]
    fn a_cancelled_delivery_says_why() {
        let mut cancelled_one = delivery(DeliveryState::Cancelled, 0);
        cancelled_one.last_attempt = Some(proto::Attempt {
            reason: "The listing is no longer published.".to_owned(),
            ..proto::Attempt::default()
        });
        let text = explanation(&cancelled_one, EndpointState::On, NOW, ENGLISH);
        assert_eq!(text, "It is not sent.");
        let reason = |language| cancelled(&cancelled_one, language).unwrap().text;
        assert_eq!(reason(ENGLISH), "The listing is no longer published.");
        assert_eq!(reason(FRENCH), "La fiche n’est plus publiée.");
        let failed = delivery(DeliveryState::Failed, 6);
        assert!(cancelled(&failed, FRENCH).is_none());
    }
}
