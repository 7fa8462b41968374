//! Opaque cursors of lists, bound to their list and filters (§4.1).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

/// What a cursor belongs to: a list and the filters it was asked with. A cursor of another binding does not decode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding([u8; 8]);

impl Binding {
    /// Binds to `list` and everything about the question that decides which rows are in it.
    pub fn new<'a>(list: &str, filters: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let mut hash = Sha256::new_with_prefix(list);
        for filter in filters {
            // Lengths keep ("ab", "c") and ("a", "bc") apart; absent is not empty.
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

    /// The cursor that stands after the row with sort key `key`.
    pub fn encode(self, key: &impl Serialize) -> Result<String, serde_json::Error> {
        let mut bytes = self.0.to_vec();
        serde_json::to_writer(&mut bytes, key)?;
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// The sort key in `cursor`; `None` when it is damaged or belongs elsewhere.
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
    fn a_cursor_decodes_only_where_it_belongs() {
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
