//! Reads the fields of a game.

use contracts::public::{PLATFORMS, STAGES};
use contracts::reference_data::{GENRES, genre_number};
use serde_json::Value;
use uuid::Uuid;

use crate::domain::body::{self, Body, CurrentListing};
use crate::domain::edit::{Editable, NEVER_CHANGES};
use crate::domain::field_reader::{Fields, parse_choice};
use crate::domain::game::Game;
use crate::domain::listing::RowContent;
use crate::domain::reference_data::ReferenceData;
use crate::domain::suggest::closest;
use crate::domain::{FromImportRow, array_fields, links, text};

const MAX_GENRES: usize = 3;
const FIRST_YEAR: i32 = 1950;
/// How many years ahead a release year may be.
const MAX_YEARS_AHEAD: i32 = 5;

/// Fields that accounts cannot change, each with its error.
const READ_ONLY: [(&str, &str); 8] = [
    ("slug", "The slug never changes."),
    ("cover_url", "Pictures are added on the site."),
    ("screenshots", "Pictures are added on the site."),
    ("featured", "Staff choose the featured games."),
    ("country_code", "A game is in its creator's country."),
    ("city", "A game is in its creator's city."),
    ("url", "The address of the page is made from the slug."),
    ("created_at", "The service sets this time: leave it out."),
];

/// A game as an account submits it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedBody {
    /// Without the slug of a new game and without the id of its page.
    pub game: Game,
    /// Handle of the page that the body names.
    pub creator: Option<String>,
}

impl Body for Game {
    type Output = ParsedBody;

    fn read(
        fields: &mut Fields<'_>,
        reference: &ReferenceData,
        existing: Option<&CurrentListing<'_, Self>>,
    ) -> ParsedBody {
        let current = existing.map(|existing| &existing.listing.content);
        body::read_only(fields, &READ_ONLY, existing);
        // The value changes with every update, so a stale value is not an error.
        fields.ignore(&["updated_at"]);
        let submitted = existing.map_or(reference.year, |existing| {
            existing.listing.created_at.year()
        });
        let year = |fields: &mut Fields<'_>| year(fields, reference.year).unwrap_or(submitted);
        let mut game = current.cloned().unwrap_or_default();
        read_common_fields(&mut game, fields, reference, year);
        let mut creator = None;
        fields.update("creator", &mut creator, |fields| {
            handle(fields, CREATOR_REQUIRED)
        });
        ParsedBody { game, creator }
    }
}

impl FromImportRow for RowContent<Game> {
    const KEY_FIELD: &'static str = "slug";

    fn from_import_row(fields: &mut Fields<'_>, reference: &ReferenceData) -> Self {
        let mut content = Game {
            slug: fields.slug("slug"),
            featured: fields.boolean("featured"),
            page_id: page(fields, reference),
            ..Game::default()
        };
        read_staff_fields(&mut content, fields, reference);
        fields.row_content(content, reference)
    }
}

impl Editable for Game {
    fn edited(&self, fields: &mut Fields<'_>, reference: &ReferenceData) -> Self {
        let slug = Value::from(self.slug.as_str());
        fields.read_only("slug", || Some(&slug), NEVER_CHANGES);
        let mut game = self.clone();
        fields.update("featured", &mut game.featured, |fields| {
            fields.boolean("featured")
        });
        fields.update("creator", &mut game.page_id, |fields| {
            page(fields, reference)
        });
        read_staff_fields(&mut game, fields, reference);
        game
    }
}

/// Reads the fields that files and staff give.
fn read_staff_fields(game: &mut Game, fields: &mut Fields<'_>, reference: &ReferenceData) {
    fields.ignore(&["note"]);
    fields.update("cover_url", &mut game.cover_url, |fields| {
        fields.address("cover_url")
    });
    let current = game.screenshots.clone();
    fields.update("screenshots", &mut game.screenshots, |fields| {
        array_fields::screenshots(fields, "screenshots", &current)
    });
    fields.update("source", &mut game.source, |fields| {
        fields.line("source", text::MAX_DESCRIPTION)
    });
    let year = |fields: &mut Fields<'_>| release_year(fields, reference.year);
    read_common_fields(game, fields, reference, year);
}

