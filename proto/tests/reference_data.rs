//! Genres, countries and cities match the files in `deploy/data`, which name their sources.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::Path;

use contracts::reference_data::{COUNTRIES, GENRES, cities, city, country, genre_number};
use serde_json::Value;

/// The rows of a file, by this key.
fn rows(file: &str, key: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/data");
    let text = fs::read_to_string(folder.join(file)).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let mut rows: Vec<Value> = lines.collect();
    rows.sort_by_key(|row| row[key].as_str().unwrap().to_owned());
    rows
}

fn pairs<'a>(rows: &'a [Value], key: &str) -> Vec<(&'a str, &'a str)> {
    let text = |row: &'a Value, field: &str| row[field].as_str().unwrap();
    let pairs = rows.iter().map(|row| (text(row, key), text(row, "name")));
    pairs.collect()
}

#[test]
fn genres_and_countries_are_those_of_their_files() {
    let genres = GENRES.map(|genre| (genre.key, genre.name));
    assert_eq!(pairs(&rows("genres.ndjson", "key"), "key"), genres);
    let countries = COUNTRIES.map(|country| (country.code, country.name));
    assert_eq!(pairs(&rows("countries.ndjson", "code"), "code"), countries);
    for (number, genre) in GENRES.iter().enumerate() {
        assert_eq!(genre_number(genre.key), Some(number));
    }
    assert!(COUNTRIES.iter().all(|it| country(it.code) == Some(it)));
    assert_eq!((genre_number("chess"), country("FR")), (None, None));
}

#[test]
fn cities_are_those_of_their_file() {
    let rows = rows("cities.ndjson", "city_slug");
    let line = |row: &Value| {
        let [slug, name, country] =
            ["city_slug", "name", "country_code"].map(|field| row[field].as_str().unwrap());
        let population =
            row["population"].as_u64().map_or_else(String::new, |people| people.to_string());
        format!("{slug}\t{name}\t{country}\t{population}\n")
    };
    let wanted: String = rows.iter().map(line).collect();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/reference_data/cities.tsv");
    if fs::read_to_string(&file).unwrap() != wanted {
        fs::write(&file, wanted).unwrap();
        panic!("cities.tsv did not follow deploy/data and is written anew: commit it");
    }
    assert_eq!(cities().len(), rows.len());
    assert!(cities().iter().all(|it| city(it.slug) == Some(it)));
    assert!(cities().iter().all(|it| country(it.country_code).is_some()));
    let parsed = cities().iter().map(|it| it.population.map(u64::from));
    assert!(parsed.eq(rows.iter().map(|row| row["population"].as_u64())));
}
