//! Strict parsing of a JSON object.
//!
//! The grammar of JSON allows values that have no unambiguous meaning or cannot be represented: duplicate fields, a number such as `1e400`, half
//! of a surrogate pair, very deep nesting. Each field is parsed separately, so that an error names the field and the reason.
//!
//! Programs whose numbers are floats write 1000 as `1000.0` or `1e3`. Such a number is parsed as the integer, so that no reader, comparison or hash
//! of a body tells the spellings apart.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The most characters of a path. It bounds the size of the error for a body with long nested names.
const MAX_PATH: usize = 100;

/// 2^53 − 1: floats hold whole numbers up to this one exactly (`Number.MAX_SAFE_INTEGER` in JavaScript).
pub const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;

/// The error of a duplicate field.
const DUPLICATE: &str = "It is given twice.";

/// Why a body cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParseError {
    /// It is not UTF-8.
    NotUtf8,
    /// It is not a JSON object.
    NotAnObject,
    /// It has invalid fields: the path of each, such as `links.play`, and the reason. A path is cut after 100 characters.
    Fields(BTreeMap<String, &'static str>),
}

/// Parses a JSON object.
///
/// # Errors
/// The body is not a JSON object in UTF-8, or it has invalid fields.
pub fn parse(body: &[u8]) -> Result<Map<String, Value>, ParseError> {
    let Ok(body) = str::from_utf8(body) else {
        return Err(ParseError::NotUtf8);
    };
    let Ok(RawFields(fields)) = serde_json::from_str(body) else {
        return Err(ParseError::NotAnObject);
    };
    let mut object = Map::new();
    let mut report = Report::default();
    for (name, raw) in fields {
        report.path.clear();
        report.enter(&name);
        if object.contains_key(&name) {
            report.record(DUPLICATE);
        }
        let mut json = serde_json::Deserializer::from_str(raw.get());
        let value = StrictValue(&mut report).deserialize(&mut json);
        let value = value.unwrap_or_else(|error| {
            // The error names the field, not the position inside it.
            report.path.clear();
            report.enter(&name);
            report.record(reason(&error).unwrap_or("It is not valid JSON."));
            Value::Null
        });
        object.insert(name, value);
    }
    if report.errors.is_empty() { Ok(object) } else { Err(ParseError::Fields(report.errors)) }
}

/// The integer that a float is, if it is whole and within ±[`MAX_SAFE_INTEGER`].
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a float holds these integers exactly"
)]
pub fn integer(number: f64) -> Option<i64> {
    let is_integer = number.fract() == 0.0 && number.abs() <= MAX_SAFE_INTEGER as f64;
    is_integer.then_some(number as i64)
}

/// Why well-formed JSON cannot be represented; `None` when it is not well-formed. `serde_json` reports this only in the text of its error.
pub fn reason(error: &serde_json::Error) -> Option<&'static str> {
    let message = error.to_string();
    if message.starts_with("number out of range") {
        Some("The number is too large.")
    } else if message.starts_with("recursion limit") {
        Some("It is nested too deeply.")
    } else if message.contains("surrogate") || message.contains("hex escape") {
        Some(
            "The text has half of a surrogate pair, such as \\ud83d alone: send both halves, or the character itself.",
        )
    } else {
        None
    }
}

/// The errors of fields, and the current path.
#[derive(Debug, Default)]
struct Report {
    path: String,
    errors: BTreeMap<String, &'static str>,
}

impl Report {
    /// Appends a field or an element to the path. Returns the length of the path before, to which the caller truncates it afterwards.
    fn enter(&mut self, step: &str) -> usize {
        let outer = self.path.len();
        // MAX_PATH characters have at most four times as many bytes. Without this bound many short fields below a deep one would each cost a
        // long path.
        if outer <= 4 * MAX_PATH {
            if outer > 0 {
                self.path.push('.');
            }
            self.path.push_str(step);
        }
        outer
    }

    /// Records an error of the field at the current path. The first error of a field counts.
    fn record(&mut self, reason: &'static str) {
        let path = self.path.chars().take(MAX_PATH).collect();
        self.errors.entry(path).or_insert(reason);
    }
}

/// The fields of an object in their order, not parsed yet.
#[derive(Debug)]
pub struct RawFields<'de>(pub Vec<(String, &'de RawValue)>);

impl<'de> Deserialize<'de> for RawFields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = RawFields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(RawFields(fields))
            }
        }

        deserializer.deserialize_map(Fields)
    }
}

/// Parses any value like [`Value`], but floats that are an [`integer`] as that, and records duplicate fields of objects in it.
struct StrictValue<'r>(&'r mut Report);

