//! Countries and cities.

use askama::Template;

use super::africa::Outline;
use super::cards::{CreatorCard, EventCard, GameCard};
use super::list::Pager;
use crate::frame::Frame;
use crate::link::Link;

/// All countries.
#[derive(Debug, Template)]
#[template(path = "site/countries.html")]
pub struct CountriesPage {
    pub frame: Frame,
    pub map: Vec<MapCountry>,
    /// Those with most games first.
    pub countries: Vec<PlaceRow>,
    /// The number of them.
    pub total: u64,
}

/// A country on the map.
#[derive(Debug, Clone)]
pub struct MapCountry {
    pub outline: &'static Outline,
    /// Its page, if something is listed there.
    pub href: Option<String>,
    /// For example `Kenya: 12 games`.
    pub label: String,
    /// From 0, for no games, to 4.
    pub shade: u8,
}

impl MapCountry {
    /// The shade of a country with this many games, of `most` at most: each darker shade stands for twice as many.
    pub fn shade(games: u64, most: u64) -> u8 {
        match games {
            0 => 0,
            games if games.saturating_mul(8) <= most => 1,
            games if games.saturating_mul(4) <= most => 2,
            games if games.saturating_mul(2) <= most => 3,
            _ => 4,
        }
    }
}

/// The size of the map, as in `viewBox`.
pub fn map_view_box() -> String {
    let (width, height) = super::africa::SIZE;
    // Room for the dots of islands at its edges.
    format!("-80 0 {} {height}", width + 160)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shade_grows_with_the_number_of_games() {
        for (games, shade) in [(0, 0), (1, 1), (3, 1), (6, 2), (12, 3), (13, 4), (24, 4)] {
            assert_eq!(MapCountry::shade(games, 24), shade, "{games}");
        }
        assert_eq!(MapCountry::shade(1, 1), 4);
    }
}
