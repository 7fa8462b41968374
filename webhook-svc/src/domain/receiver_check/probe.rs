//! The messages of a check.
//!
//! Most are pings, whose work does no harm. A message is signed when it is sent, since a check takes some seconds and the receiver compares the
//! times.

use contracts::public::Timestamp;
use time::OffsetDateTime;
use uuid::Uuid;

use super::Rule;
use crate::domain::event::Event;
use crate::domain::signature::Secret;
use crate::domain::signed_headers::{self, Headers, Secrets, Unsigned};

const TEXT: &str = "A check of your receiver.";
/// An event that no receiver knows.
const UNKNOWN_EVENT: &str = "check.unknown";

/// A test message, and the answer that its rule asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// What is special about the message.
    pub title: &'static str,
    pub expected_status: u16,
    event: &'static str,
    id: Uuid,
    body: String,
    /// Seconds from now to the signed time.
    offset: i64,
    tampering: Tampering,
}

/// What happens to a message after it is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tampering {
    None,
    NoTimestamp,
    NoSignature,
    HalfSignature,
    /// The signature is made with a secret that the receiver does not have.
    OtherSecret,
    ChangedBody,
}

impl Rule {
    /// The messages of this rule, in the order in which they are sent.
    pub fn probes(self, now: OffsetDateTime, new_id: fn() -> Uuid) -> Vec<Probe> {
        let ping = |title| Probe::ping(title, new_id(), now);
        match self {
            Self::RawBody => raw_bodies(now, new_id),
            Self::Signature => vec![
                ping("a message without a timestamp").refused(Tampering::NoTimestamp),
                ping("a message signed 310 seconds ago").refused_at(-310),
                ping("a message signed 310 seconds ahead").refused_at(310),
                ping("a message without a signature").refused(Tampering::NoSignature),
                ping("a message with half a signature").refused(Tampering::HalfSignature),
                ping("a message signed with another secret").refused(Tampering::OtherSecret),
                ping("a message changed after it was signed").refused(Tampering::ChangedBody),
                Probe {
                    offset: -240,
                    ..ping("a message signed 240 seconds ago")
                },
            ],
            Self::NotJson => ["not JSON", "{\"id\":\"1\","].map(not_json(new_id)).into(),
            Self::HandledId => {
                let first = ping("a ping");
                let again = Probe {
                    title: "the same ping again",
                    ..first.clone()
                };
                vec![first, again]
            }
            Self::PromptAnswer => vec![ping("a ping")],
            Self::UnknownEvent => {
                let (id, time) = (new_id(), created_at(now));
                let body = format!(
                    r#"{{"id":"{id}","event":"{UNKNOWN_EVENT}","created_at":{time},"data":{{"message":"{TEXT}"}}}}"#
                );
                vec![Probe {
                    event: UNKNOWN_EVENT,
                    ..Probe::new("an event that nobody knows", id, body)
                }]
            }
        }
    }
}

impl Probe {
    fn new(title: &'static str, id: Uuid, body: String) -> Self {
        Self {
            title,
            expected_status: 200,
            event: Event::Ping.as_str(),
            id,
            body,
            offset: 0,
            tampering: Tampering::None,
        }
    }

    fn ping(title: &'static str, id: Uuid, now: OffsetDateTime) -> Self {
        let time = created_at(now);
        let body = format!(
            r#"{{"id":"{id}","event":"ping","created_at":{time},"data":{{"message":"{TEXT}"}}}}"#
        );
        Self::new(title, id, body)
    }

    fn refused(self, tampering: Tampering) -> Self {
        Self {
            expected_status: 401,
            tampering,
            ..self
        }
    }

    fn refused_at(self, offset: i64) -> Self {
        Self {
            expected_status: 401,
            offset,
            ..self
        }
    }

