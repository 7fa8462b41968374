//! What staff change of a listing: a few fields, as a file has them.

use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::event::Event;
use super::fields::Problems;
use super::game::Game;
use super::known::Known;
use super::listing::Draft;
use super::page::Page;
use super::record::Content;
use super::{Read, read};

/// Stands for the page that a game is under already.
const OWN: &str = "\0";

/// Content that staff can change.
pub trait Amended: Content + Serialize
where
    Draft<Self>: Read,
{
    /// Fields that are not changed this way, with what to do instead.
    const FIXED: &'static [(&'static str, &'static str)];

    /// Makes of the content's fields the row of a file, less what `changes` gives under another name.
    fn row(row: &mut Map<String, Value>, changes: &Map<String, Value>);

    /// Takes over from the content before what the row could not say.
    fn keep(&mut self, before: &Self, changes: &Map<String, Value>);
}

const TIMES: &str = "The service keeps it.";
const FIXED: &str = "It never changes.";

impl Amended for Page {
    const FIXED: &'static [(&'static str, &'static str)] = &[
        ("handle", FIXED),
        ("created_at", TIMES),
        ("updated_at", TIMES),
    ];

    fn row(row: &mut Map<String, Value>, changes: &Map<String, Value>) {
        place(row, changes);
        if changes.contains_key("website")
            && let Some(Value::Object(links)) = row.get_mut("links")
        {
            links.remove("website");
        }
    }

    fn keep(&mut self, _before: &Self, _changes: &Map<String, Value>) {}
}

impl Amended for Game {
    const FIXED: &'static [(&'static str, &'static str)] = &[
        ("slug", FIXED),
        ("creator", "A game is given to another page by `reassign`."),
        ("featured", "A game is listed first by `feature`."),
        ("created_at", TIMES),
        ("updated_at", TIMES),
    ];

    fn row(row: &mut Map<String, Value>, changes: &Map<String, Value>) {
        row.remove("page_id");
        row.insert("creator".to_owned(), OWN.into());
        // Their pages may be gone by now, and they stay all the same.
        if !changes.contains_key("credits") {
            row.remove("credits");
        }
    }

    fn keep(&mut self, before: &Self, changes: &Map<String, Value>) {
        self.page_id = before.page_id;
        if !changes.contains_key("credits") {
            self.credits.clone_from(&before.credits);
        }
    }
}

impl Amended for Event {
    const FIXED: &'static [(&'static str, &'static str)] = &[
        ("slug", FIXED),
        ("created_at", TIMES),
        ("updated_at", TIMES),
    ];

    fn row(row: &mut Map<String, Value>, changes: &Map<String, Value>) {
        place(row, changes);
        if changes.contains_key("url") {
            row.remove("website");
        }
    }

    fn keep(&mut self, _before: &Self, _changes: &Map<String, Value>) {}
}

/// The slug of a city goes with the city.
fn place(row: &mut Map<String, Value>, changes: &Map<String, Value>) {
    if changes.contains_key("city") || changes.contains_key("country_code") {
        row.remove("city_slug");
    }
}

/// What is known, for changes: a game stays under its page.
#[must_use]
pub fn known(mut known: Known) -> Known {
    known.creators.insert(OWN.to_owned(), Uuid::nil());
    known
}

/// The content with `changes`, or what is wrong with them: every bad field at once.
pub fn amend<C: Amended>(
    content: &C,
    changes: &Map<String, Value>,
    known: &Known,
) -> Result<C, Problems>
where
    Draft<C>: Read,
{
    let Ok(Value::Object(mut row)) = serde_json::to_value(content) else {
        return Err([("row".to_owned(), "It cannot be read.".to_owned())].into());
    };
    let mut fixed = Problems::new();
    for (name, reason) in C::FIXED {
        if let Some(value) = changes.get(*name)
            && row.get(*name) != Some(value)
        {
            fixed.insert((*name).to_owned(), (*reason).to_owned());
        }
    }
    C::row(&mut row, changes);
    for (name, value) in changes {
        if !fixed.contains_key(name) {
            row.insert(name.clone(), value.clone());
        }
    }
    match read::<Draft<C>>(&row, known) {
        Ok(draft) if fixed.is_empty() => {
            let mut made = draft.content;
            made.keep(content, changes);
            Ok(made)
        }
        Ok(_) => Err(fixed),
        Err(problems) => Err(problems.into_iter().chain(fixed).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
        known(Known {
            year: 2026,
            genres: ["puzzle", "runner"].map(ToOwned::to_owned).into(),
            countries: ["NG".to_owned()].into(),
            ..Known::default()
        })
    }

    fn amended<C: Amended>(content: &C, changes: Value) -> Result<C, Vec<String>>
    where
        Draft<C>: Read,
    {
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
