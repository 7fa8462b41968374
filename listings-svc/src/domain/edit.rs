//! Edits of staff: a few fields, which follow the rules of a file. The other fields keep their values.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::field_reader::{Fields, Problems};
use super::reference_data::ReferenceData;

/// Error for `created_at` and `updated_at`.
const KEPT_BY_SERVICE: &str = "The service sets this time: leave it out.";
/// Error for a slug or a handle.
pub(super) const NEVER_CHANGES: &str = "It never changes: leave it out.";

/// Content that staff can change.
pub trait Editable: Sized {
    /// The content with the edits applied. Records invalid fields in `fields`; the result is valid only if there is none.
    #[must_use]
    fn edited(&self, fields: &mut Fields<'_>, reference: &ReferenceData) -> Self;
}

/// Applies `changes` to `content`, or returns every invalid field at once.
pub fn apply<C: Editable>(
    content: &C,
    changes: &Map<String, Value>,
    reference: &ReferenceData,
) -> Result<C, Problems> {
    let mut fields = Fields::of_change(changes);
    for name in ["created_at", "updated_at"] {
        fields.read_only(name, || None, KEPT_BY_SERVICE);
    }
    let edited = content.edited(&mut fields, reference);
    fields.finish(edited)
}

/// What a return to an earlier revision leaves as it is: pictures, whose files may be gone, and what staff decide by other calls.
const NOT_REVERTED: [&str; 6] = [
    "avatar_url",
    "cover_url",
    "screenshots",
    "featured",
    "verified",
    "page_id",
];

/// Content with the fields of an earlier revision.
///
/// # Errors
/// The fields are not those of such content, which is a bug.
pub fn revert<C: Serialize + DeserializeOwned>(
    content: &C,
    old: &Map<String, Value>,
) -> Result<C, serde_json::Error> {
    let mut fields = serde_json::to_value(content)?;
    for (name, value) in fields.as_object_mut().into_iter().flatten() {
        if let Some(old) = old
            .get(name)
            .filter(|_| !NOT_REVERTED.contains(&name.as_str()))
        {
            *value = old.clone();
        }
    }
    serde_json::from_value(fields)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::domain::event::Event;
    use crate::domain::game::Game;
    use crate::domain::listing::RowContent;
    use crate::domain::page::Page;
    use crate::domain::read_import_row;

    fn game() -> Game {
        let row = json!({
            "slug": "a-game", "title": "A Game", "release_year": 2020, "creator": "studio", "featured": true,
            "genres": ["puzzle"], "links": {"play": "https://a.example"},
        });
        let mut reference = reference_data();
        reference.creators.insert("studio".to_owned(), Uuid::max());
        let mut game = read_import_row::<RowContent<Game>>(row.as_object().unwrap(), &reference)
            .unwrap()
            .content;
        game.credits.push(super::super::array_fields::Credit {
            handle: Some("gone".to_owned()),
            name: "Gone".to_owned(),
            role: String::new(),
        });
        game
    }

    fn reference_data() -> ReferenceData {
        ReferenceData {
            year: 2026,
            ..ReferenceData::default()
        }
    }

    fn apply_edit<C: Editable>(content: &C, changes: Value) -> Result<C, Vec<String>> {
        let Value::Object(changes) = changes else {
            unreachable!()
        };
        apply(content, &changes, &reference_data())
            .map_err(|problems| problems.into_keys().collect())
    }

    #[test]
    fn only_named_fields_change() {
        let game = game();
        assert_eq!(apply_edit(&game, json!({})).unwrap(), game);
        let changed = apply_edit(&game, json!({"title": " B ", "links": null})).unwrap();
        assert_eq!(
            changed,
            Game {
                title: "B".to_owned(),
                links: super::super::links::Links::new(),
                ..game
            }
        );
    }

    #[test]
    fn read_only_and_unknown_fields_and_values_are_refused() {
        let changes = json!({"slug": "b", "creator": "other", "created_at": null, "titel": "x", "genres": ["x"]});
        assert_eq!(
            apply_edit(&game(), changes).unwrap_err(),
            ["created_at", "creator", "genres.0", "slug", "titel"]
        );
        // An unchanged value is accepted.
        assert!(apply_edit(&game(), json!({"slug": "a-game", "featured": true})).is_ok());
    }

    #[test]
    fn a_city_that_changes_takes_its_slug_with_it() {
        let row = json!({"handle": "a", "name": "A", "kind": "studio", "country_code": "NG", "city": "Lagos", "website": "https://a.example"});
        let page = read_import_row::<RowContent<Page>>(row.as_object().unwrap(), &reference_data())
            .unwrap()
            .content;
        let moved = apply_edit(&page, json!({"city": "Kano"})).unwrap();
        assert_ne!(moved.city_slug, page.city_slug);
        let site = apply_edit(&page, json!({"website": "https://b.example"})).unwrap();
        assert_eq!(site.links["website"], "https://b.example");
    }

    #[test]
    fn the_site_of_an_event_has_two_names() {
        let row = json!({
            "slug": "jam", "title": "Jam", "kind": "jam", "starts_at": "2026-03-01", "country_code": "NG", "city": "Lagos",
            "website": "https://a.example",
        });
        let event =
            read_import_row::<RowContent<Event>>(row.as_object().unwrap(), &reference_data())
                .unwrap()
                .content;
        assert_eq!(apply_edit(&event, json!({})).unwrap(), event);
        for name in ["url", "website"] {
            let changed = apply_edit(&event, json!({name: "https://b.example"})).unwrap();
            assert_eq!(changed.website.as_deref(), Some("https://b.example"));
        }
        assert_eq!(
            apply_edit(&event, json!({"ends_at": "2026-01-01"})).unwrap_err(),
            ["ends_at"]
        );
    }
}
