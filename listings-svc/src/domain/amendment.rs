//! What staff change of a listing: a few fields, read as a file's are. What is not named stays as it is.

use serde_json::{Map, Value};

use super::fields::{Fields, Problems};
use super::known::Known;

/// Why a time is not changed.
pub(super) const TIMES: &str = "The service keeps it.";
/// Why a slug or a handle is not changed.
pub(super) const FIXED: &str = "It never changes.";

/// Content that staff can change.
pub trait Amended: Sized {
    /// The content with the changes applied. Bad fields are recorded in `fields`; use the result only if there are none.
    #[must_use]
    fn amended(&self, fields: &mut Fields<'_>, known: &Known) -> Self;
}

/// The content with `changes`, or what is wrong with them: every bad field at once.
pub fn amend<C: Amended>(
    content: &C,
    changes: &Map<String, Value>,
    known: &Known,
) -> Result<C, Problems> {
    let mut fields = Fields::new(changes);
    let amended = content.amended(&mut fields, known);
    fields.finish(amended)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::domain::event::Event;
    use crate::domain::game::Game;
    use crate::domain::listing::Draft;
    use crate::domain::page::Page;
    use crate::domain::read;

    fn game() -> Game {
        let row = json!({
            "slug": "a-game", "title": "A Game", "release_year": 2020, "creator": "studio", "featured": true,
            "genres": ["puzzle"], "links": {"play": "https://a.example"},
        });
        let mut known = facts();
        known.creators.insert("studio".to_owned(), Uuid::max());
        let mut game = read::<Draft<Game>>(row.as_object().unwrap(), &known)
            .unwrap()
            .content;
        game.credits.push(super::super::lists::Credit {
            handle: Some("gone".to_owned()),
            name: "Gone".to_owned(),
            role: String::new(),
        });
        game
    }

    fn facts() -> Known {
        Known {
            year: 2026,
            genres: ["puzzle", "runner"].map(ToOwned::to_owned).into(),
            countries: ["NG".to_owned()].into(),
            ..Known::default()
        }
    }

    fn amended<C: Amended>(content: &C, changes: Value) -> Result<C, Vec<String>> {
        let Value::Object(changes) = changes else {
            unreachable!()
        };
        amend(content, &changes, &facts()).map_err(|problems| problems.into_keys().collect())
    }

    #[test]
    fn only_what_is_named_changes() {
        let game = game();
        assert_eq!(amended(&game, json!({})).unwrap(), game);
        let changed = amended(&game, json!({"title": " B ", "links": null})).unwrap();
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
    fn what_has_a_call_of_its_own_is_not_changed_here() {
        let changes = json!({"slug": "b", "featured": false, "creator": "other", "created_at": null, "titel": "x", "genres": ["x"]});
        assert_eq!(
            amended(&game(), changes).unwrap_err(),
            [
                "created_at",
                "creator",
                "featured",
                "genres.0",
                "slug",
                "titel"
            ]
        );
        // Sent back as it is, it is no change.
        assert!(amended(&game(), json!({"slug": "a-game", "featured": true})).is_ok());
    }

    #[test]
    fn a_city_that_changes_takes_its_slug_with_it() {
        let row = json!({"handle": "a", "name": "A", "kind": "studio", "country_code": "NG", "city": "Lagos", "website": "https://a.example"});
        let page = read::<Draft<Page>>(row.as_object().unwrap(), &facts())
            .unwrap()
            .content;
        let moved = amended(&page, json!({"city": "Kano"})).unwrap();
        assert_ne!(moved.city_slug, page.city_slug);
        let site = amended(&page, json!({"website": "https://b.example"})).unwrap();
        assert_eq!(site.links["website"], "https://b.example");
    }

    #[test]
    fn the_site_of_an_event_has_two_names() {
        let row = json!({
            "slug": "jam", "title": "Jam", "kind": "jam", "starts_at": "2026-03-01", "country_code": "NG", "city": "Lagos",
            "website": "https://a.example",
        });
        let event = read::<Draft<Event>>(row.as_object().unwrap(), &facts())
            .unwrap()
            .content;
        assert_eq!(amended(&event, json!({})).unwrap(), event);
        for name in ["url", "website"] {
            let changed = amended(&event, json!({name: "https://b.example"})).unwrap();
            assert_eq!(changed.website.as_deref(), Some("https://b.example"));
        }
        assert_eq!(
            amended(&event, json!({"ends_at": "2026-01-01"})).unwrap_err(),
            ["ends_at"]
        );
    }
}
