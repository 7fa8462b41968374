//! Random tokens. Only their hashes are stored.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// 32 random bytes. The text form goes into a cookie or a link.
#[derive(Clone, PartialEq, Eq)]
pub struct Token([u8; 32]);

/// The SHA-256 of a token: what is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash(pub [u8; 32]);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    pub fn generate() -> Self {
        Self(rand::random())
    }

    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        Some(Self(bytes.try_into().ok()?))
    }

    pub fn text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(self.0).into())
    }

    /// The token of the session that replaces this one by this form, so that both answers to a form that is sent twice have it. The
    /// present token is not enough to derive it, since the id of a form is random.
    #[must_use]
    pub fn successor(&self, form: &str) -> Self {
        Self(self.derived_key(&format!("session after {form}")))
    }

    /// A key that only the holder of the token has: its hash, which is stored, does not lead to it.
    pub fn derived_key(&self, purpose: &str) -> [u8; 32] {
        let hash = Sha256::new().chain_update(purpose).chain_update([0]);
        hash.chain_update(self.0).finalize().into()
    }
}

impl TokenHash {
    pub fn hex(&self) -> String {
        hex::encode(self.0)
    }

    pub fn from_hex(text: &str) -> Option<Self> {
        Some(Self(hex::decode(text).ok()?.try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_survives_its_text_form() {
        let token = Token::generate();
        assert_eq!(token.text().len(), 43);
        assert_eq!(Token::parse(&token.text()), Some(token.clone()));
        assert_ne!(token, Token::generate());
        assert_ne!(token.derived_key("a"), token.hash().0);
        assert_eq!(TokenHash::from_hex(&token.hash().hex()), Some(token.hash()));
        for bad in ["", "abc", "é", &"a".repeat(44)] {
            assert!(Token::parse(bad).is_none(), "{bad}");
        }
    }
}