    /// Signs the message. Returns its headers and its body.
    pub fn signed(&self, secrets: Secrets<'_>, now: OffsetDateTime) -> (Headers, Vec<u8>) {
        let mut body = self.body.clone().into_bytes();
        let other = Secret::generate();
        let secrets = match self.tampering {
            Tampering::OtherSecret => Secrets {
                current: &other,
                next: None,
            },
            _ => secrets,
        };
        let message = Unsigned {
            event: self.event,
            id: self.id,
            timestamp: now.unix_timestamp() + self.offset,
            body: &body,
        };
        let mut headers = signed_headers::sign(message, secrets);
        let is_signature = |name: &str| name.contains("signature");
        match self.tampering {
            Tampering::None | Tampering::OtherSecret => {}
            Tampering::NoTimestamp => headers.retain(|(name, _)| !name.contains("timestamp")),
            Tampering::NoSignature => headers.retain(|(name, _)| !is_signature(name)),
            Tampering::HalfSignature => {
                for (_, value) in headers.iter_mut().filter(|(name, _)| is_signature(name)) {
                    // Of two signatures in one header, the first is halved and the second is gone.
                    let whole = value.split(' ').next().unwrap_or_default().len();
                    value.truncate(whole / 2);
                }
            }
            Tampering::ChangedBody => body.push(b' '),
        }
        (headers, body)
    }
}

/// Bodies that a JSON parser and serializer would write in another way.
fn raw_bodies(now: OffsetDateTime, new_id: fn() -> Uuid) -> Vec<Probe> {
    type Body = fn(Uuid, &str) -> String;
    let bodies: [(&str, Body); 4] = [
        ("a body with spaces and line breaks", |id, time| {
            format!(
                "{{ \"id\" : \"{id}\",\n\t\"event\": \"ping\" , \"created_at\": {time}, \"data\":{{ \"message\": \"{TEXT}\" }} }}\r\n"
            )
        }),
        ("a body with its keys in another order", |id, time| {
            format!(
                r#"{{"data":{{"message":"{TEXT}"}},"created_at":{time},"event":"ping","id":"{id}"}}"#
            )
        }),
        ("a body with escapes", |id, time| {
            format!(
                r#"{{"id":"{id}","event":"\u0070ing","created_at":{time},"data":{{"message":"\u00e9\/\u2713"}}}}"#
            )
        }),
        ("a body that is not ASCII, with odd numbers", |id, time| {
            format!(
                r#"{{"id":"{id}","event":"ping","created_at":{time},"data":{{"message":"Habari, dünya ✓","n":[1.0,1e2,-0]}}}}"#
            )
        }),
    ];
    let time = created_at(now);
    let probe = |(title, body): (&'static str, Body)| {
        let id = new_id();
        Probe::new(title, id, body(id, &time))
    };
    bodies.map(probe).into()
}

fn not_json(new_id: fn() -> Uuid) -> impl Fn(&str) -> Probe {
    move |body| {
        let title = if body.starts_with('{') {
            "half a JSON object"
        } else {
            "a text that is not JSON"
        };
        Probe {
            expected_status: 400,
            ..Probe::new(title, new_id(), body.to_owned())
        }
    }
}

/// The time as a JSON string.
fn created_at(now: OffsetDateTime) -> String {
    serde_json::to_string(&Timestamp(now)).unwrap_or_else(|_out_of_range| "\"\"".to_owned())
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

    fn value<'a>(headers: &'a Headers, name: &str) -> Option<&'a str> {
        let found = headers.iter().find(|(it, _)| *it == name);
        found.map(|(_, value)| value.as_str())
    }

    #[test]
    fn every_body_but_those_that_shall_not_be_is_json() {
        for rule in Rule::ALL {
            for probe in rule.probes(NOW, || Uuid::from_u128(1)) {
                let parsed: Result<serde_json::Value, _> = serde_json::from_str(&probe.body);
                assert_eq!(parsed.is_ok(), rule != Rule::NotJson, "{}", probe.body);
                if let Ok(body) = parsed {
                    assert_eq!(body["id"], Uuid::from_u128(1).to_string());
                    assert_eq!(body["event"], probe.event);
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
        for rule in Rule::ALL {
            for probe in rule.probes(NOW, Uuid::max) {
                let (headers, body) = probe.signed(secrets, NOW);
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
                assert_eq!(is_good, probe.expected_status != 401, "{}", probe.title);
                let standard = value(&headers, "webhook-signature").unwrap_or_default();
                for secret in [&current, &next] {
                    let whole = secret.sign_standard(probe.id, time.unwrap_or(0), &body);
                    let is_good = is_recent && standard.contains(&whole);
                    assert_eq!(is_good, probe.expected_status != 401, "{}", probe.title);
                }
            }
        }
    }
}
