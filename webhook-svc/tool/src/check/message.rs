//! The messages of a check, signed like the service's.

use bytes::Bytes;
use http::HeaderMap;
use uuid::Uuid;

use super::table::Probe;
use super::tampering::{OTHER_SECRET, Tampering};
use crate::clock::now;
use crate::signature::{self, Secret, UnsignedMessage};

/// When the change was that a message announces.
const CREATED_AT: &str = "2026-01-01T00:00:00.000Z";
const AGENT: &str = "webhook/1";

/// An unsigned message.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) id: Uuid,
    event: String,
    body: Bytes,
}

/// A message with its headers.
#[derive(Debug, Clone)]
pub(super) struct Signed {
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

#[expect(
    clippy::disallowed_methods,
    reason = "a program of its own: the ids of the fleet are not here"
)]
fn new_id() -> Uuid {
    Uuid::new_v4()
}

impl Message {
    /// A message with this event, about a game that does not exist.
    pub(super) fn new(event: &str) -> Self {
        let id = new_id();
        let body = format!(
            r#"{{"id":"{id}","event":"{event}","created_at":"{CREATED_AT}","data":{{"kind":"game","slug":"webhook-check","name":"A message of webhook check","url":"https://mchezo.example/games/webhook-check","api":"/games/webhook-check"}}}}"#
        );
        Self { id, event: event.to_owned(), body: body.into() }
    }

    /// Signs the message with the current time.
    pub(super) fn signed(&self, secret: &Secret) -> Signed {
        let unsigned = UnsignedMessage {
            event: &self.event,
            id: &self.id.to_string(),
            timestamp: &now().to_string(),
            body: &self.body,
            agent: AGENT,
        };
        Signed {
            headers: signature::to_map(signature::sign(unsigned, secret)),
            body: self.body.clone(),
        }
    }
}

impl Signed {
    /// The message of a probe, signed and tampered with.
    pub(super) fn from_probe(probe: &Probe, secret: &Secret) -> Self {
        let (id, now) = (new_id().to_string(), now());
        let mut body = (probe.body)(&id, CREATED_AT);
        let unsigned = UnsignedMessage {
            event: probe.event,
            id: &id,
            timestamp: &probe.time.timestamp(now),
            body: &body,
            agent: AGENT,
        };
        let other: Option<Secret> = match probe.tampering {
            Tampering::OtherSecret => OTHER_SECRET.parse().ok(),
            Tampering::EmptySecret => Some(Secret::empty()),
            _ => None,
        };
        let mut headers = signature::sign(unsigned, other.as_ref().unwrap_or(secret));
        probe.tampering.apply(&mut headers, &mut body, now);
        Self { headers: signature::to_map(headers), body: body.into() }
    }
}
