//! GET /genres, /countries, /countries/{code} and /cities (§2.3, §2.5, §4.2).
//!
//! Counts, and whole lists, are compared with each other in the samples alone: nobody changes these, while other tests change the real
//! listings at any moment. Of real places one answer is looked at by itself.

use std::cmp::Reverse;

use contracts::public::{CityRow, Country, CountryRow, CreatorRow, GameRow, GenreRow};
use e2e::{Client, Fleet};

use crate::lists::{assert_cursor_is_bound, assert_pages, assert_refused, live, sample};

const GENRES: &str = include_str!("../../deploy/data/genres.ndjson");

/// A name as it sorts: without case, and without the diacritics that names of these places have.
fn as_it_sorts(name: &str) -> String {
    let name = name.to_lowercase();
    let plain = name.chars().map(|letter| match letter {
        'á' | 'à' | 'â' | 'ã' | 'ä' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'õ' | 'ö' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        other => other,
    });
    plain.collect()
}

async fn total(client: &Client, path: &str) -> u64 {
    let answer = client.get(path).await;
    answer.body["meta"]["total"].as_u64().unwrap()
}

#[tokio::test]
async fn every_genre_is_listed_by_name_with_its_games() {
    let client = sample(&Fleet::shared());
    let answer = client.get("/genres?limit=3&cursor=nonsense").await;
    let whole = answer.data().as_array().unwrap();
    assert_eq!(whole.len(), GENRES.lines().count());
    assert_eq!(answer.body["meta"]["total"], whole.len());
    assert!(answer.body["meta"]["next_cursor"].is_null());

    let genres: Vec<GenreRow> = serde_json::from_value(answer.data().clone()).unwrap();
    assert_eq!(serde_json::to_value(&genres).unwrap(), *answer.data());
    assert!(genres.is_sorted_by_key(|genre| (as_it_sorts(&genre.name), genre.key.clone())));
    for genre in genres {
        let games = total(&client, &format!("/games?genre={}&limit=1", genre.key)).await;
        assert_eq!(genre.games, games, "{}", genre.key);
    }
}

#[tokio::test]
async fn countries_with_listings_are_listed_by_name_and_all_54_when_asked() {
    let fleet = Fleet::shared();
    let by_name = |country: &CountryRow| (as_it_sorts(&country.name), country.code.clone());
    let is_listed = |country: &CountryRow| country.creators + country.games > 0;
    let live = live(&fleet).await;
    let all: Vec<CountryRow> = live.rows("/countries?empty=true", 100).await;
    assert_eq!(all.len(), 54);
    assert!(all.is_sorted_by_key(by_name));
    let place = |code| all.iter().position(|country| country.code == code).unwrap();
    assert!(place("ST") < place("SN"), "São Tomé stands before Senegal");
    assert!(all.iter().all(|country| country.code.len() == 2));
    let listed: Vec<CountryRow> = live.rows("/countries", 100).await;
    assert!(listed.is_sorted_by_key(by_name) && listed.iter().all(is_listed));

    let client = sample(&fleet);
    let all: Vec<CountryRow> = client.rows("/countries?empty=true", 20).await;
    assert_eq!(all.len(), 54);
    let listed: Vec<CountryRow> = client.rows("/countries", 20).await;
    let expected: Vec<CountryRow> = all.into_iter().filter(is_listed).collect();
    assert_eq!(listed, expected);
    let same: Vec<CountryRow> = client.rows("/countries?empty=false", 20).await;
    assert_eq!(listed, same);
}

#[tokio::test]
async fn countries_count_what_is_in_them() {
    let client = sample(&Fleet::shared());
    let countries: Vec<CountryRow> = client.rows("/countries?empty=true", 100).await;
    for country in countries {
        let code = &country.code;
        let creators = total(&client, &format!("/creators?country={code}&limit=1")).await;
        let games = total(&client, &format!("/games?country={code}&limit=1")).await;
        assert_eq!(
            (country.creators, country.games),
            (creators, games),
            "{code}"
        );
    }
}

