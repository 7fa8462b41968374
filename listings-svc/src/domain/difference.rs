//! Compares two versions of a listing field by field.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::listing::Listing;

/// What a revision stores besides the content.
const METADATA_FIELDS: [&str; 2] = ["state", "submitter"];

/// The name of `submitter` among the changed fields, and of the field by which staff change it.
pub const ACCOUNT: &str = "account";

/// The field of the content with the page of a game.
pub const PAGE_ID: &str = "page_id";

/// The name of the page of a game for staff, whose value is a handle.
pub const CREATOR: &str = "creator";

/// A field whose value differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The field, or a path such as `links.play`.
    pub path: String,
    /// The old value; `None` when it was empty.
    pub before: Option<Value>,
    /// The new value; `None` when it is empty.
    pub after: Option<Value>,
}

/// The fields that differ, sorted by path. Compares objects field by field and arrays as one value. Null, an empty string, an empty
/// array, an empty object and a missing field are equal.
pub fn between(before: &Map<String, Value>, after: &Map<String, Value>) -> Vec<Difference> {
    let mut found = Vec::new();
    compare_objects("", before, after, &mut found);
    found
}

/// The fields of the content, of what a revision stores.
pub fn content(stored: &Value) -> Map<String, Value> {
    let mut content = stored.as_object().cloned().unwrap_or_default();
    content.retain(|key, _| !METADATA_FIELDS.contains(&key.as_str()));
    content
}

/// The paths of the fields that differ, as staff name them.
pub fn changed_paths(before: &Map<String, Value>, after: &Map<String, Value>) -> Vec<String> {
    let differences = between(before, after).into_iter();
    let path = |difference: Difference| match difference.path.as_str() {
        PAGE_ID => CREATOR.to_owned(),
        _ => difference.path,
    };
    differences.map(path).collect()
}

/// The pages that had a game before and after a revision that moved it; `None` for every other
/// revision.
pub fn moved_pages(before: Option<&Value>, after: &Value) -> Option<[Uuid; 2]> {
    let page = |stored: &Value| stored[PAGE_ID].as_str()?.parse().ok();
    // A revision stores the page only if it changed.
    Some([page(before?)?, page(after)?])
}

/// The accounts that had an event before and after a revision that gave it to another account; `None` for every other revision.
pub fn moved_accounts(before: &Value, after: &Value) -> Option<(Option<Uuid>, Option<Uuid>)> {
    let account = |stored: &Value| stored["submitter"].as_str()?.parse().ok();
    // A revision stores the submitter only if it changed.
    after.get("submitter")?;
    Some((account(before), account(after)))
}

/// What a revision stores of a listing: its content, state and submitter.
pub fn stored(listing: &Listing) -> Result<Value, serde_json::Error> {
    let mut fields = serde_json::to_value(listing)?;
    let mut stored = fields["content"].take();
    for name in METADATA_FIELDS {
        stored[name] = fields[name].take();
    }
    Ok(stored)
}

/// What a revision stores of two versions: the fields that differ, each with its whole value, and always `state`. Without `before`, all
/// of `after`.
pub fn changed_fields(mut before: Option<Value>, mut after: Value) -> (Option<Value>, Value) {
    if let (Some(Value::Object(before)), Value::Object(after)) = (&mut before, &mut after) {
        after.retain(|field, value| {
            let same = field != "state" && before.get(field) == Some(value);
            if same {
                before.remove(field);
            }
            !same
        });
    }
    (before, after)
}

fn compare_objects(
    path: &str,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    found: &mut Vec<Difference>,
) {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        compare_values(path, before.get(name), after.get(name), found);
    }
}

fn compare_values(
    path: String,
    before: Option<&Value>,
    after: Option<&Value>,
    found: &mut Vec<Difference>,
) {
    let (before, after) = (before.filter(is_not_empty), after.filter(is_not_empty));
    let nothing = Map::new();
    match (before, after) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            compare_objects(&path, before, after, found);
        }
        (None, Some(Value::Object(after))) => compare_objects(&path, &nothing, after, found),
        (Some(Value::Object(before)), None) => compare_objects(&path, before, &nothing, found),
        (before, after) if before == after => {}
        (before, after) => {
            found.push(Difference { path, before: before.cloned(), after: after.cloned() });
        }
    }
}

