//! Encrypts signing secrets at rest, with the key ring of the kit: a sealed secret opens for its own endpoint only.

use kit::key_ring::{KeyRing, SealError};
use uuid::Uuid;

use crate::domain::signature::Secret;

/// Encrypts a secret of an endpoint.
///
/// # Errors
/// The cipher failed.
pub fn seal_secret(keys: &KeyRing, endpoint: Uuid, secret: &Secret) -> Result<Vec<u8>, SealError> {
    keys.seal(endpoint.as_bytes(), secret.reveal().as_bytes())
}

/// Decrypts a secret of an endpoint.
///
/// # Errors
/// The key is missing, or the bytes are damaged.
pub fn open_secret(keys: &KeyRing, endpoint: Uuid, sealed: &[u8]) -> Result<Secret, SealError> {
    let opened = keys.open(endpoint.as_bytes(), sealed)?;
    let text = String::from_utf8(opened).ok();
    text.and_then(|text| Secret::parse(&text)).ok_or(SealError::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_decrypted_only_for_its_endpoint() {
        let ring: KeyRing = "a:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=".parse().unwrap();
        let (secret, endpoint) = (Secret::generate(), Uuid::from_u128(7));
        let sealed = seal_secret(&ring, endpoint, &secret).unwrap();
        let opened = open_secret(&ring, endpoint, &sealed).unwrap();
        assert_eq!(opened.reveal(), secret.reveal());
        assert!(open_secret(&ring, Uuid::nil(), &sealed).is_err());
    }
}
