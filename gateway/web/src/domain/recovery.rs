//! Recovery codes: each replaces a code of the authenticator app once.

use sha2::{Digest as _, Sha256};

use super::session_token::Token;

/// How many codes a person gets.
pub const COUNT: usize = 10;
/// Letters and digits that are not mistaken for each other.
const ALPHABET: &[u8; 32] = b"23456789abcdefghjkmnpqrstuvwxyz0";
/// Groups of characters, 80 bits in all: a hash without a salt suffices.
const GROUPS: usize = 4;
const GROUP: usize = 4;

/// The codes of a form, such as `k7mp-2x9q-hd4w-zv8t`, and their hashes. `form` has its random id and the code of the second factor that it uses
/// up.
///
/// They are derived from the form and the token of the session that sends it: if the form is sent twice, both answers show the same codes,
/// although only their hashes are stored.
pub fn derive(token: &Token, form: &str) -> (Vec<String>, Vec<Vec<u8>>) {
    let code = |number| {
        let random = token.derived_key(&format!("recovery code {number} of {form}"));
        let characters =
            random.map(|byte| char::from(ALPHABET[usize::from(byte) % ALPHABET.len()]));
        let groups: Vec<String> =
            characters.chunks(GROUP).take(GROUPS).map(|group| group.iter().collect()).collect();
        groups.join("-")
    };
    let codes: Vec<String> = (0..COUNT).map(code).collect();
    let hashes = codes.iter().filter_map(|code| hash(code)).collect();
    (codes, hashes)
}

/// The letters and digits of a typed code: not its spaces and dashes, nor the invisible marks that programs copy with it.
pub fn without_separators(typed: &str) -> String {
    typed.chars().filter(|c| c.is_alphanumeric()).collect()
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
        let (token, form) = (Token::generate(), "form 123456");
        let (codes, hashes) = derive(&token, form);
        assert_eq!(derive(&token, form).0, codes);
        for (token, form) in [(&Token::generate(), form), (&token, "form 123457")] {
            assert!(derive(token, form).0.iter().all(|it| !codes.contains(it)));
        }
        assert_eq!((codes.len(), hashes.len()), (COUNT, COUNT));
        let code = &codes[0];
        let stored = hash(code).unwrap();
        assert_eq!(hashes[0], stored);
        assert_eq!(hash(&code.to_uppercase()), Some(stored.clone()));
        for separator in [" ", "", "\u{2011}", "\u{2013}", "\u{200b}"] {
            let typed = code.replace('-', separator);
            assert_eq!(hash(&typed), Some(stored.clone()), "{separator:?}");
        }
        assert_ne!(hash(code), hash(&codes[1]));
        assert_eq!(hash("123456"), None);
    }
}
