//! What the directory is ordered by: genres (§2.3), countries and cities (§2.5). Counts are of published listings.

use serde::{Deserialize, Serialize};

/// A row of `GET /genres`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenreRow {
    /// What games and filters call it.
    pub key: String,
    /// What people call it.
    pub name: String,
    /// Games that carry it.
    pub games: u64,
}

/// A row of `GET /countries`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountryRow {
    /// Two letters, upper case (ISO 3166-1).
    pub code: String,
    /// In English.
    pub name: String,
    /// Creators there.
    pub creators: u64,
    /// Games of those creators.
    pub games: u64,
}

/// `GET /countries/{code}`: the row, and the country's cities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Country {
    /// The fields of the list row.
    #[serde(flatten)]
    pub row: CountryRow,
    /// Those with creators, in the order of `GET /cities`.
    pub cities: Vec<CityRow>,
}

/// A row of `GET /cities`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CityRow {
    /// Unique in the directory, unlike the name.
    pub slug: String,
    /// As the gazetteer writes it, or the creators do.
    pub name: String,
    /// Where it is.
    pub country_code: String,
    /// Creators there.
    pub creators: u64,
    /// Games of those creators.
    pub games: u64,
}
