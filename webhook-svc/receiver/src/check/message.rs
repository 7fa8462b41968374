//! The messages of a check: signed like the service's, then tampered with.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use uuid::Uuid;

use crate::clock::now;
use crate::signature::Secret;
use crate::signed_headers::{self, Unsigned};

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
    pub(super) fn of(event: &str) -> Self {
        Self::with_body(event, |id| {
            format!(
                r#"{{"id":"{id}","event":"{event}","created_at":"2026-01-01T00:00:00.000Z","data":{{"kind":"game","slug":"webhook-check","name":"A message of webhook-check","url":"https://mchezo.example/games/webhook-check","api":"/games/webhook-check"}}}}"#
            )
        })
    }

    /// A message with any body.
    pub(super) fn with_body(event: &str, body: impl Fn(Uuid) -> String) -> Self {
        let id = new_id();
        Self {
            id,
            event: event.to_owned(),
            body: body(id).into(),
        }
    }

    /// Signs the message with the current time.
    pub(super) fn signed(&self, secret: &Secret) -> Signed {
        self.signed_at(secret, &now().to_string())
    }

    /// Signs the message with this timestamp.
    pub(super) fn signed_at(&self, secret: &Secret, timestamp: &str) -> Signed {
        let unsigned = Unsigned {
            event: &self.event,
            id: &self.id.to_string(),
            timestamp,
            body: &self.body,
            agent: "webhook-check/1",
        };
        Signed {
            headers: signed_headers::sign(unsigned, secret),
            body: self.body.clone(),
        }
    }
}

impl Signed {
    /// Sets a header, or removes it if the value is not valid.
    pub(super) fn set(&mut self, name: &'static str, value: &str) {
        let name = HeaderName::from_static(name);
        match HeaderValue::from_bytes(value.as_bytes()) {
            Ok(value) => drop(self.headers.insert(name, value)),
            Err(_) => drop(self.headers.remove(name)),
        }
    }

    /// Sets both timestamps, and leaves the signatures unchanged.
    pub(super) fn set_timestamp(&mut self, value: &str) {
        self.set("x-service-timestamp", value);
        self.set("webhook-timestamp", value);
    }

    /// Changes the text of both signatures.
    pub(super) fn change_signatures(&mut self, change: impl Fn(&str) -> String) {
        for name in ["x-service-signature", "webhook-signature"] {
            let value = self.headers.get(name).and_then(|value| value.to_str().ok());
            let changed = change(value.unwrap_or_default());
            self.set(name, &changed);
        }
    }

    /// Removes headers.
    pub(super) fn without(&mut self, names: [&str; 2]) {
        for name in names {
            self.headers.remove(name);
        }
    }
}
