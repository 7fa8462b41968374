//! Games as accounts send them.

use contracts::public::PLATFORMS;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{Before, Body};
use crate::domain::fields::{Fields, read_choice};
use crate::domain::game::{GENRES, Game, genre, stage, year};
use crate::domain::known::Known;
use crate::domain::{links, lists, text};

/// Fields that are only read, and why.
const READ_ONLY: [(&str, &str); 9] = [
    ("slug", "The slug never changes."),
    ("cover_url", "Pictures are added on the site."),
    ("screenshots", "Pictures are added on the site."),
    ("credits", "Credits are given on the site."),
    ("featured", "What is featured is chosen by staff."),
    ("country_code", "A game is in its creator's country."),
    ("city", "A game is in its creator's city."),
    ("url", "The address of the page is made from the slug."),
    ("created_at", "This time is kept by us."),
];

/// A game as it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Its slug, if it is new, and its page are still to be found.
    pub game: Game,
    /// The handle of the page it shall stand under, where one is named.
    pub creator: Option<String>,
}

impl Body for Game {
    type Read = Sent;

    fn read(fields: &mut Fields<'_>, known: &Known, before: Option<Before<'_, Self>>) -> Sent {
        let held = before.map(|before| &before.listing.content);
        let shown = before.map(|before| before.shown);
        for (name, reason) in READ_ONLY {
            fields.read_only(name, || shown.and_then(|shown| shown.get(name)), reason);
        }
        // It changes with every change: whoever sends back a row of a moment ago means nothing by it.
        fields.pass_over(&["updated_at"]);
        let submitted = before.map_or(known.year, |before| before.listing.created_at.year());
        Sent {
            game: Game {
                title: fields.or_held("title", held.map(|game| game.title.clone()), |fields| {
                    fields.title("title")
                }),
                tagline: fields.or_held(
                    "tagline",
                    held.map(|game| game.tagline.clone()),
                    |fields| fields.line("tagline", text::TAGLINE),
                ),
                description: fields.or_held(
                    "description",
                    held.map(|game| game.description.clone()),
                    |fields| fields.paragraphs("description", text::DESCRIPTION),
                ),
                genres: fields.or_held("genres", held.map(|game| game.genres.clone()), |fields| {
                    lists::words(fields, "genres", GENRES, |raw| genre(raw, known))
                }),
                platforms: fields.or_held(
                    "platforms",
                    held.map(|game| game.platforms.clone()),
                    |fields| {
                        lists::words(fields, "platforms", PLATFORMS.len(), |raw| {
                            read_choice(raw, &PLATFORMS)
                        })
                    },
                ),
                stage: fields.or_held("stage", held.map(|game| game.stage.clone()), stage),
                release_year: fields.or_held(
                    "release_year",
                    held.map(|game| game.release_year),
                    |fields| year(fields, known.year).unwrap_or(submitted),
                ),
                trailer_url: fields.or_held(
                    "trailer_url",
                    held.map(|game| game.trailer_url.clone()),
                    |fields| fields.address("trailer_url"),
                ),
                links: fields.or_held("links", held.map(|game| game.links.clone()), |fields| {
                    links::read(fields, links::GAME)
                }),
                ..held.cloned().unwrap_or_else(unnamed)
            },
            creator: fields.or_held("creator", held.map(|_| None), creator),
        }
    }
}

/// The field `creator`: a handle, or the object that a read gives. Whose page it is, is not looked at here.
fn creator(fields: &mut Fields<'_>) -> Option<String> {
    let missing = "Give the handle of your studio's or your own page.";
    let mut value = fields.required("creator", missing)?;
    if let Value::Object(object) = value {
        value = handle_of(object).unwrap_or(value);
    }
    fields.text("creator", value, |raw| match raw.trim() {
        "" => Err(missing.to_owned()),
        handle => Ok(handle.to_owned()),
    })
}

fn handle_of(creator: &Map<String, Value>) -> Option<&Value> {
    creator.get("handle")
}

