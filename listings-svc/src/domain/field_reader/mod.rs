//! Reads a JSON object field by field, so that every invalid field is reported at once.
//!
//! A reader of an invalid field records the problem and returns an empty value; [`Fields::finish`] returns the result only if there is no
//! problem. `null` is the same as a missing field.

mod values;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::suggest::closest;
use super::text::clip;
pub use values::{integer, parse_choice, parse_slug, type_name};

/// Field name, or a path such as `links.play`, to the reason. The key [`MORE`] holds the number of unlisted problems.
pub type Problems = BTreeMap<String, String>;

/// Maximum number of invalid fields in a report (§4.3).
const MAX_REPORTED: usize = 50;
/// Key of the entry that counts the unlisted problems; no field has this name.
const MORE: &str = "*";

/// A JSON object that is being read.
#[derive(Debug)]
pub struct Fields<'a> {
    object: &'a Map<String, Value>,
    /// Whether the object changes a listing: then a missing field keeps its value.
    is_change: bool,
    /// Fields that the body may set: an error for an unknown field names these.
    writable_names: BTreeSet<&'static str>,
    /// Fields that are accepted and set nothing: read-only and ignored ones.
    other_names: BTreeSet<&'static str>,
    problems: Problems,
    /// Paths of the invalid fields beyond [`MAX_REPORTED`].
    unreported: BTreeSet<String>,
    /// Number of unknown fields beyond [`MAX_REPORTED`]; they are counted and not examined.
    unchecked: usize,
}

impl<'a> Fields<'a> {
    /// The fields of something new.
    pub fn new(object: &'a Map<String, Value>) -> Self {
        Self::with(object, false)
    }

    /// Changes of a listing.
    pub fn for_change(object: &'a Map<String, Value>) -> Self {
        Self::with(object, true)
    }

    fn with(object: &'a Map<String, Value>, is_change: bool) -> Self {
        Self {
            object,
            is_change,
            writable_names: BTreeSet::new(),
            other_names: BTreeSet::new(),
            problems: Problems::new(),
            unreported: BTreeSet::new(),
            unchecked: 0,
        }
    }

    /// Records a problem of a field. The first problem of a field stands.
    pub fn refuse(&mut self, path: &str, reason: impl Into<String>) {
        let path = clip(path);
        if self.problems.contains_key(&path) {
            return;
        }
        if self.problems.len() < MAX_REPORTED {
            self.problems.insert(path, reason.into());
        } else {
            self.unreported.insert(path);
        }
    }

