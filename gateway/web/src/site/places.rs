//! Countries and cities.

use std::cmp::Reverse;

use axum::extract::Path;
use contracts::catalogue::v1 as proto;
use contracts::public;
use futures::future::{try_join3, try_join4};
use kit::Fault;
use pages::site::africa::Outline;
use pages::site::places::{CitiesPage, CountriesPage, MapCountry, Part, PlacePage, PlaceRow};
use pages::{ApiCall, Frame, Head};

use super::filters::{FilteredList, ListRequest, RowNames};
use super::response::respond;
use super::{FEW, ROWS, cards, next_events};
use crate::page_error::PageResult;
use crate::query::address;
use crate::site::public_request::PublicRequest;
use crate::upstream::Catalogue;
use crate::upstream::catalogue::{Rows, page};

const CITIES: &str = "/cities";
/// Cities on the page of a country; the others are in the list of cities.
const CITIES_OF_COUNTRY: usize = 24;
pub const CITY_FILTERS: [&str; 1] = ["country"];
const CITY_LIST: FilteredList = FilteredList {
    path: CITIES,
    filters: &CITY_FILTERS,
    title: "cities-title",
    description: "cities-description",
};

pub async fn countries(
    PublicRequest { app, visit, .. }: PublicRequest,
    catalogue: Catalogue,
) -> PageResult {
    let countries = catalogue.countries(true).await?;
    respond(&app, &visit, |mut frame| {
        head(&mut frame, "countries-title", "countries-description");
        frame.api_call = Some(ApiCall::same("GET /v1/countries"));
        let rows: Vec<public::CountryRow> = countries.parse()?;
        let map = map(&frame, &rows);
        let mut rows: Vec<PlaceRow> = rows
            .into_iter()
            .map(|row| PlaceRow {
                link: cards::country_link(&frame, &row.code),
                country: String::new(),
                creators: row.creators,
                games: row.games,
            })
            .collect();
        rows.sort_by_cached_key(|row| (Reverse(row.games), pages::site::sort_key(&row.link.label)));
        Ok(CountriesPage { map, frame, total: countries.page.total, countries: rows })
    })
}

/// All countries of the map; those with listings have links.
fn map(frame: &Frame, rows: &[public::CountryRow]) -> Vec<MapCountry> {
    let texts = frame.texts();
    let most = rows.iter().map(|row| row.games).max().unwrap_or_default();
    let outlines = Outline::all().iter();
    let countries = outlines.map(|outline| {
        let row = rows.iter().find(|row| row.code == outline.code);
        let name = texts.value("country", outline.code, "");
        let games = row.map_or(0, |row| row.games);
        MapCountry {
            outline,
            href: row.map(|row| frame.href(&format!("/countries/{}", row.code))),
            label: match row {
                Some(_) => texts.say_of_two("map-label", name, &texts.count("games-count", games)),
                None => name.to_owned(),
            },
            shade: MapCountry::shade(games, most),
        }
    });
    countries.collect()
}

pub async fn cities(request: PublicRequest, catalogue: Catalogue) -> PageResult {
    let PublicRequest { app, query, visit, .. } = &request;
    let list = ListRequest::new(CITY_LIST, query);
    let request = proto::ListCitiesRequest {
        page: Some(list.page()),
        country: list.text("country"),
        ..proto::ListCitiesRequest::default()
    };
    let cities = catalogue.cities(request).await?;
    respond(app, visit, |mut frame| {
        list.describe(&mut frame, &[], &RowNames::default(), cities.page.total);
        let rows: Vec<public::CityRow> = cities.parse()?;
        let rows = rows.iter().map(|row| cards::city(&frame, row));
        Ok(CitiesPage {
            total: cities.page.total,
            cities: rows.collect(),
            pager: list.pager(&frame, &cities),
            frame,
        })
    })
}

