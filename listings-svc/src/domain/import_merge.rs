//! Merges an import row into a listing (three-way merge): a field that owners or staff changed since the last import keeps its value.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::content::Content;
use super::difference::are_equal;
use super::text::clip;

/// Fields that change together: a city belongs to its country, and an event ends after it starts.
const GROUPS: [&[&str]; 2] = [
    &["country_code", "city", "city_slug"],
    &["starts_at", "ends_at"],
];

/// A row beside the listing that it names.
#[derive(Debug, Clone, Copy)]
pub struct RowFields<'a> {
    /// The whole content that the row states.
    pub content: &'a Map<String, Value>,
    /// The fields that the row names. The others are empty.
    pub named: &'a BTreeSet<String>,
    /// The content that the last import stated; `None` when there was none.
    pub last_stated: Option<&'a Map<String, Value>>,
}

/// The content of a listing after an import.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    pub content: Map<String, Value>,
    /// Fields that the row names and that keep their values, each with an explanation.
    pub not_overwritten: BTreeMap<String, String>,
}

/// Merges a row into the current content of a listing. The value of the row stands in a field that nobody changed since the last import
/// and, with `overwrite`, in every field that the row names.
pub fn merge<C: Content>(
    row: RowFields<'_>,
    current: &Map<String, Value>,
    overwrite: bool,
) -> Merged {
    let mut merged = Merged {
        content: current.clone(),
        not_overwritten: BTreeMap::new(),
    };
    for field in current.keys() {
        let group = GROUPS.iter().find(|group| group.contains(&field.as_str()));
        let fields = group.copied().unwrap_or(&[field.as_str()]).to_vec();
        let is_named = fields.iter().any(|field| {
            let mut aliases = C::ROW_ALIASES.iter().filter(|(name, _)| name == field);
            row.named.contains(*field) || aliases.any(|(_, alias)| row.named.contains(*alias))
        });
        let is_unchanged = row.last_stated.is_some_and(|last| {
            let unchanged = |field: &&str| are_equal(last.get(*field), current.get(*field));
            fields.iter().all(unchanged)
        });
        let (last, ours) = (
            row.last_stated.and_then(|last| last.get(field)),
            &current[field],
        );
        match row.content.get(field) {
            Some(theirs) if are_equal(Some(theirs), Some(ours)) => {}
            Some(theirs) if is_unchanged || overwrite && is_named => {
                merged.content.insert(field.clone(), theirs.clone());
            }
            Some(Value::Object(theirs)) => {
                let fields = merge_object(field, last, theirs, ours, &mut merged.not_overwritten);
                merged.content.insert(field.clone(), fields.into());
            }
            // Games name their page by its handle.
            Some(_) if field == "page_id" => {
                let reason =
                    "The game was moved to another page after the last import and stays there.";
                merged
                    .not_overwritten
                    .insert("creator".to_owned(), reason.to_owned());
            }
            theirs if is_named => {
                merged
                    .not_overwritten
                    .insert(field.clone(), explanation(theirs, Some(ours)));
            }
            _ => {}
        }
    }
    merged
}

/// Merges the fields of an object, such as `links`.
fn merge_object(
    path: &str,
    last: Option<&Value>,
    theirs: &Map<String, Value>,
    ours: &Value,
    not_overwritten: &mut BTreeMap<String, String>,
) -> Map<String, Value> {
    let mut merged = ours.as_object().cloned().unwrap_or_default();
    let names: BTreeSet<String> = theirs.keys().chain(merged.keys()).cloned().collect();
    for name in names {
        let (theirs, ours) = (theirs.get(&name), merged.get(&name).cloned());
        if are_equal(theirs, ours.as_ref()) {
            continue;
        }
        let is_unchanged = last.is_some_and(|last| are_equal(last.get(&name), ours.as_ref()));
        match theirs {
            Some(theirs) if is_unchanged => {
                merged.insert(name, theirs.clone());
            }
            None if is_unchanged => {
                merged.remove(&name);
            }
            Some(_) => {
                not_overwritten
                    .insert(format!("{path}.{name}"), explanation(theirs, ours.as_ref()));
            }
            None => {}
        }
    }
    merged
}