/// Reads the fields that accounts give as well. `year` reads the release year.
fn read_common_fields(
    game: &mut Game,
    fields: &mut Fields<'_>,
    reference: &ReferenceData,
    year: impl FnOnce(&mut Fields<'_>) -> i32,
) {
    fields.update("title", &mut game.title, |fields| fields.title("title"));
    fields.update("tagline", &mut game.tagline, |fields| {
        fields.line("tagline", text::MAX_TAGLINE)
    });
    fields.update("description", &mut game.description, |fields| {
        fields.paragraphs("description", text::MAX_DESCRIPTION)
    });
    fields.update("genres", &mut game.genres, |fields| {
        array_fields::words(fields, "genres", MAX_GENRES, genre)
    });
    fields.update("platforms", &mut game.platforms, |fields| {
        let platform = |raw: &str| parse_choice(raw, &PLATFORMS);
        array_fields::words(fields, "platforms", PLATFORMS.len(), platform)
    });
    fields.update("stage", &mut game.stage, stage);
    fields.update("release_year", &mut game.release_year, year);
    fields.update("trailer_url", &mut game.trailer_url, |fields| {
        fields.address("trailer_url")
    });
    fields.update("links", &mut game.links, |fields| {
        links::read(fields, links::GAME)
    });
    // Stored credits are not checked again: a page that they name may have been taken down since.
    let current = game.credits.clone();
    fields.update("credits", &mut game.credits, |fields| {
        array_fields::credits(fields, "credits", &current, reference)
    });
}

fn genre(raw: &str) -> Result<String, String> {
    if genre_number(raw).is_some() {
        return Ok(raw.to_owned());
    }
    Err(match closest(raw, &GENRES.map(|genre| genre.key)) {
        Some(key) => format!("There is no such genre; the nearest is `{key}`."),
        None => "There is no such genre; GET /genres lists them.".to_owned(),
    })
}

/// Reads `stage`; the default is the first stage.
fn stage(fields: &mut Fields<'_>) -> String {
    match fields.value("stage") {
        None => STAGES.first().map(|s| (*s).to_owned()),
        Some(value) => fields.text("stage", value, |raw| parse_choice(raw, &STAGES)),
    }
    .unwrap_or_default()
}

fn release_year(fields: &mut Fields<'_>, this_year: i32) -> i32 {
    let year = year(fields, this_year);
    if year.is_none() {
        // No effect when the year was present and invalid: the first error of a field stands.
        fields.refuse(
            "release_year",
            "Give the year of the first release, or the planned year.",
        );
    }
    year.unwrap_or_default()
}

fn year(fields: &mut Fields<'_>, this_year: i32) -> Option<i32> {
    let range = i64::from(FIRST_YEAR)..=i64::from(this_year + MAX_YEARS_AHEAD);
    let year = fields.integer("release_year", range)?;
    i32::try_from(year).ok()
}

/// Error for a body that names no page.
const CREATOR_REQUIRED: &str = "Give the handle of your studio's or your own page.";

/// Reads `creator`: a handle, or the object that a read returns. `missing` is the error for a missing field.
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

/// Resolves the field `creator` of an import row to a page.
fn page(fields: &mut Fields<'_>, reference: &ReferenceData) -> Uuid {
    let Some(handle) = handle(fields, "Give the handle of the game's creator.") else {
        return Uuid::nil();
    };
    let page = reference.creators.get(&handle).copied();
    let reason = "No creator that games may belong to has this handle: import the creators first, or restore the page if it was taken down.";
    let page = fields.ok_or_refuse("creator", page.ok_or_else(|| reason.to_owned()));
    page.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, json};
    use time::macros::datetime;

    use super::*;
    use crate::domain::body::read;
    use crate::domain::field_reader::Problems;
    use crate::domain::listing::Listing;

    fn reference() -> ReferenceData {
        ReferenceData {
            year: 2026,
            ..ReferenceData::default()
        }
    }

    fn create(body: &Value) -> Result<ParsedBody, Problems> {
        read::<Game>(body.as_object().unwrap(), &reference(), None)
    }

    fn current() -> Listing<Game> {
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

    fn representation() -> Map<String, Value> {
        let representation = json!({
            "slug": "bao", "title": "Bao", "tagline": "Sow", "cover_url": "https://x.example/c.jpg", "genres": ["puzzle"],
            "platforms": [], "stage": "in_development", "release_year": 2020, "featured": false,
            "creator": {"handle": "maliyo", "name": "Maliyo"}, "country_code": "NG", "city": "Lagos", "url": "https://x.example/games/bao",
            "created_at": "2024-05-01T00:00:00.000Z", "updated_at": "2024-05-01T00:00:00.000Z", "description": "",
            "screenshots": [], "links": {}, "credits": [], "trailer_url": null,
        });
        let Value::Object(representation) = representation else {
            unreachable!()
        };
        representation
    }

    fn change(body: &Value) -> Result<ParsedBody, Problems> {
        let listing = current();
        let existing = CurrentListing {
            listing: &listing,
            representation: representation(),
        };
        read(body.as_object().unwrap(), &reference(), Some(&existing))
    }

    #[test]
    fn a_short_body_gets_the_empty_values() {
        let submitted_game = create(&json!({"creator": "maliyo", "title": " Bao "})).unwrap();
        assert_eq!(submitted_game.creator.as_deref(), Some("maliyo"));
        assert_eq!(
            (
                submitted_game.game.title.as_str(),
                submitted_game.game.stage.as_str()
            ),
            ("Bao", "in_development")
        );
        assert_eq!(submitted_game.game.release_year, 2026);
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
    fn missing_fields_keep_their_values() {
        let submitted_game = change(&json!({"tagline": "Reap"})).unwrap();
        assert_eq!(submitted_game.creator, None);
        assert_eq!(
            submitted_game.game,
            Game {
                tagline: "Reap".to_owned(),
                ..current().content
            }
        );
        assert_eq!(change(&json!({})).unwrap().game, current().content);
    }

    #[test]
    fn null_clears_optional_fields_only() {
        let submitted_game =
            change(&json!({"tagline": null, "genres": null, "release_year": null, "stage": null}))
                .unwrap();
        assert_eq!(
            (
                submitted_game.game.tagline.as_str(),
                submitted_game.game.genres.len()
            ),
            ("", 0)
        );
        assert_eq!(
            submitted_game.game.release_year, 2024,
            "the year of the submission"
        );
        let problems = change(&json!({"title": null, "creator": null})).unwrap_err();
        assert_eq!(problems.len(), 2);
    }

    #[test]
    fn a_whole_row_may_come_back_with_its_changes() {
        let mut row = representation();
        row.insert("tagline".to_owned(), json!("Reap"));
        let submitted_game = change(&Value::Object(row.clone())).unwrap();
        assert_eq!(
            submitted_game.game,
            Game {
                tagline: "Reap".to_owned(),
                ..current().content
            }
        );
        assert_eq!(submitted_game.creator.as_deref(), Some("maliyo"));
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
                Ok(submitted_game) => prop_assert!((1..=120).contains(&submitted_game.game.title.chars().count())),
                Err(problems) => prop_assert!(problems.keys().eq(["title"])),
            }
        }
    }
}
