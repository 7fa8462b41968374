//! The secret text of an API key: how it is generated, parsed and hashed (§5.2).
//!
//! A key consists of `svc_` (a setting), `test_` or `live_`, `pub_` for public keys, 32 random base62 characters, and a CRC-32 of
//! all that in 6 base62 characters. Secret scanners recognize its form, and a mistyped key is rejected without a lookup.

use std::fmt;

use rand::distr::Alphanumeric;
use rand::{CryptoRng, RngExt as _};
use sha2::{Digest as _, Sha256};

use super::key::Mode;

const RANDOM: usize = 32;
const CHECKSUM: usize = 6;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The whole key. It is shown once, never stored and never logged.
pub struct Secret(String);

/// The SHA-256 of a key, which is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash(pub [u8; 32]);

/// The format of keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFormat {
    prefix: String,
}

/// A text in the form of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParsedKey {
    /// The mode that the text claims. The key may not exist.
    pub mode: Mode,
    /// The hash for the lookup; `None` if the checksum is wrong, so that no such key exists.
    pub hash: Option<Hash>,
}

impl KeyFormat {
    /// `prefix` is the first part of every key.
    pub fn new(prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into() }
    }

    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    pub fn generate(&self, mode: Mode, public: bool, random: &mut impl CryptoRng) -> Secret {
        let marker = if public { "pub_" } else { "" };
        let mut text = format!("{}{}_{marker}", self.prefix, mode.as_str());
        text.extend(random.sample_iter(Alphanumeric).take(RANDOM).map(char::from));
        let checksum = checksum(&text);
        text.extend(checksum.map(char::from));
        Secret(text)
    }

    /// Parses a text; `None` if it does not have the form of a key (§5.1).
    pub fn parse(&self, text: &str) -> Option<ParsedKey> {
        let rest = text.strip_prefix(&self.prefix)?;
        let (mode, rest) = match (rest.strip_prefix("test_"), rest.strip_prefix("live_")) {
            (Some(rest), _) => (Mode::Test, rest),
            (_, Some(rest)) => (Mode::Live, rest),
            _ => return None,
        };
        let body = rest.strip_prefix("pub_").unwrap_or(rest);
        let shaped = (16..=128).contains(&body.len())
            && body.bytes().all(|byte| byte.is_ascii_alphanumeric());
        shaped.then(|| ParsedKey { mode, hash: is_intact(text, body).then(|| hash(text)) })
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
    /// The text of the key, for the only response that contains it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn hash(&self) -> Hash {
        hash(&self.0)
    }

    /// The last four characters, by which owners recognize the key.
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

    fn format() -> KeyFormat {
        KeyFormat::new("svc_")
    }

    fn any_mode() -> impl Strategy<Value = Mode> {
        prop_oneof![Just(Mode::Test), Just(Mode::Live)]
    }

    proptest! {
        #[test]
        fn a_generated_key_can_be_parsed(mode in any_mode(), public: bool) {
            let secret = format().generate(mode, public, &mut rand::rng());
            let start = format!("svc_{}_{}", mode.as_str(), if public { "pub_" } else { "" });
            prop_assert!(secret.expose().starts_with(&start));
            prop_assert_eq!(secret.expose().len(), start.len() + 38);
            let parsed = format().parse(secret.expose());
            prop_assert_eq!(parsed, Some(ParsedKey { mode, hash: Some(secret.hash()) }));
        }

        #[test]
        fn a_mistyped_key_has_a_wrong_checksum(at in 0..38_usize, typed in "[0-9A-Za-z]") {
            let secret = format().generate(Mode::Live, false, &mut rand::rng());
            let mut text = secret.expose().to_owned();
            let at = "svc_live_".len() + at;
            prop_assume!(text[at..=at] != typed);
            text.replace_range(at..=at, &typed);
            let parsed = format().parse(&text).unwrap();
            prop_assert_eq!(parsed.hash, None);
        }

        #[test]
        fn a_key_has_16_to_128_letters_or_digits(body in "[0-9A-Za-z]{0,140}") {
            let text = format!("svc_test_{body}");
            let shaped = (16..=128).contains(&body.len());
            prop_assert_eq!(format().parse(&text).is_some(), shaped);
        }

        #[test]
        fn any_text_can_be_parsed(text: String) {
            prop_assert!(format().parse(&text).is_none_or(|parsed| parsed.hash.is_none()));
        }
    }

    #[test]
    fn malformed_keys_are_not_parsed() {
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
            assert_eq!(format().parse(&text), None, "{text}");
        }
    }

    #[test]
    fn the_checksum_equals_a_known_value() {
        // 0xCBF43926, the check value of CRC-32 for "123456789", in base 62.
        assert_eq!(&checksum("123456789"), b"3jZRME");
    }

    #[test]
    fn debug_output_hides_secrets() {
        let secret = format().generate(Mode::Live, false, &mut rand::rng());
        let shown = format!("{secret:?} {:?}", format().parse(secret.expose()));
        assert!(!shown.contains(&secret.expose()[9..]), "{shown}");
        assert!(shown.contains("Hash(…)"), "{shown}");
    }
}
