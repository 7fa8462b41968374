//! The headers of a delivery: those of the service and of Standard Webhooks (§6).

use uuid::Uuid;

use super::signature::Secret;

pub const AGENT: &str = "Mchezo-Webhooks/1";

/// Names and values, in the order in which they are sent.
pub type Headers = Vec<(&'static str, String)>;

/// A message before it is signed.
#[derive(Debug, Clone, Copy)]
pub struct UnsignedMessage<'a> {
    pub event: &'a str,
    /// The id of the message, the same in each attempt.
    pub id: Uuid,
    /// The signed time, in Unix seconds.
    pub timestamp: &'a str,
    pub body: &'a [u8],
}

/// The secrets of an endpoint.
#[derive(Debug, Clone, Copy)]
pub struct Secrets<'a> {
    pub current: &'a Secret,
    /// During a rotation: the secret that replaces `current`.
    pub next: Option<&'a Secret>,
}

/// Signs a message.
pub fn sign(message: UnsignedMessage<'_>, secrets: Secrets<'_>) -> Headers {
    let UnsignedMessage { event, id, timestamp, body } = message;
    let mut standard = secrets.current.sign_standard(id, timestamp, body);
    if let Some(next) = secrets.next {
        standard.push(' ');
        standard.push_str(&next.sign_standard(id, timestamp, body));
    }
    let signature = secrets.current.sign(timestamp, body);
    let mut headers = vec![
        ("content-type", "application/json".to_owned()),
        ("user-agent", AGENT.to_owned()),
        ("x-service-event", event.to_owned()),
        ("x-service-delivery", id.to_string()),
        ("x-service-timestamp", timestamp.to_owned()),
        ("x-service-signature", signature),
        ("webhook-id", id.to_string()),
        ("webhook-timestamp", timestamp.to_owned()),
        ("webhook-signature", standard),
    ];
    if let Some(next) = secrets.next {
        headers.push(("x-service-signature-next", next.sign(timestamp, body)));
    }
    headers
}