pub async fn country(
    PublicRequest { app, visit, .. }: PublicRequest,
    catalogue: Catalogue,
    Path(code): Path<String>,
) -> PageResult {
    let (games, creators, events) = requests(FEW, Some(code.clone()), None);
    // Read the country first: an unknown code is a missing page, not a bad filter.
    let country = catalogue.country(&code).await?;
    let reads = try_join3(
        catalogue.games(games),
        catalogue.creators(creators),
        events_of(&catalogue, events),
    );
    let (games, creators, (events, when)) = reads.await?;
    respond(&app, &visit, |mut frame| {
        let country: public::Country = country.parse()?;
        let code = country.row.code;
        let name = cards::country(frame.texts(), &code);
        place_head(&mut frame, &name, format!("/countries/{code}"));
        frame.api_call = Some(ApiCall::same(format!("GET /v1/countries/{code}")));
        let has_more = country.cities.len() > CITIES_OF_COUNTRY;
        let all = |path: &str| frame.href(&address(path, &[("country", Some(&code))]));
        let all_events = address("/events", &[("when", when), ("country", Some(&code))]);
        let cities = country
            .cities
            .iter()
            .take(CITIES_OF_COUNTRY)
            .map(|row| PlaceRow { country: String::new(), ..cards::city(&frame, row) });
        Ok(PlacePage {
            country: None,
            cities: cities.collect(),
            all_cities: has_more.then(|| all(CITIES)),
            games: part(&frame, &games, all("/games"), cards::game)?,
            creators: part(&frame, &creators, all("/creators"), cards::creator)?,
            events: part(&frame, &events, frame.href(&all_events), cards::event)?,
            name,
            frame,
        })
    })
}

pub async fn city(
    PublicRequest { app, visit, .. }: PublicRequest,
    catalogue: Catalogue,
    Path(slug): Path<String>,
) -> PageResult {
    let (games, creators, events) = requests(ROWS, None, Some(slug.clone()));
    let reads = try_join4(
        catalogue.city_or_place_of_events(&slug),
        catalogue.games(games),
        catalogue.creators(creators),
        events_of(&catalogue, events),
    );
    let (city, games, creators, (events, when)) = Box::pin(reads).await?;
    respond(&app, &visit, |mut frame| {
        let city: public::CityRow = city.parse()?;
        let place = cards::place(frame.texts(), &city.name, &city.country_code);
        place_head(&mut frame, &place, format!("{CITIES}/{}", city.slug));
        let list = if city.creators > 0 { "creators" } else { "events" };
        frame.api_call = Some(ApiCall::same(format!("GET /v1/{list}?city={}", city.slug)));
        let games_of = address("/games", &[("city", Some(&city.slug))]);
        let creators_of = address("/creators", &[("city", Some(&city.slug))]);
        let events_of = address("/events", &[("when", when), ("city", Some(&city.slug))]);
        Ok(PlacePage {
            country: Some(cards::country_link(&frame, &city.country_code)),
            cities: Vec::new(),
            all_cities: None,
            games: part(&frame, &games, frame.href(&games_of), cards::game)?,
            creators: part(&frame, &creators, frame.href(&creators_of), cards::creator)?,
            events: part(&frame, &events, frame.href(&events_of), cards::event)?,
            name: cards::city_name(frame.texts(), &city.name, &city.country_code),
            frame,
        })
    })
}

/// The requests of the first games, of this many creators, and of the next events of a country or a city.
fn requests(
    creators: u32,
    country: Option<String>,
    city: Option<String>,
) -> (proto::ListGamesRequest, proto::ListCreatorsRequest, proto::ListEventsRequest) {
    let games = proto::ListGamesRequest {
        page: Some(page(FEW, None)),
        country: country.clone(),
        city: city.clone(),
        ..proto::ListGamesRequest::default()
    };
    let creators = proto::ListCreatorsRequest {
        page: Some(page(creators, None)),
        country: country.clone(),
        city: city.clone(),
        ..proto::ListCreatorsRequest::default()
    };
    (games, creators, proto::ListEventsRequest { country, city, ..next_events(FEW) })
}

/// The upcoming events of a place or, if there are none, the past ones, and which of the two these are.
async fn events_of(
    catalogue: &Catalogue,
    upcoming: proto::ListEventsRequest,
) -> Result<(Rows, Option<&'static str>), Fault> {
    let past = proto::ListEventsRequest { when: Some("past".to_owned()), ..upcoming.clone() };
    let upcoming = catalogue.events(upcoming).await?;
    if upcoming.page.total > 0 {
        return Ok((upcoming, None));
    }
    Ok((catalogue.events(past).await?, Some("past")))
}

/// The first rows of a list.
fn part<R: serde::de::DeserializeOwned, C>(
    frame: &Frame,
    rows: &Rows,
    all: String,
    card: impl Fn(&Frame, R) -> C,
) -> Result<Part<C>, Fault> {
    let parsed: Vec<R> = rows.parse()?;
    Ok(Part {
        rows: parsed.into_iter().map(|row| card(frame, row)).collect(),
        total: rows.page.total,
        all,
    })
}

fn head(frame: &mut Frame, title: &str, description: &str) {
    frame.head = Head::new(frame.texts().say(title), frame.texts().say(description));
}

fn place_head(frame: &mut Frame, name: &str, path: String) {
    frame.head = Head::new(name, frame.say_of("place-description", name));
    frame.path = path;
}
