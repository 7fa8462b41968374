//! States, attempts and samples of webhook-svc, in words.

use contracts::webhook::v1 as proto;
use contracts::webhook::v1::{DeliveryState, EndpointState, RuleVerdict};
use pages::webhooks::deliveries::{AttemptRow, DeliveryRow};
use pages::webhooks::{EventRow, SampleRow, StateLabel};
use pages::when;
use time::OffsetDateTime;

use crate::domain::json_text;
use crate::upstream::time_of;

/// The states that a list can be filtered by.
pub(super) const STATES: [(&str, DeliveryState); 4] = [
    ("waiting", DeliveryState::Waiting),
    ("delivered", DeliveryState::Delivered),
    ("failed", DeliveryState::Failed),
    ("cancelled", DeliveryState::Cancelled),
];

pub(super) fn endpoint_state(state: EndpointState) -> StateLabel {
    match state {
        EndpointState::On => StateLabel::good("on"),
        EndpointState::Paused => StateLabel::plain("paused"),
        EndpointState::Off => StateLabel::bad("switched off"),
        EndpointState::Unspecified => StateLabel::plain("not known"),
    }
}

pub(super) fn delivery_state(delivery: &proto::Delivery) -> StateLabel {
    match delivery.state() {
        DeliveryState::Waiting if delivery.tries > 0 => StateLabel::bad("retrying"),
        DeliveryState::Waiting => StateLabel::plain("waiting"),
        DeliveryState::Delivered => StateLabel::good("delivered"),
        DeliveryState::Failed => StateLabel::bad("failed"),
        DeliveryState::Cancelled => StateLabel::plain("cancelled"),
        DeliveryState::Unspecified => StateLabel::plain("not known"),
    }
}

/// The time of the next attempt; `now` if it has come.
fn due(delivery: &proto::Delivery, now: OffsetDateTime) -> Option<String> {
    let due = time_of(delivery.due_at)?;
    Some(if due > now {
        when::minute(due)
    } else {
        "now".to_owned()
    })
}

/// An explanation of a delivery's state for its owner.
pub(super) fn explanation(
    delivery: &proto::Delivery,
    endpoint: EndpointState,
    now: OffsetDateTime,
) -> String {
    let due = due(delivery, now);
    let tries = match delivery.tries {
        1 => "1 try".to_owned(),
        tries => format!("{tries} tries"),
    };
    match (delivery.state(), endpoint) {
        (DeliveryState::Waiting, EndpointState::Paused) => {
            "The address is paused: this is sent when you resume it.".to_owned()
        }
        (DeliveryState::Waiting, EndpointState::Off) => {
            "The address is switched off: this is sent when you resume it.".to_owned()
        }
        (DeliveryState::Waiting, _) if delivery.tries == 0 => "It is on its way.".to_owned(),
        (DeliveryState::Waiting, _) => match due {
            Some(due) if due == "now" => {
                "The last try has failed. It is being sent now.".to_owned()
            }
            Some(due) => format!("The last try has failed. The next one is at {due}, or sooner."),
            None => "The last try has failed. Another one follows.".to_owned(),
        },
        (DeliveryState::Delivered, _) => format!("Your receiver has it, after {tries}."),
        (DeliveryState::Failed, _) => {
            format!("It has failed after {tries}, and is not sent again unless you do.")
        }
        (DeliveryState::Cancelled, _) => {
            let reason = delivery.last_attempt.as_ref().map(|it| it.reason.as_str());
            format!("It is not sent. {}", reason.unwrap_or_default())
        }
        (DeliveryState::Unspecified, _) => String::new(),
    }
}

/// What the button *Send again* does.
pub(super) fn send_again(delivery: &proto::Delivery, endpoint: EndpointState) -> &'static str {
    match (endpoint, delivery.state()) {
        (EndpointState::Paused, _) => "The address is paused: the try is made when you resume it.",
        (EndpointState::Off, _) => {
            "The address is switched off: resume it before you send this again."
        }
        (_, DeliveryState::Waiting) => {
            "A try is made now. If one is running and fails, the next one follows at once."
        }
        (_, _) => "One try is made now. If it fails, no other follows.",
    }
}

/// The answer to an attempt, or the reason why there was none.
fn result(attempt: &proto::Attempt) -> String {
    match attempt.status {
        _ if !attempt.reason.is_empty() => attempt.reason.clone(),
        Some(status) => format!("answered {status}"),
        None => String::new(),
    }
}

pub(super) fn delivery_row(delivery: &proto::Delivery, now: OffsetDateTime) -> DeliveryRow {
    let made = time_of(delivery.created_at);
    DeliveryRow {
        id: delivery.id,
        created: made.map(when::second).unwrap_or_default(),
        event: delivery.event.clone(),
        state: delivery_state(delivery),
        tries: delivery.tries,
        answer: delivery
            .last_attempt
            .as_ref()
            .map(result)
            .unwrap_or_default(),
        due: due(delivery, now),
    }
}

/// How the newest deliveries ended, without those that wait; `None` if none has ended.
pub(super) fn recent(deliveries: &[proto::Delivery]) -> Option<String> {
    let count = |state| deliveries.iter().filter(|it| it.state() == state).count();
    let delivered = count(DeliveryState::Delivered);
    let failed = count(DeliveryState::Failed);
    match delivered + failed {
        0 => None,
        ended => Some(format!(
            "{delivered} of the newest {ended} arrived, {failed} failed"
        )),
    }
}

