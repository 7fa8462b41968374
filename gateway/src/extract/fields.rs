//! The fields of a JSON body that the gateway itself reads (§10.18). Unknown fields and bad values are reported together.

use kit::bad_fields::BadFields;
use kit::json_object::{self, ParseError};
use kit::{Code, Fault, timestamp};
use prost_types::Timestamp;
use serde_json::{Map, Value};

use super::json_body::JsonBody;

/// The most fields that an error names, and the most characters of a name.
const MAX_REPORTED: usize = 50;
const MAX_NAME: usize = 80;

/// The fields of a body, and the bad ones.
#[derive(Debug)]
pub struct Fields {
    values: Map<String, Value>,
    pub bad: BadFields,
}

impl Fields {
    /// Reads a body that may have the fields `known`. Null stands for an absent field.
    ///
    /// # Errors
    /// The body has fields that cannot be represented, such as one that is given twice.
    pub fn read(body: &JsonBody, known: &[&str]) -> Result<Self, Fault> {
        let mut values = json_object::parse(&body.0).map_err(unreadable)?;
        values.retain(|_, value| !value.is_null());
        let mut unknown = values.keys().filter(|name| !known.contains(&name.as_str()));
        let reason = format!(
            "There is no such field. The fields are: {}.",
            known.join(", ")
        );
        let mut bad = BadFields::default();
        let named = unknown.by_ref().take(MAX_REPORTED);
        bad.extend(named.map(|name| (clipped(name), reason.clone())));
        let more = unknown.count();
        if more > 0 {
            bad.add("*", format!("{more} more fields are unknown."));
        }
        Ok(Self { values, bad })
    }

    fn take<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        let value = self.values.remove(name)?;
        self.bad.read(name, read(&value).ok_or(expected))
    }

    pub fn text(&mut self, name: &str) -> Option<String> {
        self.take(name, "Give a text.", |value| {
            value.as_str().map(ToOwned::to_owned)
        })
    }

    pub fn flag(&mut self, name: &str) -> bool {
        let flag = self.take(name, "Give true or false.", Value::as_bool);
        flag.unwrap_or_default()
    }

    pub fn number(&mut self, name: &str) -> Option<u32> {
        self.take(name, "Give a whole number, 0 or more.", |value| {
            value.as_u64()?.try_into().ok()
        })
    }

    pub fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        self.take(name, "Give a list of texts.", |value| {
            let texts = value.as_array()?.iter();
            texts
                .map(|text| text.as_str().map(ToOwned::to_owned))
                .collect()
        })
    }

    pub fn timestamp(&mut self, name: &str) -> Option<Timestamp> {
        self.take(name, timestamp::EXPECTED, |value| {
            timestamp::parse(value.as_str()?).map(timestamp::encode)
        })
    }
}

fn clipped(name: &str) -> String {
    name.chars().take(MAX_NAME).collect()
}

fn unreadable(error: ParseError) -> Fault {
    match error {
        ParseError::Fields(fields) => {
            let fields = fields.into_iter().take(MAX_REPORTED);
            let fields = fields.map(|(field, reason)| (clipped(&field), reason.to_owned()));
            Fault::invalid(fields.collect())
        }
        ParseError::NotUtf8 | ParseError::NotAnObject => {
            Fault::new(Code::BadJson, "The body is not a JSON object in UTF-8.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_fifty_fields() {
        let unknown = (0..2_000).map(|n| format!("\"{n:0>300}\": 1"));
        let unknown: Vec<String> = unknown.collect();
        let body = format!("{{{}, \"name\": \"a\"}}", unknown.join(","));
        let body = JsonBody(body.into());
        let fields = Fields::read(&body, &["name"]).unwrap();
        let bad = fields.bad.into_fields();
        assert_eq!(bad["*"], "1950 more fields are unknown.");
        let length: usize = bad.keys().map(String::len).sum();
        assert!(bad.len() <= 51 && length < 5_000, "{length}");
    }

    #[test]
    fn every_bad_field_is_reported() {
        let body = JsonBody(
            r#"{"name": 5, "may_write": "yes", "events": ["a", 1], "rate_limit": -1, "expires_at": "soon", "other": 1, "game": null}"#
                .into(),
        );
        let known = [
            "name",
            "may_write",
            "events",
            "rate_limit",
            "expires_at",
            "game",
        ];
        let mut fields = Fields::read(&body, &known).unwrap();
        assert_eq!(fields.text("name"), None);
        assert!(!fields.flag("may_write"));
        assert_eq!(fields.texts("events"), None);
        assert_eq!(fields.number("rate_limit"), None);
        assert_eq!(fields.timestamp("expires_at"), None);
        assert_eq!(fields.text("game"), None);
        let names: Vec<String> = fields.bad.into_fields().into_keys().collect();
        assert_eq!(
            names,
            [
                "events",
                "expires_at",
                "may_write",
                "name",
                "other",
                "rate_limit"
            ]
        );
        let twice = JsonBody(r#"{"name": "a", "name": "b"}"#.into());
        assert_eq!(
            Fields::read(&twice, &known).unwrap_err().code,
            Code::Invalid
        );
    }
}
