//! Names and tokens of exchanges.

use kit::ids;
use sha2::{Digest as _, Sha256};

const TOKEN_PREFIX: &str = "exchange_";
const MAX_NAME: usize = 60;

/// Whether a name has 1 to 60 characters: lower-case letters and digits, with single hyphens between them.
pub fn is_name(name: &str) -> bool {
    let is_word = |word: &str| {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        !word.is_empty() && word.bytes().all(is_plain)
    };
    name.len() <= MAX_NAME && name.split('-').all(is_word)
}

/// A new token.
pub fn token() -> String {
    ids::secret(TOKEN_PREFIX)
}

/// The hash that is stored instead of a token.
pub fn token_hash(token: &str) -> Vec<u8> {
    Sha256::digest(token).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_letters_digits_and_hyphens() {
        for good in ["a", "cowrie-2", "2"] {
            assert!(is_name(good), "{good}");
        }
        let long = "a".repeat(MAX_NAME + 1);
        for bad in ["", "-", "a--b", "a-", "A", "a b", "é", &long] {
            assert!(!is_name(bad), "{bad}");
        }
    }

    #[test]
    fn tokens_differ() {
        assert_ne!(token(), token());
        assert_ne!(token_hash("a"), token_hash("b"));
    }
}
