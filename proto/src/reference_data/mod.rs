//! Genres, countries and cities: listings-svc checks listings against them, catalogue-svc counts by them. They change with a release.
//!
//! `deploy/data` says where they come from; `proto/tests/reference_data.rs` compares them with its files.

mod cities;
mod countries;
mod genres;

pub use cities::{City, cities, city};
pub use countries::{COUNTRIES, Country};
pub use genres::{GENRES, Genre};

/// The position of the genre with this key among [`GENRES`].
pub fn genre_number(key: &str) -> Option<usize> {
    GENRES.binary_search_by_key(&key, |genre| genre.key).ok()
}

/// The country with this code, in upper case.
pub fn country(code: &str) -> Option<&'static Country> {
    let place = COUNTRIES.binary_search_by_key(&code, |country| country.code);
    COUNTRIES.get(place.ok()?)
}
