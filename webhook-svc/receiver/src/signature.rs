//! The service's signature: HMAC-SHA256 of the timestamp, a dot and the raw body, keyed with the whole signing secret.

use std::fmt::{self, Debug, Formatter};
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::HeaderMap;
use sha2::Sha256;

/// Maximum difference of a timestamp from now, in seconds.
const TOLERANCE: u64 = 300;

/// A signing secret as the dashboard shows it. `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// The signing secrets of a receiver: one, or the old and the new one while the secret is rotated. `Debug` hides them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secrets {
    pub current: Secret,
    pub others: Vec<Secret>,
}

/// The headers with signatures. During a rotation, the second one is made with the new secret.
const SIGNATURES: [&str; 2] = ["x-service-signature", "x-service-signature-next"];

/// Why a message is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    #[error("x-service-timestamp is missing or not a number of seconds")]
    NoTimestamp,
    #[error("its timestamp differs from this machine's clock by more than 300 seconds")]
    WrongTime,
    #[error(
        "its signature does not match this secret: does another endpoint send to this address?"
    )]
    WrongSignature,
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
    pub const fn empty() -> Self {
        Self(String::new())
    }

    /// The whole text.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The signature of a message.
    pub fn sign(&self, timestamp: &str, body: &[u8]) -> String {
        hex::encode(self.code(timestamp, body).finalize().into_bytes())
    }

    fn code(&self, timestamp: &str, body: &[u8]) -> Hmac<Sha256> {
        let Ok(mut code) = Hmac::<Sha256>::new_from_slice(self.0.as_bytes()) else {
            unreachable!("HMAC takes a key of any length");
        };
        code.update(timestamp.as_bytes());
        code.update(b".");
        code.update(body);
        code
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

impl Secrets {
    /// Verifies the timestamp and the signature of a message.
    ///
    /// # Errors
    /// Why the message is rejected.
    pub fn verify(&self, headers: &HeaderMap, body: &[u8], now: i64) -> Result<(), VerifyError> {
        let text = |name: &str| headers.get(name)?.to_str().ok();
        let timestamp = text("x-service-timestamp").ok_or(VerifyError::NoTimestamp)?;
        let seconds: i64 = timestamp.parse().ok().ok_or(VerifyError::NoTimestamp)?;
        if now.abs_diff(seconds) > TOLERANCE {
            return Err(VerifyError::WrongTime);
        }
        let signatures = SIGNATURES.map(|name| text(name).and_then(|it| hex::decode(it).ok()));
        let is_signed = |secret: &Secret| {
            let code = secret.code(timestamp, body);
            // Compares in constant time.
            let is_good = |it: &Vec<u8>| code.clone().verify_slice(it).is_ok();
            signatures.iter().flatten().any(is_good)
        };
        let mut secrets = std::iter::once(&self.current).chain(&self.others);
        let is_signed = secrets.any(is_signed);
        is_signed.then_some(()).ok_or(VerifyError::WrongSignature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn while_a_secret_is_rotated_either_is_accepted() {
        let (old, new) = ("svc_whsec_YQ==", "svc_whsec_Yg==");
        let now = 1_700_000_000;
        let verify = |secrets: &str, header: &'static str, signed_with: &str| {
            let secret: Secret = signed_with.parse().unwrap();
            let mut headers = HeaderMap::new();
            headers.insert("x-service-timestamp", now.into());
            let signature = secret.sign(&now.to_string(), b"{}");
            headers.insert(header, signature.parse().unwrap());
            let secrets: Secrets = secrets.parse().unwrap();
            secrets.verify(&headers, b"{}", now).is_ok()
        };
        let both = format!("{old} {new}");
        for header in SIGNATURES {
            assert!(verify(&both, header, old) && verify(&both, header, new));
            assert!(!verify(old, header, new));
        }
        for bad in ["", " ", "svc_whsec_", "svc_whsec_YQ== other"] {
            assert!(bad.parse::<Secrets>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_signature_is_of_its_secret_time_and_body() {
        let secret: Secret = "svc_whsec_YQ==".parse().unwrap();
        let secrets: Secrets = secret.reveal().parse().unwrap();
        let now = 1_700_000_000;
        let verify = |timestamp: &str, signature: &str, body: &[u8]| {
            let mut headers = HeaderMap::new();
            headers.insert("x-service-timestamp", timestamp.parse().unwrap());
            headers.insert("x-service-signature", signature.parse().unwrap());
            secrets.verify(&headers, body, now)
        };
        for (seconds, expected) in [
            (now, Ok(())),
            (now - 300, Ok(())),
            (now + 300, Ok(())),
            (now - 301, Err(VerifyError::WrongTime)),
            (now + 301, Err(VerifyError::WrongTime)),
            (i64::MIN, Err(VerifyError::WrongTime)),
        ] {
            let timestamp = seconds.to_string();
            let signature = secret.sign(&timestamp, b"{}");
            assert_eq!(verify(&timestamp, &signature, b"{}"), expected, "{seconds}");
        }
        let timestamp = now.to_string();
        let good = secret.sign(&timestamp, b"{}");
        let other: Secret = "svc_whsec_Yg==".parse().unwrap();
        for bad in [
            "",
            "zz",
            &good[..62],
            &format!("{good}00"),
            &other.sign(&timestamp, b"{}"),
            &secret.sign(&timestamp, b"{} "),
        ] {
            assert_eq!(
                verify(&timestamp, bad, b"{}"),
                Err(VerifyError::WrongSignature),
                "{bad}"
            );
        }
        assert_eq!(verify("soon", &good, b"{}"), Err(VerifyError::NoTimestamp));
        assert_eq!(format!("{secret:?}"), "svc_whsec_…");
        for bad in ["whsec", "svc_whsec_", "svc_whsec_…", "svc_whsec_YQ"] {
            assert!(bad.parse::<Secret>().is_err(), "{bad}");
        }
    }
}
