//! The headers of a delivery, as the service sends and signs them (§6).

use std::fmt::{self, Debug, Formatter};
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{HeaderMap, HeaderName, HeaderValue};
use sha2::Sha256;

/// Names and values, in the order in which they are sent.
pub(crate) type Headers = Vec<(&'static str, String)>;

/// A signing secret as the dashboard shows it. `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

/// The signing secrets of a receiver: one, or the old and the new one while the secret is rotated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Secrets {
    pub(crate) current: Secret,
    pub(crate) others: Vec<Secret>,
}

/// A message before it is signed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnsignedMessage<'a> {
    pub(crate) event: &'a str,
    /// The id of the message, the same in each attempt.
    pub(crate) id: &'a str,
    /// The signed time, in Unix seconds.
    pub(crate) timestamp: &'a str,
    pub(crate) body: &'a [u8],
    /// The value of `user-agent`.
    pub(crate) agent: &'a str,
}

impl FromStr for Secret {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let key = text.split_once("whsec_").map(|(_, key)| key);
        let is_base64 = |key: &str| !key.is_empty() && STANDARD.decode(key).is_ok();
        if !key.is_some_and(is_base64) {
            return Err(
                "give the whole signing secret as it was shown once: svc_whsec_ and 44 letters, digits, +, / and ="
                    .to_owned(),
            );
        }
        Ok(Self(text.to_owned()))
    }
}

impl Debug for Secret {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("svc_whsec_…")
    }
}

impl Secret {
    /// The empty text. The check signs with it; no receiver may accept it.
    pub(crate) const fn empty() -> Self {
        Self(String::new())
    }
}

impl FromStr for Secrets {
    type Err = String;

    /// Parses secrets with spaces between them.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        Ok(Self {
            current: words.next().unwrap_or_default().parse()?,
            others: words.map(str::parse).collect::<Result<_, _>>()?,
        })
    }
}

/// Signs a message. Returns its headers.
pub(crate) fn sign(unsigned: UnsignedMessage<'_>, secret: &Secret) -> Headers {
    let UnsignedMessage { event, id, timestamp, body, agent } = unsigned;
    // The whole secret is the key.
    let signature = code(secret.0.as_bytes(), &format!("{timestamp}."), body);
    // The key of Standard Webhooks, which some receivers verify instead, are the decoded bytes of the secret.
    let key = secret.0.rsplit("whsec_").next().unwrap_or_default();
    let key = STANDARD.decode(key).unwrap_or_default();
    let standard = code(&key, &format!("{id}.{timestamp}."), body);
    vec![
        ("content-type", "application/json".to_owned()),
        ("user-agent", agent.to_owned()),
        ("x-service-event", event.to_owned()),
        ("x-service-delivery", id.to_owned()),
        ("x-service-timestamp", timestamp.to_owned()),
        ("x-service-signature", hex::encode(signature)),
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", timestamp.to_owned()),
        ("webhook-signature", format!("v1,{}", STANDARD.encode(standard))),
    ]
}

/// The headers for a request. A value that no header can have is left out.
pub(crate) fn to_map(headers: Headers) -> HeaderMap {
    let valid = headers.into_iter().filter_map(|(name, value)| {
        let value = HeaderValue::try_from(value).ok()?;
        Some((HeaderName::from_static(name), value))
    });
    valid.collect()
}

fn code(key: &[u8], prefix: &str, body: &[u8]) -> Vec<u8> {
    let Ok(mut code) = Hmac::<Sha256>::new_from_slice(key) else {
        unreachable!("HMAC takes a key of any length");
    };
    code.update(prefix.as_bytes());
    code.update(body);
    code.finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use uuid::Uuid;
    use webhook::domain::signature::Secret as ServiceSecret;
    use webhook::domain::signed_headers;

    use super::*;

    const SECRET: &str = "svc_whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    /// Only `user-agent` may distinguish a pulled message from a delivered one.
    #[test]
    fn the_headers_equal_those_of_the_service() {
        let (id, body, timestamp) = (Uuid::from_u128(7), b"{\"id\": 7}", "1700000000");
        let secret = ServiceSecret::parse(SECRET).unwrap();
        let theirs = signed_headers::UnsignedMessage { event: "tip.paid", id, timestamp, body };
        let secrets = signed_headers::Secrets { current: &secret, next: None };
        let theirs: BTreeSet<(String, String)> = signed_headers::sign(theirs, secrets)
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        let ours = UnsignedMessage {
            event: "tip.paid",
            id: &id.to_string(),
            timestamp,
            body,
            agent: "Mchezo-Webhooks/1",
        };
        let ours = sign(ours, &SECRET.parse().unwrap()).into_iter();
        let ours: BTreeSet<(String, String)> =
            ours.map(|(name, value)| (name.to_owned(), value)).collect();
        assert_eq!(ours, theirs);
    }

    #[test]
    fn a_malformed_secret_is_refused_and_debug_hides_it() {
        let secret: Secret = SECRET.parse().unwrap();
        assert_eq!(format!("{secret:?}"), "svc_whsec_…");
        for bad in ["", " ", "whsec", "svc_whsec_", "svc_whsec_…", "svc_whsec_YQ"] {
            assert!(bad.parse::<Secret>().is_err(), "{bad}");
            assert!(bad.parse::<Secrets>().is_err(), "{bad}");
        }
        let both: Secrets = format!("{SECRET} svc_whsec_YQ==").parse().unwrap();
        assert_eq!((both.current, both.others.len()), (secret, 1));
    }
}
