//! Genres, countries and cities.

use contracts::catalogue::v1 as proto;
use contracts::public;

/// A genre.
pub(in crate::service) fn genre(row: public::GenreRow) -> proto::GenreRow {
    proto::GenreRow {
        key: row.key,
        name: row.name,
        games: row.games,
    }
}

/// A country in a list.
pub(in crate::service) fn country_row(row: public::CountryRow) -> proto::CountryRow {
    proto::CountryRow {
        code: row.code,
        name: row.name,
        creators: row.creators,
        games: row.games,
    }
}

/// A single country.
pub(in crate::service) fn country(country: public::Country) -> proto::Country {
    proto::Country {
        row: Some(country_row(country.row)),
        cities: country.cities.into_iter().map(city).collect(),
    }
}

/// A city.
pub(in crate::service) fn city(row: public::CityRow) -> proto::CityRow {
    proto::CityRow {
        slug: row.slug,
        name: row.name,
        country_code: row.country_code,
        creators: row.creators,
        games: row.games,
    }
}
