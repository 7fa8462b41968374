//! Parses lines to rows: JSON, then fields. An invalid line is a refused row, and never ends the import.

use std::collections::{BTreeSet, HashMap};

use contracts::listings::v1::ImportedRow;
use kit::api::json_object;
use serde_json::{Map, Value};

use super::ParsedRow;
use super::report::reported_row;
use crate::domain::entity::Entity;
use crate::domain::field_reader::{Problems, type_name};
use crate::domain::fields;
use crate::domain::game;
use crate::domain::json_body::{self, BadBody};
use crate::domain::reference_data::ReferenceData;
use crate::domain::text::clip;

const MAX_LINE_BYTES: usize = 1024 * 1024;

/// A line number with its object, or with the reasons to refuse the line.
pub(super) type ParsedLine = (u64, Result<Map<String, Value>, Problems>);

/// Parses lines. Skips empty ones.
pub(super) fn parse_lines(lines: &[(u64, String)]) -> Vec<ParsedLine> {
    lines
        .iter()
        // Some programs begin a file with a byte order mark.
        .map(|(line, text)| (*line, text.trim_start_matches('\u{FEFF}').trim()))
        .filter(|(_, text)| !text.is_empty())
        .map(|(line, text)| (line, object(text)))
        .collect()
}

fn object(text: &str) -> Result<Map<String, Value>, Problems> {
    let bad_row = |reason: String| Problems::from([("row".to_owned(), reason)]);
    if text.len() > MAX_LINE_BYTES {
        return Err(bad_row(format!(
            "The line is too long: the maximum is {MAX_LINE_BYTES} bytes."
        )));
    }
    json_body::object(text.as_bytes()).map_err(|bad| match bad {
        BadBody::Fields(problems) => problems,
        BadBody::NotAnObject(_) => bad_row(not_an_object(text)),
    })
}

/// Why a line is not a JSON object.
fn not_an_object(text: &str) -> String {
    // The other byte of each character in UTF-16, and what the sender makes of bytes that are not UTF-8.
    if text.contains(['\0', char::REPLACEMENT_CHARACTER]) {
        return "The file is not in UTF-8: save it as UTF-8.".to_owned();
    }
    match serde_json::from_str::<Value>(text) {
        Ok(other) => format!("A row is a JSON object, not {}.", type_name(&other)),
        Err(error) => match json_object::reason(&error) {
            Some(reason) => format!("Before character {}: {reason}", error.column()),
            None => format!("This is not JSON, from character {} on.", error.column()),
        },
    }
}

/// Handles in these lines that are not resolved yet.
pub(super) fn unknown_handles(parsed: &[ParsedLine], reference: &ReferenceData) -> Vec<String> {
    let handles: BTreeSet<&str> = parsed
        .iter()
        .filter_map(|(_, row)| row.as_ref().ok())
        .flat_map(game::handles)
        .filter(|handle| !reference.creators.contains_key(*handle))
        .collect();
    handles.into_iter().map(ToOwned::to_owned).collect()
}

/// Validates rows of a kind. Returns the valid and the refused ones. A row whose name is in `names`, which has the line of each name so far, would
/// undo the first one and is refused.
pub(super) fn read_rows(
    entity: Entity,
    parsed: Vec<ParsedLine>,
    reference: &ReferenceData,
    names: &mut HashMap<String, u64>,
) -> (Vec<ParsedRow>, Vec<ImportedRow>) {
    let key = fields::key_field(entity);
    let (mut rows, mut refused) = (Vec::with_capacity(parsed.len()), Vec::new());
    for (line, object) in parsed {
        let (name, read) = match object {
            Err(problems) => (String::new(), Err(problems)),
            Ok(object) => {
                let row = fields::read_row(entity, &object, reference).and_then(|parsed| {
                    check_name(names, line, key, parsed.content.name())?;
                    Ok(ParsedRow { line, parsed })
                });
                (row_name(&object, key), row)
            }
        };
        match read {
            Ok(row) => rows.push(row),
            Err(fields) => refused.push(reported_row(line, &name, fields)),
        }
    }
    (rows, refused)
}

/// Refuses a row whose name an earlier row has.
fn check_name(
    names: &mut HashMap<String, u64>,
    line: u64,
    key: &str,
    name: &str,
) -> Result<(), Problems> {
    let first = *names.entry(name.to_owned()).or_insert(line);
    if first == line {
        return Ok(());
    }
    let reason = format!("Line {first} of this file has the same {key}.");
    Err([(key.to_owned(), reason)].into())
}