/// A game of which nothing is known yet.
fn unnamed() -> Game {
    Game {
        slug: String::new(),
        title: String::new(),
        tagline: String::new(),
        description: String::new(),
        cover_url: None,
        screenshots: Vec::new(),
        genres: Vec::new(),
        platforms: Vec::new(),
        stage: String::new(),
        release_year: 0,
        trailer_url: None,
        links: links::Links::new(),
        credits: Vec::new(),
        featured: false,
        page_id: Uuid::nil(),
        source: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::LazyCell;

    use proptest::prelude::*;
    use serde_json::json;
    use time::macros::datetime;

    use super::super::read;
    use super::*;
    use crate::domain::fields::Problems;
    use crate::domain::listing::Listing;

    fn known() -> Known {
        Known {
            year: 2026,
            genres: ["puzzle", "runner", "racing", "strategy"]
                .map(str::to_owned)
                .into(),
            ..Known::default()
        }
    }

    fn create(body: &Value) -> Result<Sent, Problems> {
        read::<Game>(body.as_object().unwrap(), &known(), None)
    }

    fn held() -> Listing<Game> {
        let body = json!({"creator": "maliyo", "title": "Bao", "tagline": "Sow", "genres": ["puzzle"], "release_year": 2020});
        let game = Game {
            slug: "bao".to_owned(),
            cover_url: Some("https://x.example/c.jpg".to_owned()),
            ..create(&body).unwrap().game
        };
        Listing::submitted(
            Uuid::nil(),
            Uuid::max(),
            game,
            datetime!(2024-05-01 0:00 UTC),
        )
    }

    fn shown() -> Map<String, Value> {
        let shown = json!({
            "slug": "bao", "title": "Bao", "tagline": "Sow", "cover_url": "https://x.example/c.jpg", "genres": ["puzzle"],
            "platforms": [], "stage": "in_development", "release_year": 2020, "featured": false,
            "creator": {"handle": "maliyo", "name": "Maliyo"}, "country_code": "NG", "city": "Lagos", "url": "https://x.example/games/bao",
            "created_at": "2024-05-01T00:00:00.000Z", "updated_at": "2024-05-01T00:00:00.000Z", "description": "",
            "screenshots": [], "links": {}, "credits": [], "trailer_url": null,
        });
        let Value::Object(shown) = shown else {
            unreachable!()
        };
        shown
    }

    fn change(body: &Value) -> Result<Sent, Problems> {
        let listing = held();
        let before = Before {
            listing: &listing,
            shown: &LazyCell::new(shown),
        };
        read(body.as_object().unwrap(), &known(), Some(before))
    }

    #[test]
    fn a_short_body_gets_the_empty_values() {
        let sent = create(&json!({"creator": "maliyo", "title": " Bao "})).unwrap();
        assert_eq!(sent.creator.as_deref(), Some("maliyo"));
        assert_eq!(
            (sent.game.title.as_str(), sent.game.stage.as_str()),
            ("Bao", "in_development")
        );
        assert_eq!(sent.game.release_year, 2026);
    }

    #[test]
    fn every_bad_field_of_a_new_game_is_named_at_once() {
        let body = json!({
            "title": "", "genres": ["puzzel", "runner", "racing", "strategy"], "platforms": ["web", "web", "psp"], "stage": "done",
            "release_year": 1900, "trailer_url": "http://x.example", "links": {"play": "ftp://x", "Steam": "https://x.example"},
            "cover_url": "https://x.example/a.png", "slug": "bao", "titel": "x", "tagline": 5,
        });
        let problems = create(&body).unwrap_err();
        let paths: Vec<&str> = problems.keys().map(String::as_str).collect();
        assert_eq!(
            paths,
            [
                "cover_url",
                "creator",
                "genres.0",
                "genres.3",
                "links.Steam",
                "links.play",
                "platforms.1",
                "platforms.2",
                "release_year",
                "slug",
                "stage",
                "tagline",
                "titel",
                "title",
                "trailer_url",
            ]
        );
        assert!(problems["titel"].contains("`title`"));
    }

    #[test]
    fn what_a_change_leaves_out_stays() {
        let sent = change(&json!({"tagline": "Reap"})).unwrap();
        assert_eq!(sent.creator, None);
        assert_eq!(
            sent.game,
            Game {
                tagline: "Reap".to_owned(),
                ..held().content
            }
        );
        assert_eq!(change(&json!({})).unwrap().game, held().content);
    }

    #[test]
    fn null_clears_what_is_optional_and_is_refused_for_the_rest() {
        let sent =
            change(&json!({"tagline": null, "genres": null, "release_year": null, "stage": null}))
                .unwrap();
        assert_eq!(
            (sent.game.tagline.as_str(), sent.game.genres.len()),
            ("", 0)
        );
        assert_eq!(sent.game.release_year, 2024, "the year it was sent in");
        let problems = change(&json!({"title": null, "creator": null})).unwrap_err();
        assert_eq!(problems.len(), 2);
    }

    #[test]
    fn a_whole_row_may_come_back_with_its_changes() {
        let mut row = shown();
        row.insert("tagline".to_owned(), json!("Reap"));
        let sent = change(&Value::Object(row.clone())).unwrap();
        assert_eq!(
            sent.game,
            Game {
                tagline: "Reap".to_owned(),
                ..held().content
            }
        );
        assert_eq!(sent.creator.as_deref(), Some("maliyo"));
        for (name, reason) in READ_ONLY {
            let mut changed = row.clone();
            changed.insert(name.to_owned(), json!("another"));
            let problems = change(&Value::Object(changed)).unwrap_err();
            assert_eq!(
                problems.into_iter().collect::<Vec<_>>(),
                [(name.to_owned(), reason.to_owned())]
            );
        }
    }

    proptest! {
        #[test]
        fn any_title_is_read_or_refused_under_its_name(title in "\\PC{0,140}") {
            match create(&json!({"creator": "a", "title": title})) {
                Ok(sent) => prop_assert!((1..=120).contains(&sent.game.title.chars().count())),
                Err(problems) => prop_assert!(problems.keys().eq(["title"])),
            }
        }
    }
}