#[tokio::test]
async fn one_country_has_its_cities() {
    let client = sample(&Fleet::shared());
    let countries: Vec<CountryRow> = client.rows("/countries?empty=true", 100).await;
    let (mut full, mut bare) = (0, 0);
    for row in countries {
        let code = row.code.clone();
        let country: Country = client.one(&format!("/countries/{code}")).await;
        let cities: Vec<CityRow> = client.rows(&format!("/cities?country={code}"), 100).await;
        assert_eq!(country, Country { row, cities });
        let lower: Country = client
            .one(&format!("/countries/{}", code.to_lowercase()))
            .await;
        assert_eq!(lower, country);
        if country.cities.is_empty() {
            bare += 1;
        } else {
            full += 1;
        }
    }
    assert!(
        full >= 10 && bare >= 10,
        "{full} with cities, {bare} without"
    );
    for code in ["FR", "XX", "KEN", "Kenya", "%FF"] {
        let answer = client.get(&format!("/countries/{code}")).await;
        answer.assert_error(404, "not_found");
    }
}

fn is_biggest_first(cities: &[CityRow]) -> bool {
    cities.is_sorted_by_key(|city| {
        let (name, slug) = (as_it_sorts(&city.name), city.slug.clone());
        (Reverse(city.creators), Reverse(city.games), name, slug)
    })
}

#[tokio::test]
async fn the_biggest_cities_come_first() {
    let fleet = Fleet::shared();
    let answer = live(&fleet).await.get("/cities?limit=100").await;
    let cities: Vec<CityRow> = serde_json::from_value(answer.data().clone()).unwrap();
    assert!(!cities.is_empty() && is_biggest_first(&cities));
    assert!(cities.iter().all(|city| city.creators > 0));

    let client = sample(&fleet);
    let cities: Vec<CityRow> = client.rows("/cities", 100).await;
    assert!(!cities.is_empty() && is_biggest_first(&cities));
    assert!(cities.iter().all(|city| city.creators > 0));
    let country = &cities[0].country_code;
    let expected: Vec<CityRow> = cities
        .iter()
        .filter(|city| &city.country_code == country)
        .cloned()
        .collect();
    let path = format!("/cities?country={}", country.to_lowercase());
    let found: Vec<CityRow> = client.rows(&path, 5).await;
    assert_eq!(found, expected);
}

#[tokio::test]
async fn cities_count_their_creators_and_the_games_of_these() {
    let client = sample(&Fleet::shared());
    let creators: Vec<CreatorRow> = client.rows("/creators", 100).await;
    let games: Vec<GameRow> = client.rows("/games", 100).await;
    let cities: Vec<CityRow> = client.rows("/cities", 100).await;
    for city in &cities {
        let theirs: Vec<&CreatorRow> = creators
            .iter()
            .filter(|creator| creator.city_slug == city.slug)
            .collect();
        let made = games
            .iter()
            .filter(|game| theirs.iter().any(|c| c.handle == game.creator.handle))
            .count();
        assert_eq!(
            (city.creators, city.games),
            (theirs.len() as u64, made as u64),
            "{}",
            city.slug
        );
        assert!(theirs.iter().all(|c| c.country_code == city.country_code));
    }
    let settled = creators.iter().filter(|c| !c.city_slug.is_empty()).count();
    let counted: u64 = cities.iter().map(|city| city.creators).sum();
    assert_eq!(counted, settled as u64, "who has no city is in none");
}

#[tokio::test]
async fn pages_of_any_size_make_up_the_whole_list() {
    let fleet = Fleet::shared();
    let client = sample(&fleet);
    for path in ["/countries", "/countries?empty=true", "/cities"] {
        assert_pages(&client, path).await;
    }
    assert_cursor_is_bound(&client, "/countries", "/countries?empty=true").await;
    assert_cursor_is_bound(&client, "/cities", "/countries").await;
    assert_cursor_is_bound(&client, "/cities", "/cities?country=KE").await;
}

#[tokio::test]
async fn live_and_sample_places_count_apart() {
    let fleet = Fleet::shared();
    let (live, sample) = (live(&fleet).await, sample(&fleet));
    let creators = async |client: &Client| -> u64 {
        let rows: Vec<CountryRow> = client.rows("/countries", 100).await;
        rows.iter().map(|country| country.creators).sum()
    };
    assert_eq!(
        creators(&sample).await,
        total(&sample, "/creators?limit=1").await
    );
    assert!(creators(&live).await >= 250);
}

#[tokio::test]
async fn a_wrong_question_is_told_what_is_wrong_with_it() {
    let client = sample(&Fleet::shared());
    let cases = [
        ("empty=1", "empty"),
        ("empty=TRUE", "empty"),
        ("empty=true&empty=true", "empty"),
    ];
    assert_refused(&client, "/countries", &cases).await;
    let cases = [("country=FR", "country"), ("country=Kenya", "country")];
    assert_refused(&client, "/cities", &cases).await;
}
