//! Reading a JSON object field by field, so that all bad fields are reported at once.
//!
//! A reader of a bad field notes the problem and returns an empty value; [`Fields::finish`] hands out what was built from them only
//! when there was no problem. `null` is the same as a field that is not there.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use serde_json::{Map, Value};
use time::format_description::BorrowedFormatItem;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, OffsetDateTime, UtcOffset};

use super::known::Known;
use super::suggest::closest;
use super::{address, slug, text};

/// Field name, or a path such as `links.play`, to the reason. [`MORE`] says how many others there are.
pub type Problems = BTreeMap<String, String>;

/// Bad fields that a report names at most (§4.3).
const MOST: usize = 50;
/// Stands in a report for the bad fields that it does not name; no field has this name.
const MORE: &str = "*";
/// Years that the time of a row may lie in.
const YEARS: RangeInclusive<i32> = 1900..=2999;
/// Characters of a name that is repeated in a report.
const CLIP: usize = 80;

const DAY: &[BorrowedFormatItem<'static>] = format_description!("[year]-[month]-[day]");

/// An object that is being read.
#[derive(Debug)]
pub struct Fields<'a> {
    object: &'a Map<String, Value>,
    asked: BTreeSet<&'static str>,
    problems: Problems,
    /// Bad fields that the report has no room for.
    unreported: BTreeSet<String>,
    /// How many unknown fields were only counted.
    unexamined: usize,
}

impl<'a> Fields<'a> {
    /// Begins to read `object`.
    pub fn new(object: &'a Map<String, Value>) -> Self {
        Self {
            object,
            asked: BTreeSet::new(),
            problems: Problems::new(),
            unreported: BTreeSet::new(),
            unexamined: 0,
        }
    }

    /// Notes that a field is bad. The first reason stands.
    pub fn refuse(&mut self, path: &str, reason: impl Into<String>) {
        let path = clip(path);
        if self.problems.contains_key(&path) {
            return;
        }
        if self.problems.len() < MOST {
            self.problems.insert(path, reason.into());
        } else {
            self.unreported.insert(path);
        }
    }

