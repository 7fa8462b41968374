//! The fields of a JSON object as raw text.
//!
//! What is wrong with a field is a clause such as `it is given twice`: a report joins several of them in one message, a tip makes a sentence
//! of each.

use std::collections::HashSet;

pub use kit::api::json_object::MAX_SAFE_INTEGER;
use kit::api::json_object::{self, RawFields};
use serde_json::value::RawValue;

/// The most unexpected fields that one error names (§4.3).
const MAX_REPORTED: usize = 50;
/// The most characters of a name in an error.
const MAX_NAME: usize = 80;

/// The fields of a JSON object, in their order.
#[derive(Debug)]
pub struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Fields<'a> {
    /// Parses a JSON object; `None` for anything else.
    pub fn parse(json: &'a str) -> Option<Self> {
        let RawFields(fields) = serde_json::from_str(json).ok()?;
        Some(Self(fields))
    }

    /// The fields that are not in `known` or are given twice, each with what is wrong with it. `*` has the number of those beyond
    /// [`MAX_REPORTED`].
    pub fn unexpected(&self, known: &[&str]) -> Vec<(String, String)> {
        let mut seen = HashSet::new();
        let mut repeated = HashSet::new();
        let mut hint = format!("; the fields are {}", known.join(", "));
        let mut problems = Vec::new();
        let mut more = 0_usize;
        for (name, _) in &self.0 {
            let is_first = seen.insert(name);
            let is_known = known.contains(&&**name);
            let is_bad = if is_first { !is_known } else { is_known && repeated.insert(name) };
            if !is_bad {
                continue;
            }
            if problems.len() == MAX_REPORTED {
                more += 1;
                continue;
            }
            let problem = if is_known {
                "it is given twice".to_owned()
            } else {
                // Only the first unknown field lists the known ones.
                format!("there is no such field{}", std::mem::take(&mut hint))
            };
            problems.push((clip(name), problem));
        }
        if more > 0 {
            let problem = format!("{more} more fields are unknown or given twice");
            problems.push(("*".to_owned(), problem));
        }
        problems
    }

    /// The raw text of a field; `None` when it is absent or null.
    pub fn raw(&self, name: &str) -> Option<&'a str> {
        let mut fields = self.0.iter();
        let found = fields.find(|(given, _)| given == name)?;
        Some(found.1.get()).filter(|text| *text != "null")
    }

    /// A whole number from `least` to `most`. It is required.
    ///
    /// # Errors
    /// What is wrong with the number.
    pub fn whole(&self, name: &str, least: u64, most: u64) -> Result<u64, String> {
        let Some(text) = self.raw(name) else {
            return Err(format!("it is required: send a whole number from {least} to {most}"));
        };
        let of_float = || {
            let integer = json_object::integer(serde_json::from_str(text).ok()?)?;
            u64::try_from(integer).ok()
        };
        let value = text.parse().ok().or_else(of_float);
        let value = value.filter(|value| (least..=most).contains(value));
        value.ok_or_else(|| format!("it must be a whole number from {least} to {most}"))
    }

    /// A number that `is_valid`; `None` when it is absent or null.
    ///
    /// # Errors
    /// `problem`: it is something else.
    pub fn number(
        &self,
        name: &str,
        is_valid: impl Fn(f64) -> bool,
        problem: &str,
    ) -> Result<Option<f64>, String> {
        let Some(text) = self.raw(name) else {
            return Ok(None);
        };
        let number: Option<f64> = serde_json::from_str(text).ok();
        let number = number.filter(|number| is_valid(*number));
        number.map(Some).ok_or_else(|| problem.to_owned())
    }

    /// A string; `None` when it is absent or null.
    ///
    /// # Errors
    /// It is something else.
    pub fn string(&self, name: &str) -> Result<Option<String>, String> {
        let text = self.raw(name).map(serde_json::from_str);
        text.transpose().map_err(|_other| "it must be a string".to_owned())
    }
}

/// Shortens a name for an error: a client may send names of any length.
fn clip(name: &str) -> String {
    let mut rest = name.chars();
    let mut clipped: String = rest.by_ref().take(MAX_NAME).collect();
    if rest.next().is_some() {
        clipped.push('…');
    }
    clipped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_is_taken_however_it_is_written() {
        let fields = |value: &str| format!(r#"{{"a":{value}}}"#);
        let whole = |value: &str| Fields::parse(&fields(value)).unwrap().whole("a", 0, 10);
        for (good, number) in
            [("0", 0), ("-0.0", 0), ("10", 10), ("10.0", 10), ("1e1", 10), ("0.1e1", 1)]
        {
            assert_eq!(whole(good), Ok(number), "{good}");
        }
        for bad in [
            "11",
            "11.0",
            "-1",
            "-1.0",
            "1.5",
            "1e-1",
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
        let unexpected = |json| Fields::parse(json).unwrap().unexpected(&["a", "b"]);
        assert!(unexpected(r#"{"a":1,"b":2}"#).is_empty());
        let found = unexpected(r#"{"a":1,"\u0061":2,"rate":2,"x":1,"x":2,"a":3}"#);
        let expected = [
            ("a", "it is given twice"),
            ("rate", "there is no such field; the fields are a, b"),
            ("x", "there is no such field"),
        ];
        let expected = expected.map(|(name, problem)| (name.to_owned(), problem.to_owned()));
        assert_eq!(found, expected);
    }

    #[test]
    fn the_number_of_reported_fields_is_bounded() {
        let names = (0..1_000).map(|i| format!(r#""{i}{}":0"#, "x".repeat(1_000)));
        let body = format!("{{{}}}", names.collect::<Vec<_>>().join(","));
        let found = Fields::parse(&body).unwrap().unexpected(&[]);
        assert_eq!(found.len(), MAX_REPORTED + 1);
        assert!(found.iter().all(|(name, _)| name.chars().count() <= MAX_NAME + 1));
        let last = found.last().unwrap();
        assert_eq!(last.1, "950 more fields are unknown or given twice");
    }

    #[test]
    fn deep_nesting_does_not_overflow_the_stack() {
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert!(Fields::parse(&deep).unwrap().whole("a", 0, 10).is_err());
    }
}
