//! The JSON of a body.
//!
//! Some of what the grammar of JSON allows cannot be held: a number such as `1e400`, half of a surrogate pair, very deep nesting. Each
//! field is read by itself, so that the report names the field and says what is wrong with it.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::domain::fields::{Fields, Problems};

/// Why a body cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// It is not a JSON object in UTF-8.
    NotAnObject,
    /// It is one, with fields that cannot be held.
    Fields(Problems),
}

/// Reads a JSON object. Of two fields with the same name the last one counts.
///
/// # Errors
/// When it is not a JSON object, or has fields that cannot be held.
pub fn object(body: &[u8]) -> Result<Map<String, Value>, Unreadable> {
    let Ok(raw) = serde_json::from_slice::<BTreeMap<String, &RawValue>>(body) else {
        return Err(Unreadable::NotAnObject);
    };
    let mut object = Map::new();
    let nothing = Map::new();
    let mut unreadable = Fields::new(&nothing);
    for (name, raw) in raw {
        match serde_json::from_str(raw.get()) {
            Ok(value) => {
                object.insert(name, value);
            }
            Err(error) => {
                let reason = reason(&error).unwrap_or("This is not JSON that can be read.");
                unreadable.refuse(&name, reason);
            }
        }
    }
    unreadable.finish(object).map_err(Unreadable::Fields)
}

/// Why JSON that is well-formed cannot be held; `None` when it is not well-formed. The error of `serde_json` says it in its message only.
pub fn reason(error: &serde_json::Error) -> Option<&'static str> {
    let message = error.to_string();
    if message.starts_with("number out of range") {
        Some("This number is too large to be read.")
    } else if message.starts_with("recursion limit") {
        Some("This is nested too deeply.")
    } else if message.contains("surrogate") || message.contains("hex escape") {
        Some(
            "The text has one half of a surrogate pair, such as \\ud83d without what follows: send both halves, or the character itself.",
        )
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_that_cannot_be_held_are_named_for_what_they_are() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for (value, word) in [
            ("1e400", "too large"),
            ("-1e400", "too large"),
            ("[1, 1e999]", "too large"),
            (r#""\ud800""#, "surrogate"),
            (r#""\ud83d\u0041""#, "surrogate"),
            (r#""\udc00""#, "surrogate"),
            (deep.as_str(), "too deeply"),
        ] {
            let body = format!(r#"{{"title": "Bao", "tagline": {value}, "links": {value}}}"#);
            let Err(Unreadable::Fields(problems)) = object(body.as_bytes()) else {
                panic!("{value} was read");
            };
            assert!(problems.keys().eq(["links", "tagline"]), "{value}");
            assert!(
                problems["tagline"].contains(word),
                "{}",
                problems["tagline"]
            );
        }
    }

    #[test]
    fn only_an_object_is_a_body() {
        let read = object(br#"{"title": "a", "title": "b", "links": {"play": null}}"#);
        let expected = json!({"title": "b", "links": {"play": null}});
        assert_eq!(read.map(Value::Object), Ok(expected));
        for bad in [
            &b""[..],
            b"[]",
            b"7",
            b"{",
            b"{\"a\": \"\xFF\"}",
            b"{\"a\": 01}",
            b"{} {}",
        ] {
            assert_eq!(object(bad), Err(Unreadable::NotAnObject), "{bad:?}");
        }
    }
}