    /// Refuses the keys of an object that are not `known`. Keys beyond the size of the report are counted and not examined: finding the
    /// closest name for each of ten thousand keys would delay other calls.
    pub fn refuse_unknown<'k>(
        &mut self,
        prefix: &str,
        keys: impl Iterator<Item = &'k String>,
        known: &[&str],
    ) {
        let mut unknown = keys.filter(|key| !known.contains(&key.as_str()));
        let room = MAX_REPORTED.saturating_sub(self.problems.len());
        for key in unknown.by_ref().take(room) {
            self.refuse(&format!("{prefix}{}", clip(key)), no_such_field(key, known));
        }
        self.unchecked += unknown.count();
    }

    /// Whether a field has no recorded problem.
    pub fn is_valid(&self, path: &str) -> bool {
        !self.problems.contains_key(path) && !self.unreported.contains(path)
    }

    /// Refuses the fields that no reader asked for, and returns `read` if there is no problem.
    pub fn finish<T>(mut self, read: T) -> Result<T, Problems> {
        let writable: Vec<&str> = self.writable_names.iter().copied().collect();
        let others = std::mem::take(&mut self.other_names);
        let keys = self.object.keys().filter(|key| !others.contains(key.as_str()));
        self.refuse_unknown("", keys, &writable);
        let more = self.unreported.len() + self.unchecked;
        if more > 0 {
            let reason =
                format!("{more} more fields are invalid: a report lists the first {MAX_REPORTED}.");
            self.problems.insert(MORE.to_owned(), reason);
        }
        if self.problems.is_empty() { Ok(read) } else { Err(self.problems) }
    }

    /// Accepts fields and ignores their values.
    pub fn ignore(&mut self, names: &[&'static str]) {
        self.other_names.extend(names);
    }

    /// The value of a field; `None` when the field is missing or null.
    pub fn value(&mut self, name: &'static str) -> Option<&'a Value> {
        self.writable_names.insert(name);
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// Whether a field is present, even as null.
    pub fn has(&self, name: &str) -> bool {
        self.object.contains_key(name)
    }

    /// Reads a field into `value`, unless the object changes a listing and does not have the field.
    pub fn update<T>(
        &mut self,
        name: &'static str,
        value: &mut T,
        read: impl FnOnce(&mut Self) -> T,
    ) {
        if self.is_kept(name) {
            self.writable_names.insert(name);
        } else {
            *value = read(self);
        }
    }

    /// Whether the field of the listing keeps its value.
    pub fn is_kept(&self, name: &str) -> bool {
        self.is_change && !self.has(name)
    }

    /// Reads a read-only field. Accepts the value in `representation`; refuses every other value, null included, with `reason`.
    pub fn read_only<'s>(
        &mut self,
        name: &'static str,
        representation: impl FnOnce() -> Option<&'s Value>,
        reason: &str,
    ) {
        self.ignore(&[name]);
        let value = self.object.get(name);
        if value.is_some_and(|value| Some(value) != representation()) {
            self.refuse(name, reason);
        }
    }

    /// The value of a required field.
    pub fn required(&mut self, name: &'static str, reason: &str) -> Option<&'a Value> {
        let value = self.value(name);
        if value.is_none() {
            self.refuse(name, reason);
        }
        value
    }
}

/// Error for an unknown field.
fn no_such_field(key: &str, known: &[&str]) -> String {
    match closest(key, known) {
        Some(name) => format!("There is no such field; the nearest is `{name}`."),
        None if known.is_empty() => "There is no such field.".to_owned(),
        None => format!("There is no such field; the fields are: {}.", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::suggest::tests::LOOKUPS;
    use super::super::text;
    use super::*;
    use serde_json::json;

    type Reader = fn(&mut Fields<'_>);

    pub(super) fn problems(
        object: &Value,
        read: impl FnOnce(&mut Fields<'_>),
    ) -> Vec<(String, String)> {
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
            fields.boolean("featured");
        });
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["featured", "slug", "titel", "title"]);
        assert!(found[2].1.contains("`title`"), "{}", found[2].1);
    }

    #[test]
    fn an_unknown_field_is_told_the_fields_that_can_be_set() {
        let slug = json!("bao");
        let object = json!({"foo": 1, "slugs": 2, "slug": "bao", "note": "x"});
        let found = problems(&object, |fields| {
            fields.title("title");
            fields.read_only("slug", || Some(&slug), "The slug never changes.");
            fields.ignore(&["note"]);
        });
        let reason = "There is no such field; the fields are: title.";
        let expected = [("foo", reason), ("slugs", reason), ("title", found[2].1.as_str())];
        let expected = expected.map(|(name, reason)| (name.to_owned(), reason.to_owned()));
        assert_eq!(found, expected);
    }

    #[test]
    fn suggestions_are_looked_up_only_for_reported_fields() {
        let fields: Map<String, Value> =
            (0..22_000).map(|i| (format!("field-{i}"), json!(0))).collect();
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
                |fields| {
                    drop(super::super::array_fields::screenshots(fields, "screenshots", &[], ""));
                },
                44_000 + 6,
            ),
        ];
        for (object, read, bad) in cases {
            LOOKUPS.with(|lookups| lookups.set(0));
            let mut fields = Fields::new(object);
            read(&mut fields);
            let problems = fields.finish(()).unwrap_err();
            assert!(LOOKUPS.with(std::cell::Cell::get) <= MAX_REPORTED);
            assert_eq!(problems.len(), MAX_REPORTED + 1);
            let more = format!("{} more", bad - MAX_REPORTED);
            assert!(problems[MORE].starts_with(&more), "{}", problems[MORE]);
        }
    }

    #[test]
    fn the_report_of_bad_fields_has_a_bounded_size() {
        let object: Map<String, Value> =
            (0..1_000).map(|i| (format!("{i}{}", "x".repeat(1_000)), json!(0))).collect();
        let problems = Fields::new(&object).finish(()).unwrap_err();
        assert_eq!(problems.len(), MAX_REPORTED + 1);
        assert!(problems.keys().all(|key| key.chars().count() <= text::MAX_CLIP_CHARS + 1));
    }
}
