//! Reads single values: strings, numbers, dates.

use std::ops::RangeInclusive;

use kit::api::timestamp;
use serde_json::Value;
use time::format_description::BorrowedFormatItem;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, OffsetDateTime, UtcOffset};

use super::Fields;
use crate::domain::{address, slug, text};

/// Years that a timestamp may have.
const YEAR_RANGE: RangeInclusive<i32> = 1900..=2999;

const DATE: &[BorrowedFormatItem<'static>] = format_description!("[year]-[month]-[day]");

impl Fields<'_> {
    /// Reads a string; `read` parses it.
    pub fn text<T>(
        &mut self,
        path: &str,
        value: &Value,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let read = match value {
            Value::String(text) => read(text),
            other => Err(format!("This must be text, not {}.", type_name(other))),
        };
        self.ok_or_refuse(path, read)
    }

    /// Returns the value, or records the problem.
    pub fn ok_or_refuse<T>(&mut self, path: &str, read: Result<T, String>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(reason) => {
                self.refuse(path, reason);
                None
            }
        }
    }

    /// Reads a title or a name: one line, required.
    pub fn title(&mut self, name: &'static str) -> String {
        let missing = format!("Give a {name}: it is required.");
        let read = self
            .required(name, &missing)
            .and_then(|value| self.text(name, value, |raw| text::line(raw, text::MAX_TITLE)))
            .unwrap_or_default();
        if read.is_empty() {
            self.refuse(name, missing);
        }
        read
    }

    /// Reads one line; empty when the field is missing.
    pub fn line(&mut self, name: &'static str, max_chars: usize) -> String {
        self.value(name)
            .and_then(|value| self.text(name, value, |raw| text::line(raw, max_chars)))
            .unwrap_or_default()
    }

    /// Reads a text of several lines; empty when the field is missing.
    pub fn paragraphs(&mut self, name: &'static str, max_chars: usize) -> String {
        self.value(name)
            .and_then(|value| self.text(name, value, |raw| text::paragraphs(raw, max_chars)))
            .unwrap_or_default()
    }

    /// Reads a slug, a handle or a key; required.
    pub fn slug(&mut self, name: &'static str) -> String {
        self.required(name, &format!("Give a {name}: it identifies the row."))
            .and_then(|value| self.text(name, value, parse_slug))
            .unwrap_or_default()
    }

    pub fn address(&mut self, name: &'static str) -> Option<String> {
        let value = self.value(name)?;
        self.text(name, value, address::read)
    }

    pub fn picture(&mut self, name: &'static str, public_url: &str) -> Option<String> {
        let value = self.value(name)?;
        self.text(name, value, |raw| address::read_picture(raw, public_url))
    }

    /// Reads a boolean; false when the field is missing.
    pub fn boolean(&mut self, name: &'static str) -> bool {
        match self.value(name) {
            None => false,
            Some(Value::Bool(flag)) => *flag,
            Some(other) => {
                let reason = format!("This must be true or false, not {}.", type_name(other));
                self.refuse(name, reason);
                false
            }
        }
    }

    /// Reads one of `words`; required.
    pub fn choice(&mut self, name: &'static str, words: &[&str]) -> String {
        let missing = format!("Give a {name}: {}.", or_list(words));
        self.required(name, &missing)
            .and_then(|value| self.text(name, value, |raw| parse_choice(raw, words)))
            .unwrap_or_default()
    }

    pub fn integer(&mut self, name: &'static str, range: RangeInclusive<i64>) -> Option<i64> {
        let value = self.value(name)?;
        let read = integer(value, range);
        self.ok_or_refuse(name, read)
    }

    /// Reads a timestamp, truncated to milliseconds: answers print no more, and the printed value must read back equal.
    pub fn timestamp(&mut self, name: &'static str) -> Option<OffsetDateTime> {
        let value = self.value(name)?;
        self.text(name, value, |raw| {
            let at = OffsetDateTime::parse(raw, &Rfc3339)
                .ok()
                .and_then(|at| at.checked_to_offset(UtcOffset::UTC))
                .map(OffsetDateTime::truncate_to_millisecond)
                .ok_or("Write it as a timestamp, such as 2026-03-01T08:00:00.000Z.")?;
            if YEAR_RANGE.contains(&at.year()) {
                return Ok(at);
            }
            let (first, last) = (YEAR_RANGE.start(), YEAR_RANGE.end());
            Err(format!("The year must be from {first} to {last}."))
        })
    }

    /// Reads `created_at` and `updated_at` of a row of a file.
    pub fn row_times(
        &mut self,
        no_later_than: Option<OffsetDateTime>,
    ) -> (Option<OffsetDateTime>, Option<OffsetDateTime>) {
        let created_at = self.timestamp("created_at");
        let updated_at = self.timestamp("updated_at");
        for (name, at) in [("created_at", created_at), ("updated_at", updated_at)] {
            if let (Some(at), Some(now)) = (at, no_later_than)
                && let Err(reason) = timestamp::not_in_the_future(at, now)
            {
                self.refuse(name, reason);
            }
        }
        match (created_at, updated_at) {
            (None, Some(_)) => self.refuse("updated_at", "Give created_at as well."),
            (Some(created), Some(updated)) if updated < created => {
                self.refuse("updated_at", "It must not be before created_at.");
            }
            _ => {}
        }
        (created_at, updated_at)
    }

    /// Reads a calendar date.
    pub fn date(&mut self, name: &'static str) -> Option<Date> {
        let value = self.value(name)?;
        self.text(name, value, |raw| match Date::parse(raw, DATE) {
            // Neither the calendar nor PostgreSQL has a year 0.
            Ok(day) if day.year() == 0 => Err("The first year is 0001.".to_owned()),
            // The format accepts a sign before the year.
            Ok(day) if raw.starts_with(|c: char| c.is_ascii_digit()) => Ok(day),
            _ => Err("Write it as a date, such as 2026-03-01.".to_owned()),
        })
    }
}

