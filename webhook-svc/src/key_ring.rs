//! Encrypts signing secrets at rest.
//!
//! A sealed secret is the id of its key (one byte of length, then the id), a nonce of 12 bytes, and the secret under ChaCha20-Poly1305. The
//! endpoint's id is the associated data: a sealed secret opens for its own endpoint only.

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::domain::signature::Secret;

/// The encryption keys of secrets. All decrypt; the first one that every running replica has encrypts. Clones share it.
#[derive(Clone)]
pub struct KeyRing {
    keys: Arc<[Key]>,
    /// The index of the key that encrypts; past the last one: no key may.
    writer: Arc<AtomicUsize>,
}

struct Key {
    id: String,
    cipher: LessSafeKey,
    /// Identifies the key among replicas.
    fingerprint: Vec<u8>,
}

impl std::fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ids: Vec<&str> = self.keys.iter().map(|key| key.id.as_str()).collect();
        f.debug_tuple("KeyRing").field(&ids).finish()
    }
}

/// Why a secret cannot be sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The random number generator or the cipher failed.
    #[error("the secret of endpoint {0} cannot be encrypted")]
    Seal(Uuid),
    /// Another running replica could not open the secret.
    #[error("no key of WEBHOOK_SECRET_KEYS is known to every running replica")]
    NoCommonKey,
    /// The secret's key is not in the ring.
    #[error(
        "the secret of endpoint {0} needs the key `{1}`, which WEBHOOK_SECRET_KEYS does not have"
    )]
    NoKey(Uuid, String),
    /// The bytes are not a sealed secret of this endpoint.
    #[error("the stored secret of endpoint {0} is damaged")]
    Damaged(Uuid),
}

impl FromStr for KeyRing {
    type Err = String;

    /// Parses `id:base64,…` with 32 bytes each.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut keys: Vec<Key> = Vec::new();
        for part in text.split(',') {
            let help = "write keys as id:base64,… with 32 bytes each, as `openssl rand -base64 32` makes them";
            let (id, encoded) = part.trim().split_once(':').ok_or(help)?;
            let bytes = STANDARD.decode(encoded).map_err(|_base64| help)?;
            let key = UnboundKey::new(&CHACHA20_POLY1305, &bytes).map_err(|_length| help)?;
            if id.is_empty() || id.len() > 100 || keys.iter().any(|key| key.id == id) {
                return Err("each key needs a unique id of 1 to 100 bytes".to_owned());
            }
            let fingerprint = Sha256::new().chain_update(id).chain_update([0]);
            keys.push(Key {
                id: id.to_owned(),
                cipher: LessSafeKey::new(key),
                fingerprint: fingerprint.chain_update(&bytes).finalize().to_vec(),
            });
        }
        Ok(Self {
            keys: keys.into(),
            writer: Arc::default(),
        })
    }
}

impl KeyRing {
    pub fn fingerprints(&self) -> Vec<Vec<u8>> {
        let fingerprints = self.keys.iter().map(|key| key.fingerprint.clone());
        fingerprints.collect()
    }

    /// Encrypts with the first key of these fingerprints from now on.
    pub fn encrypt_with_first_of(&self, fingerprints: &[Vec<u8>]) {
        let is_common = |key: &Key| fingerprints.contains(&key.fingerprint);
        let writer = self.keys.iter().position(is_common);
        let writer = writer.unwrap_or(self.keys.len());
        if self.writer.swap(writer, Ordering::Relaxed) == writer {
            return;
        }
        if let Some(key) = self.keys.get(writer) {
            tracing::info!(key = key.id, "secrets are encrypted with this key");
        } else {
            tracing::error!(
                "no key of WEBHOOK_SECRET_KEYS is known to every running replica: secrets cannot be encrypted"
            );
        }
    }

    fn writer(&self) -> Option<&Key> {
        self.keys.get(self.writer.load(Ordering::Relaxed))
    }

