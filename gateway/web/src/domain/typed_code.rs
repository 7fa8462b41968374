//! A typed code of the second factor.

use super::recovery;

/// The digits of a code of the app.
const DIGITS: usize = 6;

/// A typed code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedCode {
    /// Six digits.
    App(String),
    /// The hash of a recovery code.
    Recovery(Vec<u8>),
}

impl TypedCode {
    /// `None` if the text is neither kind of code, and so no guess.
    pub fn parse(typed: &str) -> Option<Self> {
        let code = recovery::without_separators(typed);
        if code.len() == DIGITS && code.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(Self::App(code));
        }
        recovery::hash(&code).map(Self::Recovery)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session_token::Token;

    #[test]
    fn a_text_is_a_code_of_the_app_or_a_recovery_code_or_neither() {
        let app = Some(TypedCode::App("123456".to_owned()));
        for typed in [
            "123456",
            " 123 456\n",
            "123-456",
            "123\u{a0}456",
            "123\u{2013}456",
            "123\u{2212}456",
            "\u{200f}123456",
            "\u{feff}123\u{200b}456",
        ] {
            assert_eq!(TypedCode::parse(typed), app, "{typed}");
        }
        let code = &recovery::derive(&Token::generate(), "123456").0[0];
        let hash = recovery::hash(code).map(TypedCode::Recovery);
        assert_eq!(TypedCode::parse(code), hash);
        for neither in ["", "12345", "1234567", "12345a", "code", "１２３４５６"] {
            assert_eq!(TypedCode::parse(neither), None, "{neither}");
        }
    }
}
