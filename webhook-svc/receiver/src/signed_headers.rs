//! The headers of a delivery, as the service sends them (§6).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{HeaderMap, HeaderName, HeaderValue};
use probes::Headers;
use sha2::Sha256;

use crate::signature::Secret;

/// A message before it is signed.
#[derive(Debug, Clone, Copy)]
pub struct UnsignedMessage<'a> {
    pub event: &'a str,
    /// The id of the message, the same in each attempt.
    pub id: &'a str,
    /// The signed time, in Unix seconds.
    pub timestamp: &'a str,
    pub body: &'a [u8],
    /// The value of `user-agent`.
    pub agent: &'a str,
}

/// Signs a message. Returns its headers.
pub fn sign(unsigned: UnsignedMessage<'_>, secret: &Secret) -> Headers {
    let UnsignedMessage {
        event,
        id,
        timestamp,
        body,
        agent,
    } = unsigned;
    vec![
        ("content-type", "application/json".to_owned()),
        ("user-agent", agent.to_owned()),
        ("x-service-event", event.to_owned()),
        ("x-service-delivery", id.to_owned()),
        ("x-service-timestamp", timestamp.to_owned()),
        ("x-service-signature", secret.sign(timestamp, body)),
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", timestamp.to_owned()),
        (
            "webhook-signature",
            sign_standard(secret, id, timestamp, body),
        ),
    ]
}

/// The headers for a request. A value that no header can have is left out.
pub fn to_map(headers: Headers) -> HeaderMap {
    let valid = headers.into_iter().filter_map(|(name, value)| {
        let value = HeaderValue::try_from(value).ok()?;
        Some((HeaderName::from_static(name), value))
    });
    valid.collect()
}

/// The signature of Standard Webhooks, which some receivers verify instead: keyed with the decoded bytes of the secret.
fn sign_standard(secret: &Secret, id: &str, timestamp: &str, body: &[u8]) -> String {
    let key = secret.reveal().rsplit("whsec_").next().unwrap_or_default();
    let key = STANDARD.decode(key).unwrap_or_default();
    let Ok(mut code) = Hmac::<Sha256>::new_from_slice(&key) else {
        unreachable!("HMAC takes a key of any length");
    };
    code.update(format!("{id}.{timestamp}.").as_bytes());
    code.update(body);
    format!("v1,{}", STANDARD.encode(code.finalize().into_bytes()))
}