    /// Encrypts a secret of an endpoint.
    ///
    /// # Errors
    /// [`SealError::Seal`] and [`SealError::NoCommonKey`].
    pub fn seal(&self, endpoint: Uuid, secret: &Secret) -> Result<Vec<u8>, SealError> {
        let failed = || SealError::Seal(endpoint);
        let Key { id, cipher, .. } = self.writer().ok_or(SealError::NoCommonKey)?;
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new()
            .fill(&mut nonce)
            .map_err(|_unspecified| failed())?;
        let mut text = secret.reveal().as_bytes().to_vec();
        let nonce_of = Nonce::assume_unique_for_key(nonce);
        cipher
            .seal_in_place_append_tag(nonce_of, Aad::from(endpoint.as_bytes()), &mut text)
            .map_err(|_unspecified| failed())?;
        let length = u8::try_from(id.len()).map_err(|_length| failed())?;
        Ok([&[length][..], id.as_bytes(), &nonce, &text].concat())
    }

    /// Decrypts a secret of an endpoint.
    ///
    /// # Errors
    /// The key is missing, or the bytes are damaged.
    pub fn open(&self, endpoint: Uuid, sealed: &[u8]) -> Result<Secret, SealError> {
        let damaged = || SealError::Damaged(endpoint);
        let (id, rest) = key_id(sealed).ok_or_else(damaged)?;
        let key = self.keys.iter().find(|key| key.id.as_bytes() == id);
        let no_key = || SealError::NoKey(endpoint, String::from_utf8_lossy(id).into_owned());
        let key = key.ok_or_else(no_key)?;
        let (nonce, text) = rest.split_first_chunk::<NONCE_LEN>().ok_or_else(damaged)?;
        let mut text = text.to_vec();
        let aad = Aad::from(endpoint.as_bytes());
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let opened = key.cipher.open_in_place(nonce, aad, &mut text);
        let opened = opened.map_err(|_unspecified| damaged())?;
        let text = std::str::from_utf8(opened).map_err(|_utf8| damaged())?;
        Secret::parse(text).ok_or_else(damaged)
    }

    /// The prefix of secrets that the key which encrypts has sealed; `None`: no key may encrypt.
    pub fn prefix(&self) -> Option<Vec<u8>> {
        let id = &self.writer()?.id;
        let length = u8::try_from(id.len()).ok()?;
        Some([&[length][..], id.as_bytes()].concat())
    }
}

fn key_id(sealed: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = sealed.split_first()?;
    rest.split_at_checked(usize::from(*length))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDPOINT: Uuid = Uuid::from_u128(7);

    fn ring(ids: &[&str]) -> KeyRing {
        let keys: Vec<String> = ids
            .iter()
            .map(|id| format!("{id}:{}", STANDARD.encode([id.as_bytes()[0]; 32])))
            .collect();
        keys.join(",").parse().unwrap()
    }

    #[test]
    fn a_secret_opens_with_its_key_and_at_its_endpoint() {
        let secret = Secret::generate();
        let (old, both, new) = (ring(&["a"]), ring(&["b", "a"]), ring(&["b"]));
        let sealed = old.seal(ENDPOINT, &secret).unwrap();
        assert!(
            !sealed
                .windows(9)
                .any(|part| part == &secret.reveal().as_bytes()[..9])
        );
        assert_eq!(
            both.open(ENDPOINT, &sealed).unwrap().reveal(),
            secret.reveal()
        );
        assert!(matches!(
            new.open(ENDPOINT, &sealed),
            Err(SealError::NoKey(..))
        ));
        assert!(old.open(Uuid::nil(), &sealed).is_err());

        assert!(!sealed.starts_with(&both.prefix().unwrap()));
        let again = both.seal(ENDPOINT, &secret).unwrap();
        assert!(again.starts_with(&both.prefix().unwrap()));
        assert!(new.open(ENDPOINT, &again).is_ok());
    }

    #[test]
    fn damage_is_seen() {
        let ring = ring(&["a"]);
        let sealed = ring.seal(ENDPOINT, &Secret::generate()).unwrap();
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert!(ring.open(ENDPOINT, &damaged).is_err(), "byte {at}");
            assert!(ring.open(ENDPOINT, &sealed[..at]).is_err(), "{at} bytes");
        }
    }

    #[test]
    fn what_is_no_key_ring_is_refused_with_a_sentence() {
        let key = STANDARD.encode([1; 32]);
        for bad in [
            String::new(),
            "a".to_owned(),
            "a:AAAA".to_owned(),
            format!(":{key}"),
            format!("a:{key},a:{key}"),
        ] {
            assert!(bad.parse::<KeyRing>().is_err(), "{bad}");
        }
        assert_eq!(format!("{:?}", ring(&["a"])), r#"KeyRing(["a"])"#);
    }
}
