//! Encrypts signing secrets at rest, with the key ring of the kit: a sealed secret opens for its own endpoint only.

use std::str::FromStr;

use kit::key_ring;
use uuid::Uuid;

use crate::domain::signature::Secret;

pub use kit::key_ring::SealError;

/// The encryption keys of secrets: the first encrypts, all decrypt. Clones share them.
#[derive(Clone, Debug)]
pub struct KeyRing(key_ring::KeyRing);

impl FromStr for KeyRing {
    type Err = String;

    /// Parses `id:base64,…` with 32 bytes each.
    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Self)
    }
}

impl KeyRing {
    /// Encrypts a secret of an endpoint.
    ///
    /// # Errors
    /// The cipher failed.
    pub fn seal(&self, endpoint: Uuid, secret: &Secret) -> Result<Vec<u8>, SealError> {
        self.0.seal(endpoint.as_bytes(), secret.reveal().as_bytes())
    }

    /// Decrypts a secret of an endpoint.
    ///
    /// # Errors
    /// The key is missing, or the bytes are damaged.
    pub fn open(&self, endpoint: Uuid, sealed: &[u8]) -> Result<Secret, SealError> {
        let opened = self
            .0
            .open(endpoint.as_bytes(), sealed)
            .inspect_err(|error| {
                tracing::warn!(%endpoint, %error, "cannot decrypt the secret of an endpoint");
            })?;
        let text = String::from_utf8(opened).ok();
        text.and_then(|text| Secret::parse(&text))
            .ok_or(SealError::Damaged)
    }

    /// The prefix of secrets that the first key has sealed.
    pub fn prefix(&self) -> Vec<u8> {
        self.0.prefix()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_opens_at_its_endpoint() {
        let ring: KeyRing = "a:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="
            .parse()
            .unwrap();
        let (secret, endpoint) = (Secret::generate(), Uuid::from_u128(7));
        let sealed = ring.seal(endpoint, &secret).unwrap();
        let opened = ring.open(endpoint, &sealed).unwrap();
        assert_eq!(opened.reveal(), secret.reveal());
        assert!(ring.open(Uuid::nil(), &sealed).is_err());
    }
}
