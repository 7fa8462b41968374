//! Signatures of messages: `x-service-signature` and those of Standard Webhooks (§6).

use std::fmt::{self, Debug, Display, Formatter};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use uuid::Uuid;

/// The prefix of every secret's text.
const PREFIX: &str = "svc_whsec_";
/// Length of a secret in bytes.
const BYTES: usize = 32;

/// A signing secret: `svc_whsec_` and the standard base64 of 32 random bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    text: String,
    key: [u8; BYTES],
}

impl Secret {
    pub fn generate() -> Self {
        Self::from(rand::random::<[u8; BYTES]>())
    }

    /// Parses the text of a secret.
    pub fn parse(text: &str) -> Option<Self> {
        let decoded = STANDARD.decode(text.strip_prefix(PREFIX)?).ok()?;
        let key = decoded.try_into().ok()?;
        Some(Self { text: text.to_owned(), key })
    }

    /// The whole text.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// `x-service-signature`: hex HMAC-SHA256 of the timestamp, a dot and the body, keyed with the whole text of the secret.
    pub fn sign(&self, timestamp: impl Display, body: &[u8]) -> String {
        let head = format!("{timestamp}.");
        hex::encode(hmac(self.text.as_bytes(), [head.as_bytes(), body]))
    }

    /// A signature of `webhook-signature`: `v1,` and the base64 HMAC-SHA256 of id, timestamp and body with dots between, keyed with the
    /// decoded bytes of the secret.
    pub fn sign_standard(&self, id: Uuid, timestamp: impl Display, body: &[u8]) -> String {
        let head = format!("{id}.{timestamp}.");
        let code = hmac(&self.key, [head.as_bytes(), body]);
        format!("v1,{}", STANDARD.encode(code))
    }
}

impl From<[u8; BYTES]> for Secret {
    fn from(key: [u8; BYTES]) -> Self {
        Self { text: format!("{PREFIX}{}", STANDARD.encode(key)), key }
    }
}

impl Debug for Secret {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}…")
    }
}

fn hmac(key: &[u8], parts: [&[u8]; 2]) -> [u8; 32] {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        unreachable!("HMAC takes a key of any length");
    };
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_secret_is_parsed_from_its_text_and_hidden_from_debug() {
        let secret = Secret::generate();
        assert_eq!(secret.reveal().len(), PREFIX.len() + 44);
        assert_eq!(Secret::parse(secret.reveal()), Some(secret.clone()));
        assert_ne!(Secret::generate(), secret);
        assert_eq!(format!("{secret:?}"), "svc_whsec_…");
    }

    #[test]
    fn a_malformed_secret_is_not_parsed() {
        let good = Secret::from([7; BYTES]).reveal().to_owned();
        for bad in [
            "",
            "svc_whsec_",
            good.strip_prefix("svc_").unwrap(),
            good.trim_end_matches('='),
            &good.to_uppercase(),
            &format!("{good}="),
            &format!("{good}\n"),
            &format!("svc_whsec_{}", STANDARD.encode([7; 31])),
            &format!("svc_whsec_{}", STANDARD.encode([7; 33])),
        ] {
            assert_eq!(Secret::parse(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_key_reads_back(key: [u8; BYTES]) {
            let secret = Secret::from(key);
            prop_assert_eq!(Secret::parse(secret.reveal()), Some(secret));
        }
    }
}
