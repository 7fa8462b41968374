//! Opaque cursors of lists, bound to a list and its filters (§4.1).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

/// Binds cursors to a list and its filters. A cursor of another binding does not decode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding([u8; 8]);

impl Binding {
    /// A binding to `list` and to the filters that select its rows.
    pub fn new<'a>(list: &str, filters: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let mut hash = Sha256::new_with_prefix(list);
        for filter in filters {
            // The lengths distinguish ("ab", "c") from ("a", "bc"). An absent filter differs from an empty one.
            match filter {
                Some(text) => {
                    hash.update([1]);
                    hash.update(text.len().to_le_bytes());
                    hash.update(text);
                }
                None => hash.update([0]),
            }
        }
        let digest = hash.finalize();
        let mut binding = [0; 8];
        binding.copy_from_slice(&digest[..8]);
        Self(binding)
    }

    /// The cursor after the row with the sort key `key`.
    pub fn encode(self, key: &impl Serialize) -> Result<String, serde_json::Error> {
        let mut bytes = self.0.to_vec();
        serde_json::to_writer(&mut bytes, key)?;
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// The sort key in `cursor`; `None` when it is malformed, has another binding, or has a NUL, which PostgreSQL refuses in a text.
    pub fn decode<K: DeserializeOwned>(self, cursor: &str) -> Option<K> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let key = str::from_utf8(bytes.strip_prefix(&self.0)?).ok()?;
        // JSON escapes each NUL. Escaped backslashes are left out first: a text may have a backslash before `u0000`.
        let has_nul = key.replace(r"\\", "").contains(r"\u0000");
        serde_json::from_str(key).ok().filter(|_| !has_nul)
    }
}

/// The time of a row in a sort key, as nanoseconds. An edited cursor with a time that PostgreSQL may not have does not decode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "i128", into = "i128")]
pub struct SortTime(pub OffsetDateTime);

impl From<SortTime> for i128 {
    fn from(SortTime(at): SortTime) -> Self {
        at.unix_timestamp_nanos()
    }
}

impl TryFrom<i128> for SortTime {
    type Error = &'static str;

    fn try_from(nanos: i128) -> Result<Self, Self::Error> {
        let at = OffsetDateTime::from_unix_timestamp_nanos(nanos).ok();
        at.filter(|at| (0..=9_999).contains(&at.year())).map(Self).ok_or("no time of a row")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_cursor_decodes_only_with_its_binding() {
        let binding = Binding::new("games", [Some("puzzle"), None]);
        let cursor = binding.encode(&(true, "slug")).unwrap();
        assert_eq!(binding.decode::<(bool, String)>(&cursor), Some((true, "slug".to_owned())));
        for other in [
            Binding::new("games", [None, Some("puzzle")]),
            Binding::new("games", [Some("puzzl"), Some("e")]),
            Binding::new("games", [Some("puzzle"), Some("")]),
            Binding::new("creators", [Some("puzzle"), None]),
        ] {
            assert_eq!(other.decode::<(bool, String)>(&cursor), None);
        }
        assert_eq!(binding.decode::<(bool, String)>("%"), None);
        assert_eq!(binding.decode::<(bool, String)>(""), None);
    }

    #[test]
    fn a_time_decodes_only_within_the_years_of_rows() {
        let binding = Binding::new("reports", []);
        let at = time::macros::datetime!(2026-03-01 08:00:00.123456 UTC);
        let cursor = binding.encode(&(SortTime(at), 7)).unwrap();
        assert_eq!(binding.decode(&cursor), Some((SortTime(at), 7)));
        for year_minus_one in [-62_198_755_200_000_000_000_i128, i128::MAX] {
            let cursor = binding.encode(&(year_minus_one, 7)).unwrap();
            assert_eq!(binding.decode::<(SortTime, u8)>(&cursor), None);
        }
    }

    #[test]
    fn a_key_with_a_nul_does_not_decode() {
        let binding = Binding::new("names", []);
        let decode = |key: &str| {
            let cursor = binding.encode(&key).unwrap();
            binding.decode::<String>(&cursor)
        };
        for key in ["\0", "bao\0", "\\\0", "\\\\\0"] {
            assert_eq!(decode(key), None, "{key:?}");
        }
        for key in [r"\u0000", r"\\u0000", "\u{1}0000"] {
            assert_eq!(decode(key).as_deref(), Some(key));
        }
    }

    proptest! {
        #[test]
        fn any_cursor_can_be_decoded(text: String) {
            let binding = Binding::new("games", []);
            prop_assert_eq!(binding.decode::<(SortTime, String)>(&text), None);
        }

        #[test]
        fn any_key_decodes_to_what_encodes_again(key in "\\[-?[0-9]{1,23},\"[a-z\\\\]{0,4}\"\\]?") {
            let binding = Binding::new("games", []);
            let cursor = URL_SAFE_NO_PAD.encode([&binding.0[..], key.as_bytes()].concat());
            if let Some(key) = binding.decode::<(SortTime, String)>(&cursor) {
                let again = binding.encode(&key).unwrap();
                prop_assert_eq!(binding.decode(&again), Some(key));
            }
        }
    }
}
