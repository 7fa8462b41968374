//! Names of pictures: 64 hexadecimal digits and an ending. listings-svc says what they stand for.

/// Digits of a SHA-256 in hexadecimal.
const DIGITS: usize = 64;
/// The longest ending.
const ENDING: usize = 5;

/// The name of a picture's file, and no path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<'a>(&'a str);

impl<'a> Name<'a> {
    /// Reads a name.
    pub fn parse(text: &'a str) -> Option<Self> {
        let (hash, ending) = text.split_once('.')?;
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_hash = hash.len() == DIGITS && hash.bytes().all(is_digit);
        let is_ending = (1..=ENDING).contains(&ending.len())
            && ending
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        (is_hash && is_ending).then_some(Self(text))
    }

    /// The whole name.
    pub const fn as_str(self) -> &'a str {
        self.0
    }

    /// The digits: what tells one file from another.
    pub fn hash(self) -> &'a str {
        self.0.get(..DIGITS).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_digits_and_an_ending_are_a_name() {
        let hash = "0123456789abcdef".repeat(4);
        let good = format!("{hash}.jpg");
        assert_eq!(Name::parse(&good).unwrap().hash(), hash);
        for bad in [
            String::new(),
            hash.clone(),
            format!("{hash}."),
            format!("{hash}.JPG"),
            format!("{hash}.jpg.jpg"),
            format!("{hash}.jp/g"),
            format!("{hash}.verylong"),
            format!("{}.jpg", hash.to_uppercase()),
            format!("{}.jpg", &hash[1..]),
            format!("../{}.jpg", &hash[3..]),
        ] {
            assert_eq!(Name::parse(&bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_name_leads_elsewhere(text in "[0-9a-f./%\\\\]{60,72}") {
            if let Some(name) = Name::parse(&text) {
                prop_assert!(!name.as_str().contains(['/', '\\', '%']));
                prop_assert_eq!(name.as_str().matches('.').count(), 1);
            }
        }
    }
}
