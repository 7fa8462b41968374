//! Recovery codes: each replaces a code of the authenticator app once.

use rand::RngExt as _;
use sha2::{Digest as _, Sha256};

/// How many codes a person gets.
pub const COUNT: usize = 10;
/// Letters and digits that are not mistaken for each other.
const ALPHABET: &[u8; 32] = b"23456789abcdefghjkmnpqrstuvwxyz0";
/// Groups of characters, 80 bits in all: a hash without a salt suffices.
const GROUPS: usize = 4;
const GROUP: usize = 4;

/// New codes, such as `k7mp-2x9q-hd4w-zv8t`, and their hashes.
pub fn generate() -> (Vec<String>, Vec<Vec<u8>>) {
    let mut random = rand::rng();
    let mut code = || {
        let groups: Vec<String> = (0..GROUPS)
            .map(|_| {
                let characters = (0..GROUP).map(|_| random.random_range(0..ALPHABET.len()));
                characters.map(|at| char::from(ALPHABET[at])).collect()
            })
            .collect();
        groups.join("-")
    };
    let codes: Vec<String> = (0..COUNT).map(|_| code()).collect();
    let hashes = codes.iter().filter_map(|code| hash(code)).collect();
    (codes, hashes)
}

/// A typed code without spaces and hyphens.
pub fn without_separators(typed: &str) -> String {
    let characters = typed.chars();
    characters
        .filter(|c| !c.is_whitespace() && *c != '-')
        .collect()
}

/// The hash of a code as it was typed; `None` if it cannot be one.
pub fn hash(typed: &str) -> Option<Vec<u8>> {
    let code = without_separators(typed).to_ascii_lowercase();
    let is_code = code.len() == GROUPS * GROUP && code.bytes().all(|c| ALPHABET.contains(&c));
    is_code.then(|| Sha256::digest(code).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recovery_code_ignores_case_and_separators() {
        let (codes, hashes) = generate();
        assert_eq!((codes.len(), hashes.len()), (COUNT, COUNT));
        let code = &codes[0];
        let stored = hash(code).unwrap();
        assert_eq!(hashes[0], stored);
        assert_eq!(hash(&code.to_uppercase()), Some(stored.clone()));
        assert_eq!(hash(&code.replace('-', " ")), Some(stored));
        assert_ne!(hash(code), hash(&codes[1]));
        assert_eq!(hash("123456"), None);
    }
}
