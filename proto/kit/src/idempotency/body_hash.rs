//! The hash of a JSON body (§10.4).

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// The SHA-256 of an object as [`json_object`](crate::api::json_object) parsed it: without the order of its keys, white space between them, escapes,
/// and the spelling of whole numbers.
pub fn of(body: &Map<String, Value>) -> Vec<u8> {
    // The map is sorted by key, so its text is canonical.
    Sha256::digest(Value::Object(body.clone()).to_string()).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(body: &str) -> Vec<u8> {
        of(&crate::api::json_object::parse(body.as_bytes()).unwrap())
    }

    #[test]
    fn the_hash_depends_on_what_is_parsed() {
        let body = hash(r#"{"title":"Bao","links":{"play":"a","itch":"b"},"release_year":2024}"#);
        for same in [
            r#" {"release_year": 2024, "links": {"itch": "b", "play": "a"}, "title": "Bao"}"#,
            r#"{"title":"\u0042ao","links":{"play":"a","itch":"b"},"release_year":2024}"#,
            r#"{"title":"Bao","links":{"play":"a","itch":"b"},"release_year":2.024e3}"#,
        ] {
            assert_eq!(hash(same), body, "{same}");
        }
        for other in [
            r#"{"title":"Bao","links":{"play":"b","itch":"a"},"release_year":2024}"#,
            r#"{"title":"Bao","links":{"play":"a","itch":"b"},"release_year":"2024"}"#,
            r#"{"title":"Bao","links":{"play":"a","itch":"b"}}"#,
            r#"{"title":"Bao","links":{"play":"a","itch":"b"},"release_year":2024,"city":null}"#,
        ] {
            assert_ne!(hash(other), body, "{other}");
        }
        assert_ne!(hash(r#"{"genres":["a","b"]}"#), hash(r#"{"genres":["b","a"]}"#));
    }
}
