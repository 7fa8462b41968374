//! The fields of a JSON object as raw text. Numbers are parsed from their digits and never pass through a float.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// 2^53 − 1: JSON readers that use floats hold whole numbers up to this one exactly (`Number.MAX_SAFE_INTEGER`).
pub const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;

/// The fields of a JSON object, in their order.
#[derive(Debug)]
pub struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut fields = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    fields.push((Cow::Owned(name), map.next_value()?));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

impl<'a> Fields<'a> {
    /// Parses a JSON object; `None` for anything else.
    pub fn read(json: &'a str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// The first field that is given twice or is not in `known`, and what is wrong with it.
    pub fn unexpected(&self, known: &[&str]) -> Option<(String, String)> {
        for (at, (name, _)) in self.0.iter().enumerate() {
            if self.0.iter().take(at).any(|(earlier, _)| earlier == name) {
                return Some((name.to_string(), "it is given twice".to_owned()));
            }
            if !known.contains(&&**name) {
                let known = known.join(", ");
                return Some((
                    name.to_string(),
                    format!("there is no such field; the fields are {known}"),
                ));
            }
        }
        None
    }

    /// The raw text of a field; `None` when it is absent or null.
    pub fn raw(&self, name: &str) -> Option<&'a str> {
        let mut fields = self.0.iter();
        let found = fields.find(|(given, _)| given == name)?;
        Some(found.1.get()).filter(|text| *text != "null")
    }

    /// # Errors
    /// What is wrong with the number.
    pub fn whole(&self, name: &str, least: u64, most: u64) -> Result<u64, String> {
        let Some(text) = self.raw(name) else {
            return Err(format!(
                "it is required: send a whole number from {least} to {most}, in digits only"
            ));
        };
        let is_whole = text.bytes().all(|byte| byte.is_ascii_digit());
        let value = text.parse().ok().filter(|_| is_whole);
        let value = value.filter(|value| (least..=most).contains(value));
        value.ok_or_else(|| {
            format!("it must be a whole number from {least} to {most}, in digits only")
        })
    }

    /// A text of 1 to `most` characters without control characters; `None` when it is absent, null or empty.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn text(&self, name: &str, most: usize) -> Result<Option<String>, String> {
        let Some(raw) = self.raw(name) else {
            return Ok(None);
        };
        let Ok(text) = serde_json::from_str::<String>(raw) else {
            return Err("It must be a string.".to_owned());
        };
        let text = text.trim();
        if text.chars().any(char::is_control) {
            return Err("It contains a control character. Remove it.".to_owned());
        }
        if text.chars().count() > most {
            return Err(format!("It must have 1 to {most} characters."));
        }
        Ok(Some(text.to_owned()).filter(|text| !text.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_digits() {
        let fields = |value: &str| format!(r#"{{"a":{value}}}"#);
        let whole = |value: &str| Fields::read(&fields(value)).unwrap().whole("a", 0, 10);
        assert_eq!(whole("0"), Ok(0));
        assert_eq!(whole("10"), Ok(10));
        for bad in [
            "11",
            "-1",
            "1.0",
            "1e0",
            "1e400",
            "\"1\"",
            "null",
            "true",
            "[1]",
            "{}",
            "99999999999999999999999",
        ] {
            assert!(whole(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn unknown_and_repeated_fields_are_found() {
        let unexpected = |json| Fields::read(json).unwrap().unexpected(&["a", "b"]);
        assert_eq!(unexpected(r#"{"a":1,"b":2}"#), None);
        assert_eq!(unexpected(r#"{"a":1,"\u0061":2}"#).unwrap().0, "a");
        assert_eq!(unexpected(r#"{"a":1,"rate":2}"#).unwrap().0, "rate");
    }

    #[test]
    fn nesting_is_passed_over_however_deep() {
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert!(Fields::read(&deep).unwrap().whole("a", 0, 10).is_err());
    }
}
