//! The text of a key: how it is made, recognised and stored (§5.2).
//!
//! `svc_` (a setting), `test_` or `live_`, `pub_` on a public key, 32 base62 characters of randomness, and a 6-character base62
//! CRC-32 of all before it. Scanners find a leaked key by its shape, and a mistyped one is refused without a look-up.

use std::fmt;

use rand::distr::Alphanumeric;
use rand::{CryptoRng, RngExt as _};
use sha2::{Digest as _, Sha256};

use super::key::Mode;

const RANDOM: usize = 32;
const CHECKSUM: usize = 6;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A key as its owner holds it. Shown once, stored nowhere, never printed.
pub struct Secret(String);

/// What is stored of a key: its SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash(pub [u8; 32]);

/// How keys are written; the prefix is a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    prefix: String,
}

/// A text that is shaped like a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Presented {
    /// The mode it claims; that it exists is not said.
    pub mode: Mode,
    /// What to look it up by; `None` when the checksum is wrong, so that nobody can have it.
    pub hash: Option<Hash>,
}

impl Format {
    /// Keys that begin with `prefix`.
    pub fn new(prefix: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
        }
    }

    /// Makes a key.
    pub fn make(&self, mode: Mode, public: bool, random: &mut impl CryptoRng) -> Secret {
        let marker = if public { "pub_" } else { "" };
        let mut text = format!("{}{}_{marker}", self.prefix, mode.as_str());
        text.extend(
            random
                .sample_iter(Alphanumeric)
                .take(RANDOM)
                .map(char::from),
        );
        let checksum = checksum(&text);
        text.extend(checksum.map(char::from));
        Secret(text)
    }

    /// Reads a text that may be a key: `None` when it is not even shaped like one (§5.1).
    pub fn read(&self, text: &str) -> Option<Presented> {
        let rest = text.strip_prefix(&self.prefix)?;
        let (mode, rest) = match (rest.strip_prefix("test_"), rest.strip_prefix("live_")) {
            (Some(rest), _) => (Mode::Test, rest),
            (_, Some(rest)) => (Mode::Live, rest),
            _ => return None,
        };
        let body = rest.strip_prefix("pub_").unwrap_or(rest);
        let shaped = (16..=128).contains(&body.len())
            && body.bytes().all(|byte| byte.is_ascii_alphanumeric());
        shaped.then(|| Presented {
            mode,
            hash: is_intact(text, body).then(|| hash(text)),
        })
    }
}

fn is_intact(text: &str, body: &str) -> bool {
    body.len() == RANDOM + CHECKSUM
        && text
            .split_at_checked(text.len() - CHECKSUM)
            .is_some_and(|(before, sum)| checksum(before) == sum.as_bytes())
}

fn checksum(text: &str) -> [u8; CHECKSUM] {
    let mut rest = crc32fast::hash(text.as_bytes());
    let mut digits = [BASE62[0]; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[(rest % 62) as usize];
        rest /= 62;
    }
    digits
}

fn hash(text: &str) -> Hash {
    Hash(Sha256::digest(text).into())
}

impl Secret {
    /// The key itself, for the one answer that shows it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What is stored of it.
    pub fn hash(&self) -> Hash {
        hash(&self.0)
    }

    /// Its last four characters, by which its owner tells keys apart.
    pub fn last4(&self) -> &str {
        self.0.get(self.0.len() - 4..).unwrap_or_default()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hash(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn format() -> Format {
        Format::new("svc_")
    }

    fn any_mode() -> impl Strategy<Value = Mode> {
        prop_oneof![Just(Mode::Test), Just(Mode::Live)]
    }

    proptest! {
        #[test]
        fn a_made_key_is_recognised(mode in any_mode(), public: bool) {
            let secret = format().make(mode, public, &mut rand::rng());
            let start = format!("svc_{}_{}", mode.as_str(), if public { "pub_" } else { "" });
            prop_assert!(secret.expose().starts_with(&start));
            prop_assert_eq!(secret.expose().len(), start.len() + 38);
            let presented = format().read(secret.expose());
            prop_assert_eq!(presented, Some(Presented { mode, hash: Some(secret.hash()) }));
        }

        #[test]
        fn a_mistyped_key_is_shaped_like_one_and_nobody_s(at in 0..38_usize, typed in "[0-9A-Za-z]") {
            let secret = format().make(Mode::Live, false, &mut rand::rng());
            let mut text = secret.expose().to_owned();
            let at = "svc_live_".len() + at;
            prop_assume!(text[at..=at] != typed);
            text.replace_range(at..=at, &typed);
            let presented = format().read(&text).unwrap();
            prop_assert_eq!(presented.hash, None);
        }

        #[test]
        fn sixteen_to_128_letters_or_digits_are_the_shape(body in "[0-9A-Za-z]{0,140}") {
            let text = format!("svc_test_{body}");
            let shaped = (16..=128).contains(&body.len());
            prop_assert_eq!(format().read(&text).is_some(), shaped);
        }

        #[test]
        fn any_text_can_be_read(text: String) {
            prop_assert!(format().read(&text).is_none_or(|presented| presented.hash.is_none()));
        }
    }

    #[test]
    fn what_is_not_shaped_like_a_key() {
        let body = "a".repeat(38);
        for text in [
            String::new(),
            "svc_".to_owned(),
            body.clone(),
            format!("svc_prod_{body}"),
            format!("other_live_{body}"),
            format!("SVC_live_{body}"),
            format!("svc_live_{body}-"),
            format!("svc_live_{body} "),
            format!("svc_live_pub_pub_{body}"),
            format!("svc_live_é{body}"),
        ] {
            assert_eq!(format().read(&text), None, "{text}");
        }
    }

    #[test]
    fn a_known_checksum() {
        // CRC-32 of "123456789" is the check value 0xCBF43926, here in base 62.
        assert_eq!(&checksum("123456789"), b"3jZRME");
    }

    #[test]
    fn nothing_shows_a_secret() {
        let secret = format().make(Mode::Live, false, &mut rand::rng());
        let shown = format!("{secret:?} {:?}", format().read(secret.expose()));
        assert!(!shown.contains(&secret.expose()[9..]), "{shown}");
        assert!(shown.contains("Hash(…)"), "{shown}");
    }
}