/// The name of a row in a report: its key, else its title or name.
fn row_name(object: &Map<String, Value>, key: &'static str) -> String {
    [key, "title", "name"]
        .into_iter()
        .find_map(|field| object.get(field).and_then(Value::as_str))
        .map(clip)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;
    use strum::VariantArray as _;

    use super::*;

    fn read(parsed: Vec<ParsedLine>) -> (Vec<ParsedRow>, Vec<ImportedRow>) {
        let reference = ReferenceData::default();
        read_rows(Entity::Page, parsed, &reference, &mut HashMap::new())
    }

    fn lines(texts: &[&str]) -> Vec<(u64, String)> {
        (1..).zip(texts.iter().map(|t| (*t).to_owned())).collect()
    }

    #[test]
    fn a_line_that_is_not_an_object_is_a_refused_row() {
        let long = format!(r#"{{"handle":"{}"}}"#, "x".repeat(MAX_LINE_BYTES));
        let parsed = parse_lines(&lines(&[
            "\u{FEFF}{\"handle\":\"ada\",\"name\":\"Ada\",\"kind\":\"person\",\"country_code\":\"NG\"}\r",
            "",
            "  ",
            "{",
            "[1]",
            "null",
            &long,
            &"[".repeat(100_000),
        ]));
        let (rows, refused) = read(parsed);
        assert_eq!(rows.len(), 1);
        let numbers: Vec<u64> = refused.iter().map(|r| r.line).collect();
        assert_eq!(numbers, [4, 5, 6, 7, 8]);
        assert!(refused[3].fields["row"].contains("too long"));
    }

    #[test]
    fn a_utf16_file_is_refused_with_advice() {
        let file = "{\"handle\": \"ada\"}\n";
        let utf16 = file.encode_utf16().flat_map(u16::to_le_bytes);
        let utf16: Vec<u8> = [0xFF, 0xFE].into_iter().chain(utf16).collect();
        let texts: Vec<_> = utf16.split(|byte| *byte == b'\n').collect();
        let texts: Vec<_> = texts.into_iter().map(String::from_utf8_lossy).collect();
        let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        let (_, refused) = read(parse_lines(&lines(&texts)));
        assert_eq!(refused.len(), 2);
        for row in refused {
            let reason = &row.fields["row"];
            assert!(reason.contains("save it as UTF-8"), "{reason}");
        }
    }

    #[test]
    fn a_refused_row_is_named_by_its_handle_or_name() {
        let parsed = parse_lines(&lines(&[
            r#"{"handle":"Bad Key","name":"Ada"}"#,
            r#"{"name":"Ada"}"#,
            r"{}",
        ]));
        let (_, refused) = read(parsed);
        let names: Vec<&str> = refused.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names, ["Bad Key", "Ada", ""]);
    }

    #[test]
    fn a_field_that_is_given_twice_is_named() {
        let parsed = parse_lines(&lines(&[
            r#"{"handle":"ada","name":"Ada","name":"Eve"}"#,
            r#"{"handle":"eve","name":"Eve","source":{"a":1,"a":2}}"#,
        ]));
        let (_, refused) = read(parsed);
        let fields: Vec<_> = refused.iter().flat_map(|row| row.fields.keys()).collect();
        assert_eq!(fields, ["name", "source.a"]);
        assert!(refused[0].fields["name"].contains("twice"));
    }

    /// Whether each line becomes a row, or is refused with reasons.
    fn is_read(line: &str) -> bool {
        Entity::VARIANTS.iter().all(|&entity| {
            let parsed = parse_lines(&lines(&[line, line]));
            let count = parsed.len();
            let reference = ReferenceData::default();
            let (rows, refused) = read_rows(entity, parsed, &reference, &mut HashMap::new());
            let mut reasons = refused.iter().flat_map(|row| row.fields.values());
            rows.len() + refused.len() == count
                && refused.iter().all(|row| !row.fields.is_empty())
                && reasons.all(|reason| !reason.is_empty())
        })
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let simple = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "\\PC{0,20}".prop_map(Value::from),
            "(https?://)?[a-z.-]{0,12}|[0-9]{4}-[0-9]{2}-[0-9]{2}|[A-Z]{2}".prop_map(Value::from),
        ];
        simple.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                vec(inner.clone(), 0..4).prop_map(Value::from),
                btree_map("[a-z]{0,6}", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    /// Field names of all entities.
    const FIELDS: &str = "key|name|slug|title|tagline|description|handle|kind|creator|country|country_code|city|genres|\
        platforms|stage|release_year|links|starts_at|ends_at|timezone|latitude|longitude|cover";

    proptest! {
        #[test]
        fn any_line_is_refused_at_most_once(line: String) {
            prop_assert!(is_read(&line));
        }

        #[test]
        fn any_object_is_refused_at_most_once(fields in btree_map(FIELDS, any_value(), 0..8)) {
            let object: Map<String, Value> = fields.into_iter().collect();
            prop_assert!(is_read(&Value::Object(object).to_string()));
        }
    }
}
