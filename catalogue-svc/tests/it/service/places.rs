//! Genres, countries and cities, and how their counts follow changes.

use std::sync::Arc;

use catalogue::index::{Catalogue, IndexWriter};
use catalogue::service::Reads;
use contracts::catalogue::v1::places_service_server::PlacesService as _;
use contracts::catalogue::v1::{
    GetCityRequest, GetCountryRequest, GetCountryResponse, ListCitiesRequest, ListCountriesRequest,
    ListGenresRequest,
};
use contracts::common::v1::{Change, Mode, PageRequest};
use contracts::listings::v1::{self as listings, State};
use contracts::public;
use kit::{Code, Fault};
use tonic::Request;

use super::parse;
use crate::build::{self, at, entity, game, game_change, id, page, page_change, reads};

/// A catalogue to which a test applies changes.
struct Changing {
    writer: IndexWriter,
    catalogue: Arc<Catalogue>,
    places: Reads,
}

/// Two creators in Nairobi, one of them with a game, and one in Lagos with two.
fn changing() -> Changing {
    let catalogue = Arc::new(Catalogue::default());
    let mut changing =
        Changing { writer: build::writer(&[]), places: reads(Arc::clone(&catalogue)), catalogue };
    let of = |number, page| listings::Game {
        page_id: id(page),
        genres: vec!["puzzle".to_owned()],
        ..game(number)
    };
    changing.tell(&[
        page_change(&page(0)),
        page_change(&page(1)),
        page_change(&in_lagos(2)),
        game_change(&of(1, 0)),
        game_change(&of(2, 2)),
        game_change(&of(3, 2)),
    ]);
    changing
}

fn in_lagos(number: u32) -> listings::Page {
    listings::Page {
        country_code: "NG".to_owned(),
        city: "Lagos".to_owned(),
        city_slug: "lagos".to_owned(),
        ..page(number)
    }
}

impl Changing {
    fn tell(&mut self, changes: &[Change]) {
        for change in changes {
            self.writer.apply(entity(change));
        }
        self.writer.flush(1).unwrap();
        self.catalogue.publish(self.writer.snapshot());
    }

    async fn cities(&self) -> Vec<(String, u64, u64)> {
        let request = ListCitiesRequest { mode: Mode::Live.into(), ..ListCitiesRequest::default() };
        let response = self.places.list_cities(Request::new(request)).await;
        let counts = |row: public::CityRow| (row.name, row.creators, row.games);
        let cities: Vec<public::CityRow> = parse(&response.unwrap().get_ref().json);
        cities.into_iter().map(counts).collect()
    }

    async fn countries(&self, empty: bool) -> Vec<(String, u64, u64)> {
        let request = ListCountriesRequest {
            mode: Mode::Live.into(),
            empty,
            ..ListCountriesRequest::default()
        };
        let response = self.places.list_countries(Request::new(request)).await;
        let counts = |row: public::CountryRow| (row.code, row.creators, row.games);
        let countries: Vec<public::CountryRow> = parse(&response.unwrap().get_ref().json);
        countries.into_iter().map(counts).collect()
    }

    async fn country(&self, code: &str) -> Result<GetCountryResponse, Fault> {
        let request =
            GetCountryRequest { mode: Mode::Live.into(), code: code.to_owned(), at_least: None };
        let response = self.places.get_country(Request::new(request)).await?;
        Ok(response.into_inner())
    }
}

fn row(name: &str, creators: u64, games: u64) -> (String, u64, u64) {
    (name.to_owned(), creators, games)
}

#[tokio::test]
async fn counts_follow_every_change() {
    let mut changing = changing();
    let before = [row("Nairobi", 2, 1), row("Lagos", 1, 2)];
    assert_eq!(changing.cities().await, before);
    assert_eq!(changing.countries(false).await, [row("KE", 2, 1), row("NG", 1, 2)]);

    // A creator moves to another city, and its game with it.
    changing.tell(&[page_change(&in_lagos(0))]);
    assert_eq!(changing.cities().await, [row("Lagos", 2, 3), row("Nairobi", 1, 0)]);
    // A creator is taken down, and restored.
    let mut removed = in_lagos(2);
    removed.state = State::Removed.into();
    changing.tell(&[page_change(&removed)]);
    assert_eq!(changing.cities().await, [row("Lagos", 1, 1), row("Nairobi", 1, 0)]);
    changing.tell(&[page_change(&in_lagos(2)), page_change(&page(0))]);
    assert_eq!(changing.cities().await, before);
    // A game moves to another page.
    changing.tell(&[game_change(&listings::Game { page_id: id(0), ..game(2) })]);
    assert_eq!(changing.cities().await, [row("Nairobi", 2, 2), row("Lagos", 1, 1)]);
    // The last creator leaves a city, which is no longer listed.
    let nowhere = listings::Page { city: String::new(), city_slug: String::new(), ..in_lagos(2) };
    changing.tell(&[page_change(&nowhere)]);
    assert_eq!(changing.cities().await, [row("Nairobi", 2, 2)]);
    let listed = [row("KE", 2, 2), row("NG", 1, 1)];
    assert_eq!(changing.countries(false).await, listed);
}

