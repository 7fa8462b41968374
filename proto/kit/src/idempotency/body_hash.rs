//! The hash of a body's value: two bodies that say the same have the same, however they are written (§10.4).

use serde_json::{Map, Number, Value};
use sha2::{Digest as _, Sha256};

/// Whole numbers up to here are told apart in a float.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The SHA-256 of an object's value. The order of keys, white space, escapes in texts and the way of writing a number make no difference;
/// the order of a list does.
pub fn of(body: &Map<String, Value>) -> Vec<u8> {
    // The map is ordered by its keys, so that it is always written alike.
    let mut body = Value::Object(body.clone());
    whole(&mut body);
    Sha256::digest(body.to_string()).to_vec()
}

/// Writes 1.0 and 1e0 as 1.
fn whole(value: &mut Value) {
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
        Value::Array(values) => values.iter_mut().for_each(whole),
        Value::Object(fields) => fields.values_mut().for_each(whole),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(body: &str) -> Vec<u8> {
        of(&serde_json::from_str(body).unwrap())
    }

    #[test]
    fn how_a_body_is_written_makes_no_difference() {
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
}
