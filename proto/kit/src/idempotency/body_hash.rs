//! The hash of a JSON body's value: values that are stored as equal ones have equal hashes, however they are written (§10.4).

use serde_json::{Map, Number, Value};
use sha2::{Digest as _, Sha256};

use crate::text;

/// The largest magnitude up to which a float represents every whole number (2^53).
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The SHA-256 of an object's value.
///
/// It does not depend on the order of keys, white space around strings, escapes and the Unicode normal form in strings or the notation of
/// numbers, but on the order of arrays.
pub fn of(body: &Map<String, Value>) -> Vec<u8> {
    // The map is sorted by key, so its text is canonical.
    let mut body = Value::Object(body.clone());
    normalize(&mut body);
    Sha256::digest(body.to_string()).to_vec()
}

/// Writes 1.0 and 1e0 as 1, and strings as they are stored.
fn normalize(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let float = number.as_f64().filter(|_| number.is_f64());
            let float = float.filter(|float| float.fract() == 0.0 && float.abs() < EXACT);
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a whole number below 2^53 is one of these"
            )]
            if let Some(float) = float {
                *number = Number::from(float as i64);
            }
        }
        Value::String(string) => *string = text::normalize(string),
        Value::Array(values) => values.iter_mut().for_each(normalize),
        Value::Object(fields) => fields.values_mut().for_each(normalize),
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(body: &str) -> Vec<u8> {
        of(&serde_json::from_str(body).unwrap())
    }

    #[test]
    fn the_hash_depends_on_the_value_only() {
        let body = hash(r#"{"title":"Bao","links":{"play":"a","itch":"b"},"release_year":2024}"#);
        for same in [
            r#" {"release_year": 2024, "links": {"itch": "b", "play": "a"}, "title": "Bao"}"#,
            r#"{"title":"\u0042ao","links":{"play":"a","itch":"b"},"release_year":2024.0}"#,
            r#"{"title":"Bao","links":{"play":"a","itch":"b"},"release_year":2.024e3}"#,
        ] {
            assert_eq!(hash(same), body, "{same}");
        }
        for other in [
            r#"{"title":"Bao","links":{"play":"b","itch":"a"},"release_year":2024}"#,
            r#"{"title":"Bao","links":{"play":"a","itch":"b"},"release_year":"2024"}"#,
            r#"{"title":"Bao","links":{"play":"a","itch":"b"},"release_year":2024.5}"#,
            r#"{"title":"Bao","links":{"play":"a","itch":"b"}}"#,
            r#"{"title":"Bao","links":{"play":"a","itch":"b"},"release_year":2024,"city":null}"#,
        ] {
            assert_ne!(hash(other), body, "{other}");
        }
        assert_ne!(
            hash(r#"{"genres":["a","b"]}"#),
            hash(r#"{"genres":["b","a"]}"#)
        );
        assert_eq!(hash(r#"{"n":-0.0}"#), hash(r#"{"n":0}"#));
    }

    #[test]
    fn texts_are_compared_as_they_are_stored() {
        let composed = hash(r#"{"title":"Caf\u00e9","tags":["a\nb"]}"#);
        for same in [
            r#"{"title":"Cafe\u0301","tags":["a\nb"]}"#,
            r#"{"title":" Caf\u00e9 ","tags":["a\r\nb"]}"#,
        ] {
            assert_eq!(hash(same), composed, "{same}");
        }
        assert_ne!(hash(r#"{"title":"Cafe","tags":["a\nb"]}"#), composed);
    }
}
