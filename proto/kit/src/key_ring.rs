//! Encrypts secrets at rest, and signs what comes back from outside.
//!
//! A sealed secret is the id of its key (one byte of length, then the id), a nonce of 12 bytes, and the secret under ChaCha20-Poly1305. Its
//! owner, such as the id of an endpoint, is the associated data: a sealed secret opens for its own owner only.

use std::str::FromStr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};

/// The encryption keys of secrets: the first encrypts and signs, all decrypt and verify. Clones share them.
///
/// A key is replaced in two deploys: behind the old one, every replica can decrypt with it; in front of it, it encrypts.
#[derive(Clone)]
pub struct KeyRing(Arc<Keys>);

struct Keys {
    first: Key,
    others: Vec<Key>,
}

struct Key {
    id: String,
    cipher: LessSafeKey,
    /// The keys that sign are derived from this one, one per purpose.
    root: hmac::Key,
}

impl std::fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ids: Vec<&str> = self.keys().map(|key| key.id.as_str()).collect();
        f.debug_tuple("KeyRing").field(&ids).finish()
    }
}

/// Why a secret cannot be sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The random number generator or the cipher failed.
    #[error("the secret cannot be encrypted")]
    Seal,
    /// The secret's key is not in the ring.
    #[error("the secret needs the key `{0}`, which the setting `secret_keys` does not have")]
    NoKey(String),
    /// The bytes are not a sealed secret of this owner.
    #[error("the stored secret is damaged")]
    Damaged,
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
            keys.push(Key {
                id: id.to_owned(),
                cipher: LessSafeKey::new(key),
                root: hmac::Key::new(hmac::HMAC_SHA256, &bytes),
            });
        }
        let mut keys = keys.into_iter();
        let first = keys.next().ok_or("give at least one key")?;
        let others = keys.collect();
        Ok(Self(Arc::new(Keys { first, others })))
    }
}

impl KeyRing {
    fn keys(&self) -> impl Iterator<Item = &Key> {
        std::iter::once(&self.0.first).chain(&self.0.others)
    }

    /// Encrypts a secret of `owner`.
    ///
    /// # Errors
    /// [`SealError::Seal`].
    pub fn seal(&self, owner: &[u8], secret: &[u8]) -> Result<Vec<u8>, SealError> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).map_err(|_unspecified| SealError::Seal)?;
        let mut text = secret.to_vec();
        let nonce_of = Nonce::assume_unique_for_key(nonce);
        let cipher = &self.0.first.cipher;
        cipher
            .seal_in_place_append_tag(nonce_of, Aad::from(owner), &mut text)
            .map_err(|_unspecified| SealError::Seal)?;
        Ok([&self.prefix()[..], &nonce, &text].concat())
    }

    /// Decrypts a secret of `owner`.
    ///
    /// # Errors
    /// The key is missing, or the bytes are damaged.
    pub fn open(&self, owner: &[u8], sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        let (id, rest) = key_id(sealed).ok_or(SealError::Damaged)?;
        let key = self.keys().find(|key| key.id.as_bytes() == id);
        let no_key = || SealError::NoKey(String::from_utf8_lossy(id).into_owned());
        let key = key.ok_or_else(no_key)?;
        let (nonce, text) = rest.split_first_chunk::<NONCE_LEN>().ok_or(SealError::Damaged)?;
        let mut text = text.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let opened = key
            .cipher
            .open_in_place(nonce, Aad::from(owner), &mut text)
            .map_err(|_unspecified| SealError::Damaged)?;
        Ok(opened.to_vec())
    }

    /// The HMAC-SHA256 of a message, with a key for this purpose that is derived from the first key.
    pub fn sign(&self, purpose: &[u8], message: &[u8]) -> Vec<u8> {
        let signature = hmac::sign(&self.0.first.signing(purpose), message);
        signature.as_ref().to_vec()
    }

    /// Whether one of the keys has signed this message for this purpose.
    pub fn has_signed(&self, purpose: &[u8], message: &[u8], signature: &[u8]) -> bool {
        self.keys().any(|key| hmac::verify(&key.signing(purpose), message, signature).is_ok())
    }

    /// The prefix of secrets that the first key has sealed.
    pub fn prefix(&self) -> Vec<u8> {
        let id = &self.0.first.id;
        let length = u8::try_from(id.len()).unwrap_or(u8::MAX);
        [&[length][..], id.as_bytes()].concat()
    }
}

impl Key {
    fn signing(&self, purpose: &[u8]) -> hmac::Key {
        let derived = hmac::sign(&self.root, purpose);
        hmac::Key::new(hmac::HMAC_SHA256, derived.as_ref())
    }
}

fn key_id(sealed: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = sealed.split_first()?;
    rest.split_at_checked(usize::from(*length))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: &[u8] = b"endpoint 7";
    const SECRET: &[u8] = b"a secret of some length";

    fn ring(ids: &[&str]) -> KeyRing {
        let keys: Vec<String> = ids
            .iter()
            .map(|id| format!("{id}:{}", STANDARD.encode([id.as_bytes()[0]; 32])))
            .collect();
        keys.join(",").parse().unwrap()
    }

    #[test]
    fn a_secret_opens_with_its_key_and_for_its_owner() {
        let (old, both, new) = (ring(&["a"]), ring(&["b", "a"]), ring(&["b"]));
        let sealed = old.seal(OWNER, SECRET).unwrap();
        assert!(!sealed.windows(9).any(|part| part == &SECRET[..9]));
        assert_eq!(both.open(OWNER, &sealed).unwrap(), SECRET);
        assert!(matches!(new.open(OWNER, &sealed), Err(SealError::NoKey(..))));
        assert!(old.open(b"another", &sealed).is_err());

        let behind = ring(&["a", "b"]);
        let during = behind.seal(OWNER, SECRET).unwrap();
        assert_eq!(old.open(OWNER, &during).unwrap(), SECRET);
        let after = both.seal(OWNER, SECRET).unwrap();
        assert_eq!(behind.open(OWNER, &after).unwrap(), SECRET);

        assert!(!sealed.starts_with(&both.prefix()));
        let again = both.seal(OWNER, SECRET).unwrap();
        assert!(again.starts_with(&both.prefix()));
        assert!(new.open(OWNER, &again).is_ok());
    }

    #[test]
    fn damage_is_seen() {
        let ring = ring(&["a"]);
        let sealed = ring.seal(OWNER, SECRET).unwrap();
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert!(ring.open(OWNER, &damaged).is_err(), "byte {at}");
            assert!(ring.open(OWNER, &sealed[..at]).is_err(), "{at} bytes");
        }
    }

    #[test]
    fn every_key_verifies_what_it_has_signed_for_a_purpose() {
        let (old, both, new) = (ring(&["a"]), ring(&["b", "a"]), ring(&["b"]));
        let signature = old.sign(b"voters", b"message");
        assert!(both.has_signed(b"voters", b"message", &signature));
        assert_ne!(both.sign(b"voters", b"message"), signature);
        assert!(!new.has_signed(b"voters", b"message", &signature));
        assert!(!old.has_signed(b"others", b"message", &signature));
        assert!(!old.has_signed(b"voters", b"massage", &signature));
        assert!(!old.has_signed(b"voters", b"message", &signature[..31]));
        assert!(!old.has_signed(b"voters", b"message", b""));
    }

    #[test]
    fn invalid_key_rings_are_refused() {
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
