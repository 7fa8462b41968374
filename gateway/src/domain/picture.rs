//! Names of picture files: 64 hexadecimal digits and an extension.

/// The digits of a SHA-256 in hexadecimal.
const DIGITS: usize = 64;
/// The longest extension.
const MAX_EXTENSION: usize = 5;

/// The name of a picture file. It is never a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<'a>(&'a str);

impl<'a> Name<'a> {
    pub fn parse(text: &'a str) -> Option<Self> {
        let (hash, extension) = text.split_once('.')?;
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_hash = hash.len() == DIGITS && hash.bytes().all(is_digit);
        let is_extension = (1..=MAX_EXTENSION).contains(&extension.len())
            && extension
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        (is_hash && is_extension).then_some(Self(text))
    }

    pub const fn as_str(self) -> &'a str {
        self.0
    }

    /// The media type of a file with this extension; `None` for an extension that the service does not make.
    pub fn content_type(self) -> Option<&'static str> {
        (self.0.get(DIGITS..) == Some(".jpg")).then_some("image/jpeg")
    }

    /// The hash of the file.
    pub fn hash(self) -> &'a str {
        self.0.get(..DIGITS).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_is_a_hash_and_an_extension() {
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
        fn no_name_is_a_path(text in "[0-9a-f./%\\\\]{60,72}") {
            if let Some(name) = Name::parse(&text) {
                prop_assert!(!name.as_str().contains(['/', '\\', '%']));
                prop_assert_eq!(name.as_str().matches('.').count(), 1);
            }
        }
    }
}
