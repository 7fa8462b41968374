//! The fields of a game.

use contracts::public::{PLATFORMS, STAGES};
use serde_json::Value;
use uuid::Uuid;

use super::{Fields, read_choice};
use crate::domain::amendment::{Amended, FIXED, TIMES};
use crate::domain::body::{Before, Body};
use crate::domain::game::Game;
use crate::domain::known::Known;
use crate::domain::listing::Draft;
use crate::domain::suggest::closest;
use crate::domain::{Read, links, lists, text};

/// Genres of one game at most.
const GENRES: usize = 3;
const FIRST_YEAR: i32 = 1950;
/// How far ahead a release may lie, in years.
const AHEAD: i32 = 5;

/// Fields that accounts only read, and why.
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
        let year = |fields: &mut Fields<'_>| year(fields, known.year).unwrap_or(submitted);
        Sent {
            game: given_by_all(fields, known, held, year),
            creator: fields.or_held("creator", held.map(|_| None), |fields| handle(fields, PAGE)),
        }
    }
}

impl Read for Draft<Game> {
    const NAME: &'static str = "slug";

    fn read(fields: &mut Fields<'_>, known: &Known) -> Self {
        let (created_at, updated_at) = fields.times(known);
        Self {
            content: Game {
                slug: fields.slug("slug"),
                featured: fields.flag("featured"),
                page_id: page(fields, known),
                ..given_by_staff(fields, known, None)
            },
            created_at,
            updated_at,
        }
    }
}

impl Amended for Game {
    fn amended(&self, fields: &mut Fields<'_>, known: &Known) -> Self {
        let (slug, featured) = (Value::from(self.slug.as_str()), Value::from(self.featured));
        fields.read_only("slug", || Some(&slug), FIXED);
        let reason = "A game is given to another page by `reassign`.";
        fields.read_only("creator", || None, reason);
        let reason = "A game is listed first by `feature`.";
        fields.read_only("featured", || Some(&featured), reason);
        for name in ["created_at", "updated_at"] {
            fields.read_only(name, || None, TIMES);
        }
        given_by_staff(fields, known, Some(self))
    }
}

/// The fields that files and staff give; what is left out stays as it is held.
fn given_by_staff(fields: &mut Fields<'_>, known: &Known, held: Option<&Game>) -> Game {
    fields.pass_over(&["note"]);
    Game {
        cover_url: fields.or_held(
            "cover_url",
            held.map(|game| game.cover_url.clone()),
            |fields| fields.address("cover_url"),
        ),
        screenshots: fields.or_held(
            "screenshots",
            held.map(|game| game.screenshots.clone()),
            |fields| lists::screenshots(fields, "screenshots"),
        ),
        // Pages that they name may be gone by now; they stay all the same.
        credits: fields.or_held("credits", held.map(|game| game.credits.clone()), |fields| {
            lists::credits(fields, "credits", known)
        }),
        source: fields.or_held("source", held.map(|game| game.source.clone()), |fields| {
            fields.line("source", text::DESCRIPTION)
        }),
        ..given_by_all(fields, known, held, |fields| {
            release_year(fields, known.year)
        })
    }
}

/// The fields that accounts give too; what is left out stays as it is held. `year` reads that of the release.
fn given_by_all(
    fields: &mut Fields<'_>,
    known: &Known,
    held: Option<&Game>,
    year: impl FnOnce(&mut Fields<'_>) -> i32,
) -> Game {
    Game {
        title: fields.or_held("title", held.map(|game| game.title.clone()), |fields| {
            fields.title("title")
        }),
        tagline: fields.or_held("tagline", held.map(|game| game.tagline.clone()), |fields| {
            fields.line("tagline", text::TAGLINE)
        }),
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
        release_year: fields.or_held("release_year", held.map(|game| game.release_year), year),
        trailer_url: fields.or_held(
            "trailer_url",
            held.map(|game| game.trailer_url.clone()),
            |fields| fields.address("trailer_url"),
        ),
        links: fields.or_held("links", held.map(|game| game.links.clone()), |fields| {
            links::read(fields, links::GAME)
        }),
        ..held.cloned().unwrap_or_else(unnamed)
    }
}

/// Reads a genre key.
fn genre(raw: &str, known: &Known) -> Result<String, String> {
    if known.genres.contains(raw) {
        return Ok(raw.to_owned());
    }
    let keys: Vec<&str> = known.genres.iter().map(String::as_str).collect();
    Err(match closest(raw, &keys) {
        Some(key) => format!("There is no such genre; the nearest is `{key}`."),
        None if keys.is_empty() => "There is no such genre; import the genres first.".to_owned(),
        None => "There is no such genre; GET /genres lists them.".to_owned(),
    })
}

/// The field `stage`; a game that does not say is in development.
fn stage(fields: &mut Fields<'_>) -> String {
    match fields.value("stage") {
        None => STAGES.first().map(|s| (*s).to_owned()),
        Some(value) => fields.text("stage", value, |raw| read_choice(raw, &STAGES)),
    }
    .unwrap_or_default()
}

fn release_year(fields: &mut Fields<'_>, this_year: i32) -> i32 {
    let year = year(fields, this_year);
    if year.is_none() {
        // Stands unless the year was there and bad.
        fields.refuse(
            "release_year",
            "Give a year: that of the first release, or the one aimed at.",
        );
    }
    year.unwrap_or_default()
}

/// The field `release_year`.
fn year(fields: &mut Fields<'_>, this_year: i32) -> Option<i32> {
    let range = i64::from(FIRST_YEAR)..=i64::from(this_year + AHEAD);
    let year = fields.integer("release_year", range)?;
    i32::try_from(year).ok()
}

/// What an account is told that names no page.
const PAGE: &str = "Give the handle of your studio's or your own page.";

/// The field `creator`: a handle, or the object that a read gives. `missing` asks for it.
fn handle(fields: &mut Fields<'_>, missing: &str) -> Option<String> {
    let mut value = fields.required("creator", missing)?;
    if let Value::Object(object) = value {
        value = object.get("handle").unwrap_or(value);
    }
    fields.text("creator", value, |raw| match raw.trim() {
        "" => Err(missing.to_owned()),
        handle => Ok(handle.to_owned()),
    })
}

/// The page that the field `creator` of a file names.
fn page(fields: &mut Fields<'_>, known: &Known) -> Uuid {
    let Some(handle) = handle(fields, "Give the handle of the game's creator.") else {
        return Uuid::nil();
    };
    let page = known.creators.get(&handle).copied();
    let reason = "No creator has this handle; the creators are imported first.";
    let page = fields.good("creator", page.ok_or_else(|| reason.to_owned()));
    page.unwrap_or_default()
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
    use serde_json::{Map, json};
    use time::macros::datetime;

    use super::*;
    use crate::domain::body::read;
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
