//! The normal form of passwords, and the strength that a new one needs.

use unicode_normalization::UnicodeNormalization as _;
use zxcvbn::{Score, zxcvbn};

/// The fewest characters.
pub const MIN: usize = 10;
/// The most characters: more would only cost time.
pub const MAX: usize = 256;
/// The estimate reads this many characters at most, since its time grows with the square of their number.
const ESTIMATED: usize = 64;

/// A password as it is checked and hashed: in the Unicode form NFKC (NIST SP 800-63B).
///
/// Keyboards write the same text with different code points: a letter and its accent as one or as two, or a no-break space.
pub fn normalized(password: &str) -> String {
    password.nfkc().collect()
}

/// Why a new password is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// It has so many characters, which are too few.
    Short(usize),
    Long,
    /// It is easy to guess.
    Guessable,
}

/// Checks a new password. `inputs` are words that an attacker tries first, such as the person's address.
pub fn check(password: &str, inputs: &[&str]) -> Result<(), Problem> {
    let password = normalized(password);
    let length = password.chars().count();
    if length < MIN {
        return Err(Problem::Short(length));
    }
    if length > MAX {
        return Err(Problem::Long);
    }
    let estimated: String = password.chars().take(ESTIMATED).collect();
    let inputs: Vec<String> = inputs.iter().map(|input| normalized(input)).collect();
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).chain(["mchezo"]).collect();
    if zxcvbn(&estimated, &inputs).score() < Score::Three {
        return Err(Problem::Guessable);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_and_short_passwords_are_refused() {
        for bad in [
            "short",
            "password123",
            "qwertyuiop",
            "aaaaaaaaaaaaaaaa",
            "1234567890",
            "iloveyou2020",
            "ada@studio.example",
            "mchezomchezo",
        ] {
            assert!(check(bad, &["ada@studio.example"]).is_err(), "{bad}");
        }
        assert_eq!(check(&"é".repeat(257), &[]), Err(Problem::Long));
    }

    #[test]
    fn unicode_forms_of_a_password_are_equal() {
        let composed = "\u{1ECC}\u{300}y\u{1ECD}\u{301} ń lọ sí ọjà";
        let decomposed: String = composed.nfd().collect();
        assert_ne!(composed, decomposed);
        assert_eq!(normalized(composed), normalized(&decomposed));
        assert_eq!(normalized("baobab\u{A0}lorry"), "baobab lorry");
        assert_eq!(normalized("ｂａｏｂａｂ"), "baobab");
        // The length and the list of common passwords apply to the normalized text.
        assert!(check(&"e\u{301}".repeat(9), &[]).is_err());
        assert!(check("ｐａｓｓｗｏｒｄ１２３", &[]).is_err());
    }

    #[test]
    fn unrelated_words_are_accepted_in_any_language() {
        for good in ["baobab lorry teapot nine", "Ọ̀yọ́ ń lọ sí ọjà lánàá", "xK9#mQ2$vL5!"]
        {
            assert_eq!(check(good, &["ada@studio.example"]), Ok(()), "{good}");
        }
    }
}