pub fn parse_slug(raw: &str) -> Result<String, String> {
    if slug::is_valid(raw) {
        Ok(raw.to_owned())
    } else {
        Err(format!(
            "Write it in small letters a to z, digits and single hyphens, {} characters at most.",
            slug::MAX_LENGTH
        ))
    }
}

pub fn parse_choice(raw: &str, words: &[&str]) -> Result<String, String> {
    if words.contains(&raw) {
        Ok(raw.to_owned())
    } else {
        Err(format!("It must be {}.", or_list(words)))
    }
}

/// Reads an integer. A float that is one is an integer since the body was parsed (`kit::api::json_object`).
pub fn integer(value: &Value, range: RangeInclusive<i64>) -> Result<i64, String> {
    match value.as_i64() {
        Some(number) if range.contains(&number) => Ok(number),
        _ if value.is_number() => {
            Err(format!("This must be a whole number from {} to {}.", range.start(), range.end()))
        }
        _ => Err(format!("This must be a whole number, not {}.", type_name(value))),
    }
}

fn or_list(words: &[&str]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// The type of a JSON value, for a message.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::problems;
    use super::*;

    #[test]
    fn days_are_of_the_real_calendar() {
        for (day, good) in [
            ("2024-02-29", true),
            ("2023-02-29", false),
            ("2024-13-01", false),
            ("2024-1-1", false),
            ("+2024-01-01", false),
            ("0000-01-01", false),
            ("0001-01-01", true),
            ("1899-12-31", true),
            ("3000-01-01", true),
            ("9999-12-31", true),
            ("2024-01-01T00:00:00Z", false),
        ] {
            let object = json!({ "starts_at": day });
            let found = problems(&object, |fields| {
                fields.date("starts_at");
            });
            assert_eq!(found.is_empty(), good, "{day}");
        }
    }

    #[test]
    fn only_whole_numbers_within_the_range_are_accepted() {
        for (number, good) in [
            (json!(2020), true),
            (json!(2020.5), false),
            (json!("2020"), false),
            (json!(1949), false),
            (json!(1e300), false),
        ] {
            assert_eq!(integer(&number, 1950..=2030).is_ok(), good, "{number}");
        }
    }

    #[test]
    fn times_outside_the_calendar_or_range_are_refused() {
        for (at, good) in [
            ("2024-02-29T08:15:00.123456789+03:00", true),
            ("2024-02-30T08:15:00Z", false),
            ("2024-02-29", false),
            ("0000-01-01T00:00:00Z", false),
            ("9999-12-31T23:59:59-23:00", false),
        ] {
            let object = json!({ "created_at": at });
            let found = problems(&object, |fields| {
                fields.timestamp("created_at");
            });
            assert_eq!(found.is_empty(), good, "{at}");
        }
    }

    #[test]
    fn an_update_before_the_creation_is_refused() {
        let object =
            json!({"created_at": "2025-01-01T00:00:00Z", "updated_at": "2024-12-31T23:59:59Z"});
        let found = problems(&object, |fields| {
            fields.row_times(None);
        });
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn timestamps_in_the_future_are_refused() {
        let now = time::macros::datetime!(2026-06-01 12:00 UTC);
        for (at, good) in [
            ("2026-06-01T12:00:00Z", true),
            ("2026-06-01T12:00:00.001Z", false),
            ("2027-01-01T00:00:00Z", false),
        ] {
            let object = json!({"created_at": at, "updated_at": at});
            let found = problems(&object, |fields| {
                fields.row_times(Some(now));
            });
            assert_eq!(found.is_empty(), good, "{at}: {found:?}");
            let says = "the service's time is 2026-06-01T12:00:00Z. Your clock may be fast.";
            assert!(found.iter().all(|(_, reason)| reason.contains(says)), "{found:?}");
        }
    }

    #[test]
    fn the_error_names_the_range_of_years() {
        let found = problems(&json!({"created_at": "3000-01-01T00:00:00Z"}), |fields| {
            fields.timestamp("created_at");
        });
        assert!(found[0].1.contains("1900 to 2999"), "{}", found[0].1);
    }
}