#[tokio::test]
async fn a_city_is_called_what_its_first_creator_calls_it() {
    let mut changing = changing();
    let called = |number: u32, name: &str| {
        page_change(&listings::Page {
            city: name.to_owned(),
            created_at: Some(at(number.into())),
            ..in_lagos(number)
        })
    };
    changing.tell(&[called(3, "Eko"), called(4, "Eko")]);
    assert_eq!(changing.cities().await[0], row("Lagos", 3, 2));
    let gone = listings::Page { city: String::new(), city_slug: String::new(), ..in_lagos(2) };
    changing.tell(&[page_change(&gone)]);
    let cities = changing.cities().await;
    assert!(cities.contains(&row("Eko", 2, 0)), "{cities:?}");
}

#[tokio::test]
async fn a_country_has_its_cities() {
    let changing = changing();
    let json = changing.country("ng").await.unwrap().json;
    let country: public::Country = serde_json::from_slice(&json).unwrap();
    assert_eq!(serde_json::to_vec(&country).unwrap(), json);
    assert_eq!((&*country.row.code, country.row.creators, country.row.games), ("NG", 1, 2));
    assert_eq!(country.cities.len(), 1);
    assert_eq!(country.cities[0].slug, "lagos");
    assert_eq!(country.cities[0].name, "Lagos");
    assert_eq!(changing.country("NG").await.unwrap().json, json);

    let empty = changing.country("SN").await.unwrap().json;
    assert_eq!(&*empty, br#"{"code":"SN","name":"Senegal","creators":0,"games":0,"cities":[]}"#);
    for code in ["FR", "", "NGA", "é"] {
        let fault = changing.country(code).await.unwrap_err();
        assert_eq!(fault.code, Code::NotFound, "{code}");
    }
}

#[tokio::test]
async fn all_genres_are_listed_by_name() {
    let changing = changing();
    let request = ListGenresRequest { mode: Mode::Live.into(), ..ListGenresRequest::default() };
    let response = changing.places.list_genres(Request::new(request)).await.unwrap().into_inner();
    let rows: Vec<public::GenreRow> = parse(&response.json);
    let rows: Vec<_> = rows.iter().map(|row| (&*row.key, &*row.name, row.games)).collect();
    assert_eq!(rows[0], ("action", "Action", 0));
    assert!(rows.contains(&("puzzle", "Puzzle", 3)));
    assert!(rows.is_sorted_by_key(|row| row.1));
    let page = response.page.unwrap();
    assert_eq!((page.total, page.next_cursor), (22, None));
}

#[tokio::test]
async fn a_cursor_of_countries_belongs_to_them() {
    let changing = changing();
    let mut request = ListCountriesRequest {
        mode: Mode::Live.into(),
        page: Some(PageRequest { limit: 1, cursor: String::new() }),
        ..ListCountriesRequest::default()
    };
    let response = changing.places.list_countries(Request::new(request.clone()));
    let page = response.await.unwrap().into_inner().page.unwrap();
    assert_eq!(page.total, 2);
    request.empty = true;
    request.page = Some(PageRequest { limit: 1, cursor: page.next_cursor.unwrap() });
    let fault = changing.places.list_countries(Request::new(request)).await;
    let fault = Fault::from(fault.unwrap_err());
    assert!(fault.fields.contains_key("cursor"), "{fault:?}");
}

#[tokio::test]
async fn a_country_with_only_events_is_listed_on_request() {
    let mut changing = changing();
    let event = listings::Event { country_code: "SN".to_owned(), ..build::event(1) };
    changing.tell(&[build::event_change(&event)]);
    let codes = async |with_events| {
        let request = ListCountriesRequest {
            mode: Mode::Live.into(),
            with_events,
            ..ListCountriesRequest::default()
        };
        let listed = changing.places.list_countries(Request::new(request)).await;
        let rows: Vec<public::CountryRow> = parse(&listed.unwrap().get_ref().json);
        rows.into_iter().map(|row| row.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(false).await, ["KE", "NG"]);
    assert_eq!(codes(true).await, ["KE", "NG", "SN"]);
}

#[tokio::test]
async fn a_city_is_found_by_its_slug() {
    let changing = changing();
    let get = async |slug: &str| {
        let request =
            GetCityRequest { mode: Mode::Live.into(), slug: slug.to_owned(), at_least: None };
        let response = changing.places.get_city(Request::new(request)).await;
        response.map(tonic::Response::into_inner)
    };
    let json = get("lagos").await.unwrap().json;
    let city: public::CityRow = serde_json::from_slice(&json).unwrap();
    assert_eq!((&*city.name, city.creators, city.games), ("Lagos", 1, 2));
    assert_eq!(city.country_code, "NG");
    let missing = Fault::from(get("nowhere").await.unwrap_err());
    assert_eq!(missing.code, Code::NotFound);
}
