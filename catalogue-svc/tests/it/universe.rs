//! Random listings as changes of the feed. They have few distinct names and values, so that filters match.

use contracts::common::v1::Change;
use contracts::listings::v1 as listings;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use crate::build::{self, at, event_change, game_change, page_change};

pub(crate) const GENRES: [&str; 3] = ["puzzle", "racing", "rpg"];
pub(crate) const PLATFORMS: [&str; 3] = ["android", "web", "vr"];
pub(crate) const STAGES: [&str; 2] = ["released", "early_access"];
pub(crate) const COUNTRIES: [&str; 3] = ["KE", "NG", ""];
pub(crate) const KINDS: [&str; 2] = ["studio", "person"];
pub(crate) const ROLES: [&str; 3] = ["developer", "artist", "composer"];
pub(crate) const EVENT_KINDS: [&str; 3] = ["jam", "meetup", "conference"];
/// Names of cities with their slugs; one city has two spellings.
pub(crate) const CITIES: [(&str, &str); 5] =
    [("Lagos", "lagos"), ("Éko", "lagos"), ("Lamu", "lamu-ke"), ("Lamu", "lamu-ng"), ("", "")];
pub(crate) const QUESTIONS: [&str; 9] =
    ["la", "LAG", "ecl", "2", "la e", "ሰ", "maker 0", "2048ሰ", "?!"];
pub(crate) const PAGES: u32 = 10;

const WORDS: [&str; 6] = ["Lagos", "lamu", "Éclair", "eclipse", "2048", "ሰላም"];

/// The handle of a page, before or after its rename.
pub(crate) fn handle() -> impl Strategy<Value = String> {
    (0..PAGES, 0..2_u8).prop_map(|(number, renamed)| format!("maker-{number}-{renamed}"))
}

fn state() -> impl Strategy<Value = i32> {
    // 2 is published, the most frequent.
    prop_oneof![6 => Just(2), 1 => Just(1), 1 => Just(3), 1 => Just(4)]
}

/// Every third listing is a sample (2).
fn mode(number: u32) -> i32 {
    if number.is_multiple_of(3) { 2 } else { 1 }
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn words() -> impl Strategy<Value = Vec<&'static str>> {
    subsequence(WORDS.to_vec(), 0..=2)
}

prop_compose! {
    pub(crate) fn a_page()(
        number in 0..PAGES,
        state in state(),
        (name, tagline) in (words(), words()),
        country in select(&COUNTRIES),
        (city, city_slug) in select(&CITIES),
        kind in select(&KINDS),
        roles in subsequence(ROLES.to_vec(), 0..=2),
        seconds in 0..3_i64,
        renamed in 0..2_u8,
    ) -> Change {
        page_change(&listings::Page {
            state,
            mode: mode(number),
            name: name.join(" "),
            tagline: tagline.join(" "),
            handle: format!("maker-{number}-{renamed}"),
            kind: kind.to_owned(),
            roles: texts(&roles),
            country_code: country.to_owned(),
            city: city.to_owned(),
            city_slug: city_slug.to_owned(),
            created_at: Some(at(seconds)),
            ..build::page(number)
        })
    }
}

prop_compose! {
    pub(crate) fn a_game()(
        number in 0..40_u32,
        page in 0..=PAGES,
        state in state(),
        seconds in 0..5_i64,
        featured in prop::bool::weighted(0.2),
        genres in subsequence(GENRES.to_vec(), 0..=3),
        platforms in subsequence(PLATFORMS.to_vec(), 0..=3),
        stage in select(&STAGES),
        (title, tagline) in (words(), words()),
    ) -> Change {
        game_change(&listings::Game {
            state,
            mode: mode(number),
            featured,
            page_id: build::id(page),
            genres: texts(&genres),
            platforms: texts(&platforms),
            stage: stage.to_owned(),
            title: title.join("-"),
            tagline: tagline.join(" "),
            created_at: Some(at(seconds)),
            ..build::game(number)
        })
    }
}

pub(crate) fn a_day() -> impl Strategy<Value = time::Date> {
    let first = time::macros::date!(2026 - 01 - 20);
    (0..20_i64).prop_map(move |days| first + time::Duration::days(days))
}

prop_compose! {
    pub(crate) fn an_event()(
        number in 0..20_u32,
        state in state(),
        title in words(),
        kind in select(&EVENT_KINDS),
        first in a_day(),
        lasts in prop::option::of(0..6_i64),
        country in select(&COUNTRIES),
        (city, city_slug) in select(&CITIES),
    ) -> Change {
        event_change(&listings::Event {
            state,
            mode: mode(number),
            title: title.join(" "),
            kind: kind.to_owned(),
            starts_at: first.to_string(),
            ends_at: lasts.map(|days| (first + time::Duration::days(days)).to_string()),
            country_code: country.to_owned(),
            city: city.to_owned(),
            city_slug: city_slug.to_owned(),
            ..build::event(number)
        })
    }
}
