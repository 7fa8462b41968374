//! What the owner of a receiver can change after an attempt has failed.

use contracts::webhook::v1 as proto;
use contracts::webhook::v1::DeliveryState;

use crate::page_language::PageLanguage;

// The keys of texts.
const REDIRECT: &str = "delivery-advice-redirect";
const SIGNATURE: &str = "delivery-advice-signature";
const PATH: &str = "delivery-advice-path";
const GONE: &str = "delivery-advice-gone";
const TOO_MANY: &str = "delivery-advice-too-many";
const REFUSED: &str = "delivery-advice-refused";
const BROKEN: &str = "delivery-advice-broken";
const OTHER_STATUS: &str = "delivery-advice-status";
const SLOW: &str = "delivery-advice-slow";
const CERTIFICATE: &str = "delivery-advice-certificate";
const NAME: &str = "delivery-advice-name";
const PORT: &str = "delivery-advice-port";
const CLOSED: &str = "delivery-advice-closed";
const ADDRESS: &str = "delivery-advice-address";

/// The advice for the last attempt of a delivery, if that failed.
pub(in crate::account) fn of_delivery(
    delivery: &proto::Delivery,
    language: PageLanguage,
) -> Option<&'static str> {
    key_of_delivery(delivery).map(|key| language.say(key))
}

fn key_of_delivery(delivery: &proto::Delivery) -> Option<&'static str> {
    let is_open = matches!(
        delivery.state(),
        DeliveryState::Waiting | DeliveryState::Failed
    );
    let attempt = delivery.last_attempt.as_ref().filter(|_| is_open)?;
    of_attempt(attempt)
}

/// webhook-svc gives the reason in words, which begin like these (`webhook-svc/src/http/reason.rs`).
fn of_attempt(attempt: &proto::Attempt) -> Option<&'static str> {
    let reason = attempt.reason.as_str();
    if reason.is_empty() {
        return None;
    }
    if let Some(status) = attempt.status {
        return Some(of_status(status));
    }
    let begins = |words: &[&str]| words.iter().any(|word| reason.starts_with(word));
    Some(if begins(&["did not answer within"]) {
        SLOW
    } else if begins(&["TLS"]) {
        CERTIFICATE
    } else if begins(&["could not resolve"]) || reason.contains("does not resolve") {
        NAME
    } else if begins(&[
        "refused the connection",
        "did not accept",
        "could not be reached",
    ]) {
        PORT
    } else if begins(&["has an address that is not allowed"]) {
        ADDRESS
    } else if begins(&["closed the connection"]) {
        CLOSED
    } else {
        return None;
    })
}

fn of_status(status: u32) -> &'static str {
    match status {
        300..=399 => REDIRECT,
        401 | 403 => SIGNATURE,
        404 | 405 => PATH,
        410 => GONE,
        429 => TOO_MANY,
        400..=499 => REFUSED,
        500..=599 => BROKEN,
        _ => OTHER_STATUS,
    }
}

#[cfg(test)]
mod tests {
    use pages::site::{Language, Texts};

    use super::*;

    fn failed(status: Option<u32>, reason: &str) -> proto::Delivery {
        proto::Delivery {
            state: DeliveryState::Failed.into(),
            last_attempt: Some(proto::Attempt {
                status,
                reason: reason.to_owned(),
                ..proto::Attempt::default()
            }),
            ..proto::Delivery::default()
        }
    }

    #[test]
    fn a_status_says_what_to_change() {
        for (status, advice) in [
            (301, REDIRECT),
            (401, SIGNATURE),
            (403, SIGNATURE),
            (404, PATH),
            (405, PATH),
            (410, GONE),
            (422, REFUSED),
            (429, TOO_MANY),
            (500, BROKEN),
            (503, BROKEN),
        ] {
            let delivery = failed(Some(status), &format!("answered {status}"));
            assert_eq!(key_of_delivery(&delivery), Some(advice), "{status}");
        }
    }

    #[test]
    fn a_missing_answer_says_what_to_change() {
        for (reason, advice) in [
            ("did not answer within 8 seconds", SLOW),
            ("TLS certificate is not valid: it has expired", CERTIFICATE),
            ("TLS failed: no protocol in common", CERTIFICATE),
            ("could not resolve the name a.example", NAME),
            ("a.example does not resolve to a public address", NAME),
            ("refused the connection", PORT),
            ("did not accept a connection in time", PORT),
            ("closed the connection before it answered", CLOSED),
        ] {
            assert_eq!(
                key_of_delivery(&failed(None, reason)),
                Some(advice),
                "{reason}"
            );
        }
        assert_eq!(
            key_of_delivery(&failed(None, "its answer is not HTTP")),
            None
        );
    }

    #[test]
    fn the_advice_about_a_port_names_no_other_one() {
        for language in Language::ALL {
            // A local fleet permits other ports than 443.
            let text = Texts::of(language).say(PORT);
            assert!(!text.contains(|c: char| c.is_ascii_digit()), "{text}");
        }
    }

    #[test]
    fn a_success_needs_no_advice() {
        let mut delivery = failed(Some(500), "answered 500");
        delivery.set_state(DeliveryState::Delivered);
        assert_eq!(key_of_delivery(&delivery), None);
        let waiting = proto::Delivery {
            state: DeliveryState::Waiting.into(),
            ..proto::Delivery::default()
        };
        assert_eq!(key_of_delivery(&waiting), None, "nothing was tried");
    }
}
