//! The messages of a check. Each is signed when it is sent, since a check takes some seconds and the receiver compares the times.

use contracts::public::Timestamp;
use probes::{OTHER_SECRET, PING, Probe, Tampering, UNKNOWN_EVENT};
use time::OffsetDateTime;
use uuid::Uuid;

use super::Rule;
use crate::domain::signature::Secret;
use crate::domain::signed_headers::{self, Headers, Secrets, UnsignedMessage};

/// The message of a probe.
#[derive(Debug, Clone)]
pub struct ProbeMessage {
    pub probe: Probe,
    id: Uuid,
    body: Vec<u8>,
}

impl Rule {
    /// The messages of this rule, in the order in which they are sent.
    pub fn messages(self, now: OffsetDateTime, new_id: fn() -> Uuid) -> Vec<ProbeMessage> {
        let message = |probe: &Probe| ProbeMessage::new(*probe, new_id(), now);
        match self {
            Self::RawBody => probes::RAW_BODIES.iter().map(message).collect(),
            Self::Signature => probes::SIGNATURES.iter().map(message).collect(),
            // What is JSON and no message must not break the receiver either.
            Self::NotJson => {
                let probes = probes::NOT_JSON.iter().chain(probes::ODD_BODIES);
                probes.map(message).collect()
            }
            Self::HandledId => {
                let first = message(&PING);
                let mut again = first.clone();
                again.probe.name = "the same ping again";
                vec![first, again]
            }
            Self::PromptAnswer => vec![message(&PING)],
            Self::UnknownEvent => vec![message(&UNKNOWN_EVENT)],
        }
    }
}

impl ProbeMessage {
    fn new(probe: Probe, id: Uuid, now: OffsetDateTime) -> Self {
        let created_at = serde_json::to_string(&Timestamp(now)).unwrap_or_default();
        let created_at = created_at.trim_matches('"');
        Self {
            probe,
            id,
            body: (probe.body)(&id.to_string(), created_at),
        }
    }

    /// Signs the message, and tampers with it. Returns its headers and its body.
    pub fn signed(&self, secrets: Secrets<'_>, now: OffsetDateTime) -> (Headers, Vec<u8>) {
        let now = now.unix_timestamp();
        let mut body = self.body.clone();
        let message = UnsignedMessage {
            event: self.probe.event,
            id: self.id,
            timestamp: &self.probe.time.timestamp(now),
            body: &body,
        };
        let other = match self.probe.tampering {
            Tampering::OtherSecret => Secret::parse(OTHER_SECRET),
            Tampering::EmptySecret => Some(Secret::empty()),
            _ => None,
        };
        let secrets = match &other {
            Some(current) => Secrets {
                current,
                next: None,
            },
            None => secrets,
        };
        let mut headers = signed_headers::sign(message, secrets);
        self.probe.tampering.apply(&mut headers, &mut body, now);
        (headers, body)
    }
}

#[cfg(test)]
mod tests {
    use serde::de::IgnoredAny;
    use serde_json::Value;
    use strum::VariantArray as _;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

    fn value<'a>(headers: &'a Headers, name: &str) -> Option<&'a str> {
        let found = headers.iter().find(|(it, _)| *it == name);
        found.map(|(_, value)| value.as_str())
    }

    #[test]
    fn every_body_but_those_that_shall_not_be_is_json() {
        for &rule in Rule::VARIANTS {
            for message in rule.messages(NOW, || Uuid::from_u128(1)) {
                // Half of a surrogate pair is JSON too, though no text of Rust can have it.
                let text = std::str::from_utf8(&message.body).ok();
                let is_json =
                    text.is_some_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok());
                let expected = rule != Rule::NotJson || message.probe.is_odd;
                assert_eq!(is_json, expected, "{message:?}");
                if rule != Rule::NotJson {
                    let body: Value = serde_json::from_slice(&message.body).unwrap();
                    assert_eq!(body["id"], Uuid::from_u128(1).to_string());
                    assert_eq!(body["event"], message.probe.event);
                    assert_eq!(body["created_at"], "2026-03-01T08:00:00.000Z");
                }
            }
        }
    }

    #[test]
    fn only_an_untampered_message_has_the_right_signature() {
        let (current, next) = (Secret::generate(), Secret::generate());
        let secrets = Secrets {
            current: &current,
            next: Some(&next),
        };
        for &rule in Rule::VARIANTS {
            for message in rule.messages(NOW, Uuid::max) {
                let (headers, body) = message.signed(secrets, NOW);
                let probe = message.probe;
                let time = value(&headers, "x-service-timestamp");
                let time: Option<i64> = time.and_then(|time| time.parse().ok());
                let is_recent = time.is_some_and(|time| (NOW.unix_timestamp() - time).abs() <= 300);
                let is_signed = [
                    (
                        "x-service-signature",
                        current.sign(time.unwrap_or(0), &body),
                    ),
                    (
                        "x-service-signature-next",
                        next.sign(time.unwrap_or(0), &body),
                    ),
                ]
                .map(|(name, signature)| value(&headers, name) == Some(&signature));
                let is_good = is_recent && is_signed == [true, true];
                assert_eq!(is_good, probe.expected_status != 401, "{}", probe.name);
                let standard = value(&headers, "webhook-signature").unwrap_or_default();
                for secret in [&current, &next] {
                    let whole = secret.sign_standard(message.id, time.unwrap_or(0), &body);
                    let is_good = is_recent && standard.contains(&whole);
                    assert_eq!(is_good, probe.expected_status != 401, "{}", probe.name);
                }
            }
        }
    }
}
