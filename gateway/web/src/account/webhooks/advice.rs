//! What the owner of a receiver can change after an attempt has failed.

use contracts::webhook::v1 as proto;
use contracts::webhook::v1::DeliveryState;

const REDIRECT: &str = "Redirects are not followed. Change the address to the one that your server redirects to. Often it differs by a slash at the end, or by www.";
const SIGNATURE: &str = "Your receiver refused the signature or the time. Most often it has another secret, or a part of it: the secret begins with svc_whsec_, and an equals sign at its end belongs to it. Verify the bytes of the body as they came, and see that the clock of your server is right: a message is good for five minutes.";
const PATH: &str = "Nothing takes a POST at this path. Compare the path of the address with the route of your receiver, and let the route take POST.";
const GONE: &str = "410 says that the address is gone for good, so it was switched off. If you did not mean that, let your receiver answer otherwise, then resume the address.";
const TOO_MANY: &str = "Your receiver wants fewer messages at once. Set a limit of deliveries per second on the address.";
const REFUSED: &str = "Your receiver refused the message. Its words below and its log say why. It should answer 2xx to every message with a good signature, also to events that it does not know.";
const BROKEN: &str = "Your receiver failed, or a proxy in front of it did; the log says why. Verify and store the message, answer 2xx, and do the work afterwards.";
const OTHER_STATUS: &str = "Let your receiver answer with a status from 200 to 299.";
const SLOW: &str = "Your receiver took too long. Verify and store the message, answer 2xx at once, and do the work afterwards.";
const CERTIFICATE: &str = "The certificate of your server is not accepted. Serve a valid one for this host name, with all certificates between it and its authority.";
const NAME: &str = "The name of the host does not lead to a public address. Look at its DNS records, and at the address for a typing error.";
const PORT: &str = "Your server takes no connections on port 443. See that it runs, and that no firewall refuses ours.";
const CLOSED: &str = "Your server closed the connection. See that the receiver runs, and that a proxy in front of it waits long enough.";
const ADDRESS: &str = "Give the address again: public https with a host name.";

/// The advice for the last attempt of a delivery, if that failed.
pub(in crate::account) fn of_delivery(delivery: &proto::Delivery) -> Option<&'static str> {
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
            assert_eq!(of_delivery(&delivery), Some(advice), "{status}");
        }
    }

    #[test]
    fn a_missing_answer_says_what_to_change() {
        for (reason, advice) in [
            ("did not answer within 8 seconds", SLOW),
            ("TLS certificate is not valid: it has expired", CERTIFICATE),
            ("TLS failed: no protocol in common", CERTIFICATE),
            (
                "could not resolve the name a.example: it has no address",
                NAME,
            ),
            ("a.example does not resolve to a public address", NAME),
            ("refused the connection", PORT),
            ("did not accept a connection in time", PORT),
            ("closed the connection before it answered", CLOSED),
        ] {
            assert_eq!(of_delivery(&failed(None, reason)), Some(advice), "{reason}");
        }
        assert_eq!(of_delivery(&failed(None, "its answer is not HTTP")), None);
    }

    #[test]
    fn a_success_needs_no_advice() {
        let mut delivery = failed(Some(500), "answered 500");
        delivery.set_state(DeliveryState::Delivered);
        assert_eq!(of_delivery(&delivery), None);
        let waiting = proto::Delivery {
            state: DeliveryState::Waiting.into(),
            ..proto::Delivery::default()
        };
        assert_eq!(of_delivery(&waiting), None, "nothing was tried");
    }
}
