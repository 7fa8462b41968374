//! Genres and countries with counts of public listings. They are few, so their rows are made on demand.

use contracts::public;

use super::snapshot::Snapshot;
use crate::domain::collation::Name;
use crate::domain::facet::Facet;
use crate::domain::listing::Mode;

impl Snapshot {
    /// All genres, by name and key.
    pub fn genre_rows(&self, mode: Mode) -> Vec<public::GenreRow> {
        let games = &self.dataset(mode).games;
        let row = |key: &str, name: &str| public::GenreRow {
            key: key.to_owned(),
            name: name.to_owned(),
            games: self
                .genres
                .facet(key)
                .map_or(0, |genre| games.count(&genre)),
        };
        let genres = self.genres.listed.values();
        let mut rows: Vec<_> = genres.map(|genre| row(&genre.key, &genre.name)).collect();
        rows.sort_by_cached_key(|row| (Name::new(&row.name), row.key.clone()));
        rows
    }

    /// All countries, by name and code.
    pub fn country_rows(&self, mode: Mode) -> Vec<public::CountryRow> {
        let countries = self.countries.values();
        let mut rows: Vec<_> = countries
            .map(|country| self.count_country(mode, &country.code, &country.name))
            .collect();
        rows.sort_by_cached_key(|row| (Name::new(&row.name), row.code.clone()));
        rows
    }

    /// The country with this code, in upper case.
    pub fn country_row(&self, mode: Mode, code: &str) -> Option<public::CountryRow> {
        let country = self.countries.values().find(|c| c.code == code)?;
        Some(self.count_country(mode, code, &country.name))
    }

    fn count_country(&self, mode: Mode, code: &str, name: &str) -> public::CountryRow {
        let dataset = self.dataset(mode);
        let facet = Facet::country(code);
        public::CountryRow {
            code: code.to_owned(),
            name: name.to_owned(),
            creators: facet
                .as_ref()
                .map_or(0, |country| dataset.creators.count(country)),
            games: facet
                .as_ref()
                .map_or(0, |country| dataset.games.count(country)),
        }
    }
}
