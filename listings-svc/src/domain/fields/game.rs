//! Reads the fields of a game.

use contracts::public::{PLATFORMS, STAGES};
use contracts::reference_data::{GENRES, genre_number};
use serde_json::Value;
use uuid::Uuid;

use super::{Input, NEVER_CHANGES, SET_BY_SERVICE, Who};
use crate::domain::field_reader::{Fields, parse_choice};
use crate::domain::game::Game;
use crate::domain::reference_data::ReferenceData;
use crate::domain::suggest::closest;
use crate::domain::{array_fields, links, text};

const MAX_GENRES: usize = 3;
const FIRST_YEAR: i32 = 1950;
/// How many years ahead a release year may be.
const MAX_YEARS_AHEAD: i32 = 5;

/// Fields that accounts cannot change, each with its error.
pub(super) const READ_ONLY: [(&str, &str); 8] = [
    ("slug", NEVER_CHANGES),
    ("cover_url", "Pictures are added on the site."),
    ("screenshots", "Pictures are added on the site."),
    ("featured", "Staff choose the featured games."),
    ("country_code", "A game is in its creator's country."),
    ("city", "A game is in its creator's city."),
    ("url", "The address of the page is made from the slug."),
    ("created_at", SET_BY_SERVICE),
];

pub(super) fn read(fields: &mut Fields<'_>, input: &Input<'_>, current: Option<&Game>) -> Game {
    let mut game = current.cloned().unwrap_or_default();
    let reference = input.reference;
    fields.update("title", &mut game.title, |fields| fields.title("title"));
    fields.update("tagline", &mut game.tagline, |fields| fields.line("tagline", text::MAX_TAGLINE));
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
    fields.update("release_year", &mut game.release_year, |fields| release_year(fields, input));
    fields.update("trailer_url", &mut game.trailer_url, |fields| fields.address("trailer_url"));
    fields.update("links", &mut game.links, |fields| links::read(fields, links::GAME));
    // Stored credits are not checked again: a page that they name may have been taken down since.
    let credits = game.credits.clone();
    fields.update("credits", &mut game.credits, |fields| {
        array_fields::credits(fields, "credits", &credits, reference)
    });
    if input.who == Who::Account {
        input.read_only(fields, &READ_ONLY);
        // The value changes with every update, so a stale value is not an error.
        fields.ignore(&["updated_at"]);
        // The call looks the page up, and locks it.
        fields.update("creator", &mut (), |fields| drop(creator(fields)));
    } else {
        read_fields_of_staff(&mut game, fields, reference);
    }
    game
}

/// Fields that staff and files give.
fn read_fields_of_staff(game: &mut Game, fields: &mut Fields<'_>, reference: &ReferenceData) {
    fields.ignore(&["note"]);
    fields.update("featured", &mut game.featured, |fields| fields.boolean("featured"));
    fields.update("creator", &mut game.page_id, |fields| page(fields, reference));
    fields.update("cover_url", &mut game.cover_url, |fields| {
        fields.picture("cover_url", &reference.public_url)
    });
    let current = game.screenshots.clone();
    fields.update("screenshots", &mut game.screenshots, |fields| {
        array_fields::screenshots(fields, "screenshots", &current, &reference.public_url)
    });
    fields
        .update("source", &mut game.source, |fields| fields.line("source", text::MAX_DESCRIPTION));
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

/// Reads `release_year`; for an account, the default is the year of the submission.
fn release_year(fields: &mut Fields<'_>, input: &Input<'_>) -> i32 {
    let this_year = input.reference.year;
    let range = i64::from(FIRST_YEAR)..=i64::from(this_year + MAX_YEARS_AHEAD);
    let year = fields.integer("release_year", range);
    if let Some(year) = year.and_then(|year| i32::try_from(year).ok()) {
        return year;
    }
    if input.who != Who::Account {
        // No effect when the year was present and invalid: the first error of a field stands.
        let reason = "Give the year of the first release, or the planned year.";
        fields.refuse("release_year", reason);
    }
    input.current.map_or(this_year, |game| game.created_at.year())
}

/// Reads `creator`: a handle, or the object that a read returns.
fn creator(fields: &mut Fields<'_>) -> Option<String> {
    let missing = "Give the handle of the studio's or the person's page.";
    let mut value = fields.required("creator", missing)?;
    if let Value::Object(object) = value {
        value = object.get("handle").unwrap_or(value);
    }
    fields.text("creator", value, |raw| match raw.trim() {
        "" => Err(missing.to_owned()),
        handle => Ok(handle.to_owned()),
    })
}

/// Resolves `creator` to a page.
fn page(fields: &mut Fields<'_>, reference: &ReferenceData) -> Uuid {
    let Some(handle) = creator(fields) else {
        return Uuid::nil();
    };
    let page = reference.creators.get(&handle).copied();
    let reason = "No creator that games may belong to has this handle: import the creators first, or restore the page if it was taken down.";
    let page = fields.ok_or_refuse("creator", page.ok_or_else(|| reason.to_owned()));
    page.unwrap_or_default()
}