pub(super) fn attempt_row(attempt: &proto::Attempt) -> AttemptRow {
    AttemptRow {
        number: attempt.number,
        at: time_of(attempt.at).map(when::second).unwrap_or_default(),
        duration: milliseconds(attempt.duration_ms),
        result: result(attempt),
        is_success: attempt.reason.is_empty() && attempt.status.is_some(),
        has_status: attempt.status.is_some(),
        answer: String::from_utf8_lossy(&attempt.answer).into_owned(),
    }
}

/// `1,204 ms`.
pub(super) fn milliseconds(duration: u32) -> String {
    format!("{} ms", when::grouped(duration.into()))
}

pub(super) fn event_row(event: &proto::EventType) -> EventRow {
    let samples = event.samples.iter().map(|sample| SampleRow {
        id: format!("sample-{}-{}", event.name, sample.kind),
        kind: sample.kind.clone(),
        body: json_text::indented(&String::from_utf8_lossy(&sample.body)),
    });
    EventRow {
        name: event.name.clone(),
        description: event.description.clone(),
        samples: samples.collect(),
    }
}

/// The verdict on a rule. If the check can see only a part of a rule, the verdict says so.
pub(super) fn verdict(finding: &proto::RuleFinding) -> StateLabel {
    match finding.verdict() {
        RuleVerdict::Passed if finding.unseen.is_empty() => StateLabel::good("right"),
        RuleVerdict::Passed => StateLabel::good("right, as far as we can see"),
        RuleVerdict::Failed => StateLabel::bad("broken"),
        RuleVerdict::NotChecked | RuleVerdict::Unspecified => StateLabel::plain("not checked"),
    }
}

/// The verdict on all rules, and whether it is good.
pub(super) fn summary(findings: &[proto::RuleFinding]) -> (String, bool) {
    let count = |verdict| findings.iter().filter(|it| it.verdict() == verdict).count();
    let (broken, open) = (count(RuleVerdict::Failed), count(RuleVerdict::NotChecked));
    let broken_words = match broken {
        1 => "1 rule is broken.".to_owned(),
        broken => format!("{broken} rules are broken."),
    };
    match (broken, open) {
        (0, 0) => ("Every answer follows the six rules.".to_owned(), true),
        (0, open) => (
            format!("Nothing is broken, but {open} of the rules could not be checked."),
            false,
        ),
        (_, 0) => (broken_words, false),
        (_, open) => (
            format!("{broken_words} {open} could not be checked."),
            false,
        ),
    }
}

#[cfg(test)]
mod tests {
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

    /// Before the time of the next attempt.
    const NOW: OffsetDateTime = time::macros::datetime!(2026-11-23 12:04 UTC);

    #[test]
    fn a_try_whose_time_has_come_is_being_sent_now() {
        let waiting = delivery(DeliveryState::Waiting, 1);
        let later = NOW + time::Duration::minutes(2);
        let text = explanation(&waiting, EndpointState::On, later);
        assert!(text.ends_with("It is being sent now."), "{text}");
        assert_eq!(delivery_row(&waiting, later).due.as_deref(), Some("now"));
        let due = delivery_row(&waiting, NOW).due;
        assert_eq!(due.as_deref(), Some("2026-11-23 12:05 UTC"));
    }

    #[test]
    fn a_waiting_delivery_says_what_it_waits_for() {
        let waiting = |tries| delivery(DeliveryState::Waiting, tries);
        for (tries, endpoint, words) in [
            (0, EndpointState::On, "on its way"),
            (1, EndpointState::On, "2026-11-23 12:05 UTC"),
            (0, EndpointState::Paused, "paused"),
            (2, EndpointState::Off, "switched off"),
        ] {
            let text = explanation(&waiting(tries), endpoint, NOW);
            assert!(text.contains(words), "{text}");
        }
        assert_eq!(delivery_state(&waiting(0)).text, "waiting");
        assert_eq!(delivery_state(&waiting(1)).text, "retrying");
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
        let text = recent(&deliveries).unwrap();
        assert_eq!(text, "2 of the newest 3 arrived, 1 failed");
        assert_eq!(recent(&deliveries[3..]), None);
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
            let text = send_again(&delivery(state, 6), endpoint);
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
        let good = attempt_row(&attempt(Some(204), ""));
        assert_eq!(
            (good.result.as_str(), good.is_success),
            ("answered 204", true)
        );
        let bad = attempt_row(&attempt(Some(500), "answered 500"));
        assert_eq!(
            (bad.result.as_str(), bad.is_success),
            ("answered 500", false)
        );
        let none = attempt_row(&attempt(None, "has no address"));
        assert_eq!(
            (none.result.as_str(), none.is_success),
            ("has no address", false)
        );
    }

    #[test]
    fn a_report_is_good_only_if_every_rule_was_checked() {
        use RuleVerdict::{Failed, NotChecked, Passed};
        let findings = |verdicts: [RuleVerdict; 3]| {
            verdicts.map(|verdict| proto::RuleFinding {
                verdict: verdict.into(),
                ..proto::RuleFinding::default()
            })
        };
        assert!(summary(&findings([Passed, Passed, Passed])).1);
        for (verdicts, words) in [
            ([Passed, NotChecked, NotChecked], "2 of the rules could not"),
            ([Passed, Passed, Failed], "1 rule is broken."),
            (
                [Failed, Failed, NotChecked],
                "2 rules are broken. 1 could not",
            ),
        ] {
            let (text, is_good) = summary(&findings(verdicts));
            assert!(text.contains(words) && !is_good, "{text}");
        }
    }
}