/// Whether a value is not empty.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "Option::filter hands a reference to a reference"
)]
fn is_not_empty(value: &&Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn object(value: Value) -> Map<String, Value> {
        let Value::Object(object) = value else { unreachable!() };
        object
    }

    fn paths(before: Value, after: Value) -> Vec<String> {
        let differences = between(&object(before), &object(after));
        differences.into_iter().map(|d| d.path).collect()
    }

    #[test]
    fn a_revision_stores_changed_fields_and_the_state() {
        let before = json!({"state": "pending", "title": "A", "genres": [], "links": {"a": "x", "b": "y"}, "city": null});
        let after = json!({"state": "pending", "title": "B", "genres": [], "links": {"a": "x"}, "city": null});
        assert_eq!(
            changed_fields(Some(before), after.clone()),
            (
                Some(json!({"state": "pending", "title": "A", "links": {"a": "x", "b": "y"}})),
                json!({"state": "pending", "title": "B", "links": {"a": "x"}})
            )
        );
        assert_eq!(changed_fields(None, after.clone()), (None, after));
    }

    #[test]
    fn objects_are_compared_by_field_and_arrays_whole() {
        let before =
            json!({"title": "A", "genres": ["puzzle"], "links": {"play": "a", "steam": "b"}});
        let after =
            json!({"title": "A", "genres": ["runner"], "links": {"play": "c", "itch": "d"}});
        let differences = between(&object(before), &object(after));
        let found: Vec<_> = differences
            .iter()
            .map(|d| (d.path.as_str(), d.before.clone(), d.after.clone()))
            .collect();
        assert_eq!(
            found,
            [
                ("genres", Some(json!(["puzzle"])), Some(json!(["runner"]))),
                ("links.itch", None, Some(json!("d"))),
                ("links.play", Some(json!("a")), Some(json!("c"))),
                ("links.steam", Some(json!("b")), None),
            ]
        );
    }

    #[test]
    fn empty_equals_missing() {
        assert!(paths(json!({"a": null, "b": "", "c": [], "d": {}}), json!({})).is_empty());
        assert_eq!(
            paths(json!({}), json!({"a": false, "b": 0, "c": "", "d": {"e": 1}})),
            ["a", "b", "d.e"]
        );
        assert_eq!(paths(json!({"a": {"b": 1}}), json!({"a": 1})), ["a"]);
    }

    #[test]
    fn a_move_to_another_page_is_a_change_of_the_creator() {
        let [a, b] = [1, 2].map(Uuid::from_u128);
        let game = |page: Uuid| json!({"state": "published", "page_id": page});
        assert_eq!(changed_paths(&content(&game(a)), &content(&game(b))), ["creator"]);
        assert_eq!(moved_pages(Some(&game(a)), &game(b)), Some([a, b]));
        // A new game moves nowhere.
        assert_eq!(moved_pages(None, &game(b)), None);
        assert_eq!(moved_pages(Some(&json!({"title": "A"})), &json!({"title": "B"})), None);
    }

    #[test]
    fn content_excludes_metadata() {
        let listing = json!({"state": "pending", "submitter": null, "title": "A"});
        assert_eq!(content(&listing), object(json!({"title": "A"})));
    }

    /// The value without its empty parts.
    fn without_empty(value: &Value) -> Option<Value> {
        match value {
            Value::Object(fields) => {
                let fields: Map<String, Value> = fields
                    .iter()
                    .filter_map(|(name, value)| Some((name.clone(), without_empty(value)?)))
                    .collect();
                (!fields.is_empty()).then_some(Value::Object(fields))
            }
            value => Some(value.clone()).filter(|value| is_not_empty(&value)),
        }
    }

    fn set(object: &mut Map<String, Value>, path: &str, value: Option<Value>) {
        match path.split_once('.') {
            Some((first, rest)) => {
                let inner = object.entry(first).or_insert_with(|| Value::Object(Map::new()));
                if !inner.is_object() {
                    *inner = Value::Object(Map::new());
                }
                set(inner.as_object_mut().unwrap(), rest, value);
            }
            None => {
                match value {
                    Some(value) => object.insert(path.to_owned(), value),
                    None => object.remove(path),
                };
            }
        }
    }

    fn leaf() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (0..3_i64).prop_map(Value::from),
            "[a-c]{0,2}".prop_map(Value::from),
            prop::collection::vec((0..3_i64).prop_map(Value::from), 0..3).prop_map(Value::from),
        ]
    }

    fn state() -> impl Strategy<Value = Map<String, Value>> {
        let fields = |value: BoxedStrategy<Value>| {
            prop::collection::btree_map("[a-d]", value, 0..5)
                .prop_map(|fields| fields.into_iter().collect::<Map<String, Value>>())
        };
        let inner = fields(leaf().boxed()).prop_map(Value::Object);
        fields(prop_oneof![leaf(), inner].boxed())
    }

    proptest! {
        #[test]
        fn equal_states_have_no_difference(state in state()) {
            prop_assert!(between(&state, &state).is_empty());
        }

        #[test]
        fn applying_the_differences_gives_the_other_state(before in state(), after in state()) {
            let differences = between(&before, &after);
            let mut made = before;
            for difference in &differences {
                prop_assert_ne!(&difference.before, &difference.after);
                set(&mut made, &difference.path, difference.after.clone());
            }
            prop_assert_eq!(without_empty(&Value::Object(made)), without_empty(&Value::Object(after)));
        }

        #[test]
        fn reversed_differences_have_the_same_paths(before in state(), after in state()) {
            let turned: Vec<_> = between(&after, &before)
                .into_iter()
                .map(|d| Difference { path: d.path, before: d.after, after: d.before })
                .collect();
            prop_assert_eq!(between(&before, &after), turned);
        }
    }
}