impl<'de> DeserializeSeed<'de> for StrictValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(integer(value).map_or_else(|| value.into(), Value::from))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let Self(report) = self;
        let mut values = Vec::new();
        loop {
            let outer = report.enter(&values.len().to_string());
            let value = elements.next_element_seed(StrictValue(report))?;
            report.path.truncate(outer);
            match value {
                Some(value) => values.push(value),
                None => return Ok(values.into()),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let Self(report) = self;
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let outer = report.enter(&name);
            if object.contains_key(&name) {
                report.record(DUPLICATE);
            }
            let value = fields.next_value_seed(StrictValue(report))?;
            report.path.truncate(outer);
            object.insert(name, value);
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// The invalid fields of a body, with reasons.
    fn invalid_fields(body: &str) -> Vec<(String, &'static str)> {
        match parse(body.as_bytes()) {
            Err(ParseError::Fields(problems)) => problems.into_iter().collect(),
            other => panic!("{body}: {other:?}"),
        }
    }

    #[test]
    fn a_valid_object_is_parsed() {
        let body = json!({
            "null": null, "yes": true, "whole": [0, -1, u64::MAX, i64::MIN], "part": [0.5, -2.25],
            "text": "B\u{e3}o \u{1f3ae}", "links": {"play": {"play": {}}}, "": [[], [{}]],
        });
        assert_eq!(parse(body.to_string().as_bytes()).map(Value::Object), Ok(body));
        let escaped = parse(br#"{"\u0061": "\ud83c\udfae\n"}"#);
        assert_eq!(escaped.map(Value::Object), Ok(json!({"a": "\u{1f3ae}\n"})));
    }

    #[test]
    fn whole_numbers_are_integers_however_they_are_written() {
        for (written, parsed) in [
            ("1000.0", json!(1000)),
            ("1e3", json!(1000)),
            ("1.5E1", json!(15)),
            ("-2.0", json!(-2)),
            ("-0.0", json!(0)),
            ("9007199254740991.0", json!(MAX_SAFE_INTEGER)),
            ("[{\"a\": 640.0}]", json!([{"a": 640}])),
            ("100.5", json!(100.5)),
            ("9007199254740992.0", json!(9_007_199_254_740_992.0)),
            ("1e300", json!(1e300)),
        ] {
            let object = parse(format!(r#"{{"a": {written}}}"#).as_bytes()).unwrap();
            assert_eq!(object["a"], parsed, "{written}");
        }
    }

    #[test]
    fn duplicate_fields_are_rejected_at_any_depth() {
        for (body, paths) in [
            (r#"{"title": "a", "title": "b"}"#, vec!["title"]),
            (r#"{"title": "a", "title": "a"}"#, vec!["title"]),
            (r#"{"title": 1, "tit\u006ce": 2, "title": 3}"#, vec!["title"]),
            (r#"{"links": {"play": "a", "play": "b"}}"#, vec!["links.play"]),
            (
                r#"{"a": [{"b": 1}, {"b": 1, "b": {"c": 1, "c": 1}}], "d": 1, "d": 1}"#,
                vec!["a.1.b", "a.1.b.c", "d"],
            ),
        ] {
            let expected: Vec<_> =
                paths.iter().map(|path| ((*path).to_owned(), DUPLICATE)).collect();
            assert_eq!(invalid_fields(body), expected, "{body}");
        }
        let apart = json!({"play": {"play": 1}, "list": [{"play": 1}, {"play": 1}]});
        assert!(parse(apart.to_string().as_bytes()).is_ok());
    }

    #[test]
    fn values_that_cannot_be_represented_are_rejected_with_a_reason() {
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
            let problems = invalid_fields(&body);
            let names: Vec<&str> = problems.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names, ["links", "tagline"], "{value}");
            assert!(problems[1].1.contains(word), "{}", problems[1].1);
        }
    }

    #[test]
    fn other_values_than_objects_are_rejected() {
        for bad in ["", "[]", "7", "null", "{", r#"{"a": 01}"#, "{} {}", "\u{FEFF}{}"] {
            assert_eq!(parse(bad.as_bytes()), Err(ParseError::NotAnObject), "{bad}");
        }
        for bad in [&b"{\"a\": \"\xFF\"}"[..], b"{\"caf\xE9\": 1}", b"\xFF"] {
            assert_eq!(parse(bad), Err(ParseError::NotUtf8), "{bad:?}");
        }
    }

    #[test]
    fn a_long_path_is_cut() {
        let name = "x".repeat(1_000);
        let body = format!(r#"{{"{name}": {{"{name}": {{"a": 1, "a": 1, "b": 1, "b": 1}}}}}}"#);
        assert_eq!(invalid_fields(&body), [("x".repeat(MAX_PATH), DUPLICATE)]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_object_or_refused(body in vec(any::<u8>(), 0..200)) {
            prop_assert!(agrees_with_serde_json(&body));
        }

        /// Generates bodies that are almost JSON, which random bytes seldom are.
        #[test]
        fn any_body_is_an_object_or_refused(fields in "(\"[a-b\\\\]{0,3}\":[\\[\\]\\{\\}0-9eE.\"u\\\\dD8, :-]{0,12},?){0,4}") {
            let body = format!("{{{}}}", fields.trim_end_matches(','));
            prop_assert!(agrees_with_serde_json(body.as_bytes()));
        }
    }

    /// Whether `parse` returns what `serde_json` does, or refuses the body with reasons.
    fn agrees_with_serde_json(body: &[u8]) -> bool {
        match parse(body) {
            Ok(object) => {
                let other = serde_json::from_slice::<Map<String, Value>>(body);
                other.is_ok_and(|other| floats(other.into()) == floats(object.into()))
            }
            Err(ParseError::Fields(fields)) => fields.values().all(|reason| !reason.is_empty()),
            Err(ParseError::NotUtf8 | ParseError::NotAnObject) => true,
        }
    }

    /// The value with all its numbers as floats.
    fn floats(value: Value) -> Value {
        match value {
            Value::Number(number) => number.as_f64().into(),
            Value::Array(values) => values.into_iter().map(floats).collect(),
            Value::Object(fields) => {
                let fields = fields.into_iter();
                Value::Object(fields.map(|(name, value)| (name, floats(value))).collect())
            }
            other => other,
        }
    }
}
