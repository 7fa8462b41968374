//! Genres and countries with counts of public listings. They are few, so their rows are made on demand.

use contracts::public;
use contracts::reference_data::{COUNTRIES, Country, GENRES};

use super::snapshot::Snapshot;
use crate::domain::collation::Name;
use crate::domain::facet::Facet;
use kit::Mode;

impl Snapshot {
    /// All genres, by name and key.
    pub fn genre_rows(&self, mode: Mode) -> Vec<public::GenreRow> {
        let games = &self.dataset(mode).games;
        let mut rows = GENRES.map(|genre| public::GenreRow {
            key: genre.key.to_owned(),
            name: genre.name.to_owned(),
            games: Facet::genre(genre.key).map_or(0, |genre| games.count(&genre)),
        });
        rows.sort_by_cached_key(|row| (Name::new(&row.name), row.key.clone()));
        rows.into()
    }

    /// All countries, by name and code.
    pub fn country_rows(&self, mode: Mode) -> Vec<public::CountryRow> {
        let mut rows = COUNTRIES.map(|country| self.country_row(mode, &country));
        rows.sort_by_cached_key(|row| (Name::new(&row.name), row.code.clone()));
        rows.into()
    }

    pub fn country_row(&self, mode: Mode, country: &Country) -> public::CountryRow {
        let dataset = self.dataset(mode);
        let facet = Facet::country(country.code);
        public::CountryRow {
            code: country.code.to_owned(),
            name: country.name.to_owned(),
            creators: facet.as_ref().map_or(0, |country| dataset.creators.count(country)),
            games: facet.as_ref().map_or(0, |country| dataset.games.count(country)),
        }
    }
}
