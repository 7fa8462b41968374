//! Countries and cities.

use askama::Template;

use super::cards::{CreatorCard, EventCard, GameCard, Link};
use super::frame::Frame;
use super::list::Pager;

/// All countries.
#[derive(Debug, Template)]
#[template(path = "site/countries.html")]
pub struct CountriesPage {
    pub frame: Frame,
    pub countries: Vec<PlaceRow>,
}

/// The cities of a country, or all.
#[derive(Debug, Template)]
#[template(path = "site/cities.html")]
pub struct CitiesPage {
    pub frame: Frame,
    pub total: u64,
    pub cities: Vec<PlaceRow>,
    pub pager: Pager,
}

/// A country or a city in a list.
#[derive(Debug, Clone)]
pub struct PlaceRow {
    pub link: Link,
    /// The country of a city.
    pub country: String,
    pub creators: u64,
    pub games: u64,
}

/// A country or a city.
#[derive(Debug, Template)]
#[template(path = "site/place.html")]
pub struct PlacePage {
    pub frame: Frame,
    pub name: String,
    /// The country of a city.
    pub country: Option<Link>,
    /// The cities of a country.
    pub cities: Vec<PlaceRow>,
    /// The list of all cities, if not all are here.
    pub all_cities: Option<String>,
    pub games: Part<GameCard>,
    pub creators: Part<CreatorCard>,
    pub events: Part<EventCard>,
}

/// The first rows of a list.
#[derive(Debug)]
pub struct Part<T> {
    pub rows: Vec<T>,
    pub total: u64,
    /// The list.
    pub all: String,
}