fn explanation(theirs: Option<&Value>, ours: Option<&Value>) -> String {
    let text = |value: Option<&Value>| clip(&value.unwrap_or(&Value::Null).to_string());
    format!(
        "It was changed after the last import and stays {}. The file says {}.",
        text(ours),
        text(theirs)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::event::Event;
    use crate::domain::game::Game;
    use serde_json::json;

    fn object(value: Value) -> Map<String, Value> {
        let Value::Object(object) = value else {
            unreachable!()
        };
        object
    }

    fn merged<C: Content>(
        (last, row, current): (Option<Value>, Value, Value),
        named: &[&str],
        overwrite: bool,
    ) -> (Value, Vec<String>) {
        let (last, row) = (last.map(object), object(row));
        let row = RowFields {
            content: &row,
            named: &named.iter().map(|name| (*name).to_owned()).collect(),
            last_stated: last.as_ref(),
        };
        let merged = merge::<C>(row, &object(current), overwrite);
        let kept = merged.not_overwritten.into_keys().collect();
        (merged.content.into(), kept)
    }

    #[test]
    fn a_field_that_was_changed_since_keeps_its_value() {
        let last = json!({"title": "A", "tagline": "a", "featured": false, "stage": "released"});
        let row = json!({"title": "B", "tagline": "b", "featured": false, "stage": "released"});
        let current =
            json!({"title": "A", "tagline": "ours", "featured": true, "stage": "released"});
        let sides = (Some(last), row.clone(), current.clone());
        let named = ["title", "tagline", "stage"];
        assert_eq!(
            merged::<Game>(sides.clone(), &named, false),
            (
                json!({"title": "B", "tagline": "ours", "featured": true, "stage": "released"}),
                vec!["tagline".to_owned()]
            )
        );
        // A row overwrites what it names, and no flag that it does not name.
        assert_eq!(
            merged::<Game>(sides, &named, true),
            (
                json!({"title": "B", "tagline": "b", "featured": true, "stage": "released"}),
                vec![]
            )
        );
        // Without an earlier import every field counts as changed.
        assert_eq!(
            merged::<Game>((None, row, current.clone()), &named, false),
            (current, vec!["tagline".to_owned(), "title".to_owned()])
        );
    }

    #[test]
    fn links_are_merged_one_by_one() {
        let sides = (
            Some(json!({"links": {"play": "a", "steam": "b", "itch": "c"}})),
            json!({"links": {"play": "new", "steam": "new"}}),
            json!({"links": {"play": "a", "steam": "ours", "itch": "c", "epic": "ours"}}),
        );
        assert_eq!(
            merged::<Game>(sides, &["links"], false),
            (
                json!({"links": {"play": "new", "steam": "ours", "epic": "ours"}}),
                vec!["links.steam".to_owned()]
            )
        );
    }

    #[test]
    fn a_place_is_one_value_and_so_are_the_days_of_an_event() {
        let sides = (
            Some(
                json!({"country_code": "NG", "city": "Lagos", "city_slug": "lagos", "starts_at": "2026-03-01", "ends_at": null}),
            ),
            json!({"country_code": "NG", "city": "Kano", "city_slug": "kano", "starts_at": "2026-03-05", "ends_at": null}),
            json!({"country_code": "KE", "city": "Lagos", "city_slug": "lagos-ke", "starts_at": "2026-03-01", "ends_at": "2026-03-02"}),
        );
        let (content, kept) =
            merged::<Event>(sides.clone(), &["country_code", "city", "starts_at"], false);
        assert_eq!(content, sides.2);
        assert_eq!(
            kept,
            ["city", "city_slug", "country_code", "ends_at", "starts_at"]
        );
    }

    #[test]
    fn a_kept_field_has_the_name_that_files_use() {
        let sides = (
            Some(json!({"page_id": "a"})),
            json!({"page_id": "a"}),
            json!({"page_id": "b"}),
        );
        let (_, kept) = merged::<Game>(sides, &["creator"], false);
        assert_eq!(kept, ["creator"]);
    }
}