    /// Refuses the keys of an object that are not `known`. What the report has no room for is counted and not examined: to find the
    /// closest name for each of ten thousand keys would hold up other calls.
    pub fn refuse_unknown<'k>(
        &mut self,
        prefix: &str,
        keys: impl Iterator<Item = &'k String>,
        known: &[&str],
    ) {
        let mut unknown = keys.filter(|key| !known.contains(&key.as_str()));
        let room = MOST.saturating_sub(self.problems.len());
        for key in unknown.by_ref().take(room) {
            self.refuse(&format!("{prefix}{}", clip(key)), no_such_field(key, known));
        }
        self.unexamined += unknown.count();
    }

    /// Whether nothing bad was noted about a field.
    pub fn is_good(&self, path: &str) -> bool {
        !self.problems.contains_key(path) && !self.unreported.contains(path)
    }

    /// Ends the reading: refuses fields that nobody asked for, and hands out what was read if all was good.
    pub fn finish<T>(mut self, read: T) -> Result<T, Problems> {
        let known: Vec<&str> = self.asked.iter().copied().collect();
        self.refuse_unknown("", self.object.keys(), &known);
        let more = self.unreported.len() + self.unexamined;
        if more > 0 {
            let reason = format!("{more} more are bad: a report names the first {MOST}.");
            self.problems.insert(MORE.to_owned(), reason);
        }
        if self.problems.is_empty() {
            Ok(read)
        } else {
            Err(self.problems)
        }
    }

    /// Fields that belong to the format and are not kept.
    pub fn pass_over(&mut self, names: &[&'static str]) {
        self.asked.extend(names);
    }

    /// The value of a field that is there and not null.
    pub fn value(&mut self, name: &'static str) -> Option<&'a Value> {
        self.asked.insert(name);
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// Whether a field is there, be it null.
    pub fn has(&self, name: &str) -> bool {
        self.object.contains_key(name)
    }

    /// What is held of a field that a change leaves out; without that, or when it is there, what is read.
    pub fn or_held<T>(
        &mut self,
        name: &'static str,
        held: Option<T>,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        match held {
            Some(held) if !self.has(name) => {
                self.pass_over(&[name]);
                held
            }
            _ => read(self),
        }
    }

    /// A read-only field. Sent back as it is `shown` it is passed over; anything else, null too, is refused with `reason`.
    pub fn read_only<'s>(
        &mut self,
        name: &'static str,
        shown: impl FnOnce() -> Option<&'s Value>,
        reason: &str,
    ) {
        self.pass_over(&[name]);
        let sent = self.object.get(name);
        if sent.is_some_and(|sent| Some(sent) != shown()) {
            self.refuse(name, reason);
        }
    }

    /// A field that must be there.
    pub fn required(&mut self, name: &'static str, reason: &str) -> Option<&'a Value> {
        let value = self.value(name);
        if value.is_none() {
            self.refuse(name, reason);
        }
        value
    }

    /// Text, read by `read`.
    pub fn text<T>(
        &mut self,
        path: &str,
        value: &Value,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let read = match value {
            Value::String(text) => read(text),
            other => Err(format!("This must be text, not {}.", kind(other))),
        };
        self.good(path, read)
    }

    /// The value, or its problem noted.
    pub fn good<T>(&mut self, path: &str, read: Result<T, String>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(reason) => {
                self.refuse(path, reason);
                None
            }
        }
    }

    /// A title or name: one line, required.
    pub fn title(&mut self, name: &'static str) -> String {
        let missing = format!("Give a {name}: it is required.");
        let read = self
            .required(name, &missing)
            .and_then(|value| self.text(name, value, |raw| text::line(raw, text::TITLE)))
            .unwrap_or_default();
        if read.is_empty() {
            self.refuse(name, missing);
        }
        read
    }

    /// One line, empty when not given.
    pub fn line(&mut self, name: &'static str, longest: usize) -> String {
        self.value(name)
            .and_then(|value| self.text(name, value, |raw| text::line(raw, longest)))
            .unwrap_or_default()
    }

    /// Several lines, empty when not given.
    pub fn paragraphs(&mut self, name: &'static str, longest: usize) -> String {
        self.value(name)
            .and_then(|value| self.text(name, value, |raw| text::paragraphs(raw, longest)))
            .unwrap_or_default()
    }

    /// A slug, handle or key: required.
    pub fn slug(&mut self, name: &'static str) -> String {
        self.required(name, &format!("Give a {name}: rows are known by it."))
            .and_then(|value| self.text(name, value, read_slug))
            .unwrap_or_default()
    }

    /// An https address.
    pub fn address(&mut self, name: &'static str) -> Option<String> {
        let value = self.value(name)?;
        self.text(name, value, address::read)
    }

    /// Yes or no; no when not given.
    pub fn flag(&mut self, name: &'static str) -> bool {
        match self.value(name) {
            None => false,
            Some(Value::Bool(flag)) => *flag,
            Some(other) => {
                let reason = format!("This must be true or false, not {}.", kind(other));
                self.refuse(name, reason);
                false
            }
        }
    }

    /// One of a few words: required.
    pub fn choice(&mut self, name: &'static str, words: &[&str]) -> String {
        let missing = format!("Give a {name}: {}.", one_of(words));
        self.required(name, &missing)
            .and_then(|value| self.text(name, value, |raw| read_choice(raw, words)))
            .unwrap_or_default()
    }

    /// A whole number within a range.
    pub fn integer(&mut self, name: &'static str, range: RangeInclusive<i64>) -> Option<i64> {
        let value = self.value(name)?;
        let read = integer(value, range);
        self.good(name, read)
    }

    /// A point in time, to the microsecond: what PostgreSQL keeps, so that it reads back equal.
    pub fn moment(&mut self, name: &'static str) -> Option<OffsetDateTime> {
        let value = self.value(name)?;
        self.text(name, value, |raw| {
            let at = OffsetDateTime::parse(raw, &Rfc3339)
                .ok()
                .and_then(|at| at.checked_to_offset(UtcOffset::UTC))
                .and_then(|at| at.replace_nanosecond(at.microsecond() * 1_000).ok())
                .ok_or("Write it as a point in time, such as 2026-03-01T08:00:00.000Z.")?;
            if YEARS.contains(&at.year()) {
                return Ok(at);
            }
            let (first, last) = (YEARS.start(), YEARS.end());
            Err(format!("It must lie in the years {first} to {last}."))
        })
    }

    /// When a listing came to be and when it last changed, for files that know.
    pub fn times(&mut self, known: &Known) -> (Option<OffsetDateTime>, Option<OffsetDateTime>) {
        let created = self.moment("created_at");
        let updated = self.moment("updated_at");
        for (name, at) in [("created_at", created), ("updated_at", updated)] {
            if at.is_some_and(|at| known.no_later_than.is_some_and(|now| at > now)) {
                self.refuse(name, "It lies in the future.");
            }
        }
        if let (Some(created), Some(updated)) = (created, updated)
            && updated < created
        {
            self.refuse("updated_at", "It cannot lie before created_at.");
        }
        (created, updated)
    }

    /// A day of the real calendar.
    pub fn day(&mut self, name: &'static str) -> Option<Date> {
        let value = self.value(name)?;
        self.text(name, value, |raw| match Date::parse(raw, DAY) {
            // PostgreSQL, as the calendar, has no such year.
            Ok(day) if day.year() == 0 => Err("The first year is 0001.".to_owned()),
            // The format takes a sign before the year.
            Ok(day) if raw.starts_with(|c: char| c.is_ascii_digit()) => Ok(day),
            _ => Err("Write it as a day of the calendar, such as 2026-03-01.".to_owned()),
        })
    }
}

/// Reads a slug.
pub fn read_slug(raw: &str) -> Result<String, String> {
    if slug::is_valid(raw) {
        Ok(raw.to_owned())
    } else {
        Err(format!(
            "Write it in small letters a to z, digits and single hyphens, {} characters at most.",
            slug::LONGEST
        ))
    }
}

/// Reads one of a few words.
pub fn read_choice(raw: &str, words: &[&str]) -> Result<String, String> {
    if words.contains(&raw) {
        Ok(raw.to_owned())
    } else {
        Err(format!("It is {}.", one_of(words)))
    }
}

/// Reads a whole number within a range.
pub fn integer(value: &Value, range: RangeInclusive<i64>) -> Result<i64, String> {
    match value.as_i64() {
        Some(number) if range.contains(&number) => Ok(number),
        _ if value.is_number() => Err(format!(
            "This must be a whole number from {} to {}.",
            range.start(),
            range.end()
        )),
        _ => Err(format!("This must be a whole number, not {}.", kind(value))),
    }
}

/// Why an unknown field is refused.
fn no_such_field(key: &str, known: &[&str]) -> String {
    match closest(key, known) {
        Some(name) => format!("There is no such field; the nearest is `{name}`."),
        None if known.is_empty() => "There is no such field.".to_owned(),
        None => format!(
            "There is no such field; the fields are: {}.",
            known.join(", ")
        ),
    }
}

fn one_of(words: &[&str]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// What a JSON value is, for a message.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A text from a file, fit for a report: short, and without control characters, which PostgreSQL or a terminal would stumble over.
pub fn clip(text: &str) -> String {
    let harmless = |c: char| {
        if c.is_control() {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        }
    };
    let mut rest = text.chars().map(harmless);
    let mut clipped: String = rest.by_ref().take(CLIP).collect();
    if rest.next().is_some() {
        clipped.push('…');
    }
    clipped
}

#[cfg(test)]
mod tests {
    use super::super::suggest::tests::LOOKUPS;
    use super::*;
    use serde_json::json;

    type Reader = fn(&mut Fields<'_>);

    fn problems(object: &Value, read: impl FnOnce(&mut Fields<'_>)) -> Vec<(String, String)> {
        let mut fields = Fields::new(object.as_object().unwrap());
        read(&mut fields);
        match fields.finish(()) {
            Ok(()) => Vec::new(),
            Err(problems) => problems.into_iter().collect(),
        }
    }

    #[test]
    fn all_bad_fields_are_named_at_once() {
        let object = json!({"title": " ", "slug": "Not A Slug", "featured": "yes", "titel": 1});
        let found = problems(&object, |fields| {
            fields.title("title");
            fields.slug("slug");
            fields.flag("featured");
        });
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["featured", "slug", "titel", "title"]);
        assert!(found[2].1.contains("`title`"), "{}", found[2].1);
    }

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
                fields.day("starts_at");
            });
            assert_eq!(found.is_empty(), good, "{day}");
        }
    }

    #[test]
    fn numbers_are_whole_and_within_their_range() {
        for (number, good) in [
            (json!(2020), true),
            (json!(2020.5), false),
            (json!(2020.0), false),
            (json!("2020"), false),
            (json!(1949), false),
            (json!(1e300), false),
        ] {
            assert_eq!(integer(&number, 1950..=2030).is_ok(), good, "{number}");
        }
    }

    #[test]
    fn times_are_points_in_time_within_reach() {
        for (at, good) in [
            ("2024-02-29T08:15:00.123456789+03:00", true),
            ("2024-02-30T08:15:00Z", false),
            ("2024-02-29", false),
            ("0000-01-01T00:00:00Z", false),
            ("9999-12-31T23:59:59-23:00", false),
        ] {
            let object = json!({ "created_at": at });
            let found = problems(&object, |fields| {
                fields.moment("created_at");
            });
            assert_eq!(found.is_empty(), good, "{at}");
        }
    }

    #[test]
    fn times_keep_their_order() {
        let object =
            json!({"created_at": "2025-01-01T00:00:00Z", "updated_at": "2024-12-31T23:59:59Z"});
        let found = problems(&object, |fields| {
            fields.times(&Known::default());
        });
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn a_file_knows_no_future() {
        let known = Known {
            no_later_than: Some(time::macros::datetime!(2026-06-01 12:00 UTC)),
            ..Known::default()
        };
        for (at, good) in [
            ("2026-06-01T12:00:00Z", true),
            ("2026-06-01T12:00:00.001Z", false),
            ("2027-01-01T00:00:00Z", false),
        ] {
            let object = json!({"created_at": at, "updated_at": at});
            let found = problems(&object, |fields| {
                fields.times(&known);
            });
            assert_eq!(found.is_empty(), good, "{at}: {found:?}");
        }
    }

    #[test]
    fn a_time_out_of_bounds_is_told_the_bounds() {
        let found = problems(&json!({"created_at": "3000-01-01T00:00:00Z"}), |fields| {
            fields.moment("created_at");
        });
        assert!(found[0].1.contains("1900 to 2999"), "{}", found[0].1);
    }

    #[test]
    fn a_body_of_unknown_fields_costs_what_its_report_does() {
        let fields: Map<String, Value> = (0..22_000)
            .map(|i| (format!("field-{i}"), json!(0)))
            .collect();
        let links = json!({ "links": fields });
        let screenshots = json!({ "screenshots": [fields, fields] });
        let cases: [(&Map<String, Value>, Reader, usize); 3] = [
            (&fields, |fields| drop(fields.title("title")), 22_001),
            (
                links.as_object().unwrap(),
                |fields| drop(super::super::links::read(fields, super::super::links::GAME)),
                22_000,
            ),
            (
                screenshots.as_object().unwrap(),
                |fields| drop(super::super::lists::screenshots(fields, "screenshots")),
                44_000 + 6,
            ),
        ];
        for (object, read, bad) in cases {
            LOOKUPS.with(|lookups| lookups.set(0));
            let mut fields = Fields::new(object);
            read(&mut fields);
            let problems = fields.finish(()).unwrap_err();
            assert!(LOOKUPS.with(std::cell::Cell::get) <= MOST);
            assert_eq!(problems.len(), MOST + 1);
            let more = format!("{} more", bad - MOST);
            assert!(problems[MORE].starts_with(&more), "{}", problems[MORE]);
        }
    }

    #[test]
    fn a_report_is_bounded() {
        let object: Map<String, Value> = (0..1_000)
            .map(|i| (format!("{i}{}", "x".repeat(1_000)), json!(0)))
            .collect();
        let problems = Fields::new(&object).finish(()).unwrap_err();
        assert_eq!(problems.len(), MOST + 1);
        assert!(problems.keys().all(|key| key.chars().count() <= CLIP + 1));
    }
}
