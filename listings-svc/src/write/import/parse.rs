//! From lines to rows: JSON, then fields. What cannot be read is a refused row, never a broken import.

use std::collections::BTreeSet;

use kit::json_object;
use serde_json::{Map, Value};

use super::chunk::{ParsedRow, Rows};
use crate::domain::entity::Entity;
use crate::domain::fields::{Problems, type_name};
use crate::domain::game;
use crate::domain::reference_data::ReferenceData;
use crate::domain::text::clip;
use crate::domain::{self, FromImportRow};
use crate::store::imports::Refusal;

/// The longest line, in bytes.
const MAX_LINE_BYTES: usize = 1024 * 1024;

/// A line and the object on it, or why there is none.
pub(super) type ParsedLine = (u64, Result<Map<String, Value>, String>);

/// Parses lines. Empty ones are passed over.
pub(super) fn parse_lines(lines: &[(u64, String)]) -> Vec<ParsedLine> {
    lines
        .iter()
        // Some programs begin a file with a byte order mark.
        .map(|(line, text)| (*line, text.trim_start_matches('\u{FEFF}').trim()))
        .filter(|(_, text)| !text.is_empty())
        .map(|(line, text)| (line, object(text)))
        .collect()
}

fn object(text: &str) -> Result<Map<String, Value>, String> {
    if text.len() > MAX_LINE_BYTES {
        return Err(format!(
            "The line is too long: {MAX_LINE_BYTES} bytes are the most."
        ));
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(other) => Err(format!(
            "A row is a JSON object, not {}.",
            type_name(&other)
        )),
        Err(error) => Err(match json_object::reason(&error) {
            Some(reason) => format!("Before character {}: {reason}", error.column()),
            None => format!("This is not JSON, from character {} on.", error.column()),
        }),
    }
}

/// Handles that games of these lines refer to and that are not known yet.
pub(super) fn unknown_handles(parsed: &[ParsedLine], reference: &ReferenceData) -> Vec<String> {
    let handles: BTreeSet<&str> = parsed
        .iter()
        .filter_map(|(_, row)| row.as_ref().ok())
        .flat_map(game::handles)
        .filter(|handle| !reference.creators.contains_key(*handle))
        .collect();
    handles
        .into_iter()
        // PostgreSQL takes no NUL, and no handle has one.
        .filter(|handle| !handle.contains('\0'))
        .map(ToOwned::to_owned)
        .collect()
}

/// Reads rows of a kind: those that are good, and those that are refused.
pub(super) fn read_rows(
    entity: Entity,
    parsed: Vec<ParsedLine>,
    reference: &ReferenceData,
) -> (Rows, Vec<Refusal>) {
    let mut refused = Vec::new();
    let rows = match entity {
        Entity::Genre => Rows::Genres(rows(parsed, reference, &mut refused)),
        Entity::Country => Rows::Countries(rows(parsed, reference, &mut refused)),
        Entity::City => Rows::Cities(rows(parsed, reference, &mut refused)),
        Entity::Page => Rows::Pages(rows(parsed, reference, &mut refused)),
        Entity::Game => Rows::Games(rows(parsed, reference, &mut refused)),
        Entity::Event => Rows::Events(rows(parsed, reference, &mut refused)),
    };
    (rows, refused)
}

fn rows<D: FromImportRow>(
    parsed: Vec<ParsedLine>,
    reference: &ReferenceData,
    refused: &mut Vec<Refusal>,
) -> Vec<ParsedRow<D>> {
    let mut rows = Vec::with_capacity(parsed.len());
    for (line, object) in parsed {
        let refusal = |name: String, fields: Problems| Refusal { line, name, fields };
        match object {
            Err(reason) => {
                refused.push(refusal(String::new(), [("row".to_owned(), reason)].into()));
            }
            Ok(object) => match domain::read_import_row(&object, reference) {
                Ok(draft) => rows.push(ParsedRow { line, draft }),
                Err(problems) => refused.push(refusal(row_name::<D>(&object), problems)),
            },
        }
    }
    rows
}

/// What to call a row in a report: by its slug or the like, else by its title.
fn row_name<D: FromImportRow>(object: &Map<String, Value>) -> String {
    [D::KEY_FIELD, "title", "name"]
        .into_iter()
        .find_map(|field| object.get(field).and_then(Value::as_str))
        .map(clip)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&str]) -> Vec<(u64, String)> {
        (1..).zip(texts.iter().map(|t| (*t).to_owned())).collect()
    }

    #[test]
    fn what_is_no_object_is_a_refused_row() {
        let long = format!(r#"{{"key":"{}"}}"#, "x".repeat(MAX_LINE_BYTES));
        let parsed = parse_lines(&lines(&[
            "\u{FEFF}{\"key\":\"action\",\"name\":\"Action\"}\r",
            "",
            "  ",
            "{",
            "[1]",
            "null",
            &long,
            &"[".repeat(100_000),
        ]));
        let (rows, refused) = read_rows(Entity::Genre, parsed, &ReferenceData::default());
        assert!(matches!(rows, Rows::Genres(rows) if rows.len() == 1));
        let numbers: Vec<u64> = refused.iter().map(|r| r.line).collect();
        assert_eq!(numbers, [4, 5, 6, 7, 8]);
        assert!(refused[3].fields["row"].contains("too long"));
    }

    #[test]
    fn a_refused_row_is_called_by_what_it_has() {
        let parsed = parse_lines(&lines(&[
            r#"{"key":"Bad Key","name":"Action"}"#,
            r#"{"name":"Action"}"#,
            r"{}",
        ]));
        let (_, refused) = read_rows(Entity::Genre, parsed, &ReferenceData::default());
        let names: Vec<&str> = refused.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names, ["Bad Key", "Action", ""]);
    }
}
