//! Opaque cursors of lists, bound to a list and its filters (§4.1).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

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

    /// The sort key in `cursor`; `None` when it is malformed or has another binding.
    pub fn decode<K: DeserializeOwned>(self, cursor: &str) -> Option<K> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let key = bytes.strip_prefix(&self.0)?;
        serde_json::from_slice(key).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_decodes_only_with_its_binding() {
        let binding = Binding::new("games", [Some("puzzle"), None]);
        let cursor = binding.encode(&(true, "slug")).unwrap();
        assert_eq!(
            binding.decode::<(bool, String)>(&cursor),
            Some((true, "slug".to_owned()))
        );
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
}
