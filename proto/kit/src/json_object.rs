//! A JSON object as a caller sent it.
//!
//! The grammar of JSON allows what cannot be taken as it was meant: a field that is given twice, a number such as `1e400`, half of a
//! surrogate pair, very deep nesting. Each field is parsed separately, so that an error names the field and the reason.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Characters of a path at most. It bounds what the report of a body that nests long names takes.
const PATH: usize = 100;

/// Why a field is refused that stands in its object a second time.
const TWICE: &str = "It is given twice.";

/// Why a body cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// It is not UTF-8.
    NotUtf8,
    /// It is not a JSON object.
    NotAnObject,
    /// It is one, with fields that cannot be taken: the path of each, such as `links.play`, and why. Only the beginning of a path of more
    /// than a hundred characters is given.
    Fields(BTreeMap<String, &'static str>),
}

/// Reads a JSON object.
///
/// # Errors
/// When it is not a JSON object in UTF-8, or has fields that cannot be taken.
pub fn read(body: &[u8]) -> Result<Map<String, Value>, Unreadable> {
    let Ok(body) = str::from_utf8(body) else {
        return Err(Unreadable::NotUtf8);
    };
    let Ok(RawFields(fields)) = serde_json::from_str(body) else {
        return Err(Unreadable::NotAnObject);
    };
    let mut object = Map::new();
    let mut report = Report::default();
    for (name, raw) in fields {
        report.path.clear();
        report.enter(&name);
        if object.contains_key(&name) {
            report.refuse(TWICE);
        }
        let mut json = serde_json::Deserializer::from_str(raw.get());
        let value = StrictValue(&mut report).deserialize(&mut json);
        let value = value.unwrap_or_else(|error| {
            // The field is named, not the place in it where reading stopped.
            report.path.clear();
            report.enter(&name);
            report.refuse(reason(&error).unwrap_or("This is not JSON that can be read."));
            Value::Null
        });
        object.insert(name, value);
    }
    if report.problems.is_empty() {
        Ok(object)
    } else {
        Err(Unreadable::Fields(report.problems))
    }
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

/// What is wrong with the fields that were read, and where the reader is.
#[derive(Debug, Default)]
struct Report {
    path: String,
    problems: BTreeMap<String, &'static str>,
}

impl Report {
    /// Goes into a field or an element. Returns the length of the path before, to which it is cut on the way out.
    fn enter(&mut self, step: &str) -> usize {
        let outer = self.path.len();
        // As many characters have no more bytes. Without this bound each of many short fields below a deep one would cost a long path.
        if outer <= 4 * PATH {
            if outer > 0 {
                self.path.push('.');
            }
            self.path.push_str(step);
        }
        outer
    }

    /// Notes that the field at the path is bad. The first reason stands.
    fn refuse(&mut self, reason: &'static str) {
        let path = self.path.chars().take(PATH).collect();
        self.problems.entry(path).or_insert(reason);
    }
}

/// The fields of an object in their order, not read yet.
struct RawFields<'de>(Vec<(String, &'de RawValue)>);

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

/// Reads any value as [`Value`] does, and reports the fields that an object in it has twice.
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
        Ok(value.into())
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
                report.refuse(TWICE);
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
    use super::*;
    use serde_json::json;

    /// The fields of a body that are refused, and why.
    fn refused(body: &str) -> Vec<(String, &'static str)> {
        match read(body.as_bytes()) {
            Err(Unreadable::Fields(problems)) => problems.into_iter().collect(),
            other => panic!("{body}: {other:?}"),
        }
    }

    #[test]
    fn an_object_is_read_as_it_stands() {
        let body = json!({
            "null": null, "yes": true, "whole": [0, -1, u64::MAX, i64::MIN], "part": [0.5, -2.25],
            "text": "B\u{e3}o \u{1f3ae}", "links": {"play": {"play": {}}}, "": [[], [{}]],
        });
        assert_eq!(
            read(body.to_string().as_bytes()).map(Value::Object),
            Ok(body)
        );
        let escaped = read(br#"{"\u0061": "\ud83c\udfae\n"}"#);
        assert_eq!(escaped.map(Value::Object), Ok(json!({"a": "\u{1f3ae}\n"})));
    }

    #[test]
    fn a_field_that_is_given_twice_is_refused_wherever_it_stands() {
        for (body, paths) in [
            (r#"{"title": "a", "title": "b"}"#, vec!["title"]),
            (r#"{"title": "a", "title": "a"}"#, vec!["title"]),
            (
                r#"{"title": 1, "tit\u006ce": 2, "title": 3}"#,
                vec!["title"],
            ),
            (
                r#"{"links": {"play": "a", "play": "b"}}"#,
                vec!["links.play"],
            ),
            (
                r#"{"a": [{"b": 1}, {"b": 1, "b": {"c": 1, "c": 1}}], "d": 1, "d": 1}"#,
                vec!["a.1.b", "a.1.b.c", "d"],
            ),
        ] {
            let expected: Vec<_> = paths
                .iter()
                .map(|path| ((*path).to_owned(), TWICE))
                .collect();
            assert_eq!(refused(body), expected, "{body}");
        }
        let apart = json!({"play": {"play": 1}, "list": [{"play": 1}, {"play": 1}]});
        assert!(read(apart.to_string().as_bytes()).is_ok());
    }

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
            let problems = refused(&body);
            let names: Vec<&str> = problems.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names, ["links", "tagline"], "{value}");
            assert!(problems[1].1.contains(word), "{}", problems[1].1);
        }
    }

    #[test]
    fn only_an_object_is_a_body() {
        for bad in [
            "",
            "[]",
            "7",
            "null",
            "{",
            r#"{"a": 01}"#,
            "{} {}",
            "\u{FEFF}{}",
        ] {
            assert_eq!(read(bad.as_bytes()), Err(Unreadable::NotAnObject), "{bad}");
        }
        for bad in [&b"{\"a\": \"\xFF\"}"[..], b"{\"caf\xE9\": 1}", b"\xFF"] {
            assert_eq!(read(bad), Err(Unreadable::NotUtf8), "{bad:?}");
        }
    }

    #[test]
    fn a_long_path_is_cut_off() {
        let name = "x".repeat(1_000);
        let body = format!(r#"{{"{name}": {{"{name}": {{"a": 1, "a": 1, "b": 1, "b": 1}}}}}}"#);
        assert_eq!(refused(&body), [("x".repeat(PATH), TWICE)]);
    }
}
