//! The directory data in `deploy/data`: every row is whole, and refers only to rows that are there.

#![expect(
    clippy::unwrap_used,
    reason = "test support: a file that cannot be read is a failed test"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

const PLATFORMS: [&str; 10] = [
    "web",
    "android",
    "ios",
    "windows",
    "mac",
    "linux",
    "switch",
    "playstation",
    "xbox",
    "vr",
];
const STAGES: [&str; 3] = ["in_development", "early_access", "released"];
const EVENT_KINDS: [&str; 5] = ["jam", "meetup", "tournament", "showcase", "conference"];

fn rows(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../data")
        .join(format!("{name}.ndjson"));
    fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    let text = row[field].as_str().unwrap_or_default();
    assert!(
        !text.is_empty() && text == text.trim() && !text.contains(char::is_control),
        "{field} in {row}"
    );
    text
}

/// The values of a field that no two rows share and that are fit for an address.
fn slugs(rows: &[Value], field: &str) -> BTreeSet<String> {
    let kebab = |slug: &str| {
        !slug.is_empty()
            && slug.split('-').all(|word| {
                !word.is_empty()
                    && word
                        .bytes()
                        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            })
    };
    let slugs: BTreeSet<String> = rows.iter().map(|row| text(row, field).to_owned()).collect();
    assert_eq!(slugs.len(), rows.len(), "{field} is not unique");
    assert!(
        slugs.iter().all(|slug| kebab(slug)),
        "{field} is not kebab case"
    );
    slugs
}

fn all_within(row: &Value, field: &str, known: impl Fn(&str) -> bool) {
    let values: Vec<&str> = row[field]
        .as_array()
        .unwrap()
        .iter()
        .map(|value| value.as_str().unwrap())
        .collect();
    assert!(values.iter().all(|value| known(value)), "{field} in {row}");
    assert_eq!(
        values.iter().collect::<BTreeSet<_>>().len(),
        values.len(),
        "{field} repeats in {row}"
    );
}

fn https(row: &Value, value: &Value) {
    assert!(
        value.is_null() || value.as_str().unwrap().starts_with("https://"),
        "{value} in {row}"
    );
}

/// Each city slug with its country and name.
fn cities() -> BTreeMap<String, (String, String)> {
    let cities = rows("cities");
    slugs(&cities, "city_slug");
    let city = |row| {
        (
            text(row, "city_slug").to_owned(),
            (
                text(row, "country_code").to_owned(),
                text(row, "name").to_owned(),
            ),
        )
    };
    cities.iter().map(city).collect()
}

fn in_its_city(row: &Value, cities: &BTreeMap<String, (String, String)>) {
    if row["city"].is_null() {
        assert!(row["city_slug"].is_null(), "{row}");
    } else {
        let place = (
            text(row, "country_code").to_owned(),
            text(row, "city").to_owned(),
        );
        assert_eq!(cities.get(text(row, "city_slug")), Some(&place), "{row}");
    }
}

#[test]
fn countries_and_cities_are_whole() {
    let countries = rows("countries");
    let codes: BTreeSet<&str> = countries.iter().map(|row| text(row, "code")).collect();
    assert_eq!((countries.len(), codes.len()), (54, 54));
    assert!(countries.iter().all(|row| text(row, "currency").len() == 3));
    assert!(
        cities()
            .values()
            .all(|(country, _)| codes.contains(country.as_str()))
    );
}

#[test]
fn creators_live_where_the_gazetteer_says() {
    let (creators, cities) = (rows("creators"), cities());
    slugs(&creators, "handle");
    for row in &creators {
        in_its_city(row, &cities);
        assert!(["studio", "person"].contains(&text(row, "kind")), "{row}");
        assert!(
            !row["roles"].as_array().unwrap().is_empty()
                && text(row, "tagline").chars().count() <= 160,
            "{row}"
        );
        https(row, &row["website"]);
        row["links"]
            .as_object()
            .unwrap()
            .values()
            .for_each(|link| https(row, link));
    }
}

#[test]
fn games_have_known_makers_genres_and_platforms() {
    let handles = slugs(&rows("creators"), "handle");
    let genres = slugs(&rows("genres"), "key");
    let (dated, undated) = (rows("games"), rows("games-without-year"));
    assert!(dated.iter().all(|row| row["release_year"].is_u64()));
    assert!(undated.iter().all(|row| row["release_year"].is_null()));
    let games: Vec<Value> = dated.into_iter().chain(undated).collect();
    slugs(&games, "slug");
    for row in &games {
        assert!(
            handles.contains(text(row, "creator")) && STAGES.contains(&text(row, "stage")),
            "{row}"
        );
        assert!(text(row, "tagline").chars().count() <= 160, "{row}");
        all_within(row, "platforms", |platform| PLATFORMS.contains(&platform));
        all_within(row, "genres", |genre| genres.contains(genre));
        row["links"]
            .as_object()
            .unwrap()
            .values()
            .for_each(|link| https(row, link));
    }
}

#[test]
fn events_end_after_they_begin() {
    let (whole, incomplete, cities) = (rows("events"), rows("events-incomplete"), cities());
    assert!(
        incomplete
            .iter()
            .all(|row| row["starts_at"].is_null() || row["city"].is_null())
    );
    assert!(whole.iter().all(|row| !row["starts_at"].is_null()));
    let events: Vec<Value> = whole.into_iter().chain(incomplete).collect();
    slugs(&events, "slug");
    for row in &events {
        in_its_city(row, &cities);
        assert!(EVENT_KINDS.contains(&text(row, "kind")), "{row}");
        // Days written as 2026-11-20 sort as they follow each other.
        assert!(
            row["ends_at"].is_null() || row["starts_at"].as_str() <= row["ends_at"].as_str(),
            "{row}"
        );
        https(row, &row["url"]);
    }
}
