//! What the directory is ordered by: genres (§2.3), countries and cities (§2.5). Counts are of published listings.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CountryCode, Slug};

/// A row of `GET /genres`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"key": "racing", "name": "Racing", "games": 6}))]
pub struct GenreRow {
    /// The key in games and filters.
    #[schema(value_type = Slug)]
    pub key: String,
    /// The name for people.
    pub name: String,
    /// Games of this genre.
    pub games: u64,
}

/// A row of `GET /countries`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"code": "KE", "name": "Kenya", "creators": 23, "games": 6}))]
pub struct CountryRow {
    /// Two letters, upper case (ISO 3166-1).
    #[schema(value_type = CountryCode)]
    pub code: String,
    /// In English.
    pub name: String,
    /// Creators there.
    pub creators: u64,
    /// Games of those creators.
    pub games: u64,
}

/// `GET /countries/{code}`: the row, and the country's cities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "code": "NG", "name": "Nigeria", "creators": 31, "games": 22,
    "cities": [{"slug": "lagos", "name": "Lagos", "country_code": "NG", "creators": 16, "games": 13}],
}))]
pub struct Country {
    /// The fields of the list row.
    #[serde(flatten)]
    pub row: CountryRow,
    /// Those with creators, in the order of `GET /cities`.
    pub cities: Vec<CityRow>,
}

/// A row of `GET /cities`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"slug": "lagos", "name": "Lagos", "country_code": "NG", "creators": 16, "games": 13}))]
pub struct CityRow {
    /// Unique in the directory, unlike the name.
    #[schema(value_type = Slug)]
    pub slug: String,
    /// As the gazetteer writes it, or the creators do.
    pub name: String,
    /// Where it is.
    #[schema(value_type = CountryCode)]
    pub country_code: String,
    /// Creators there.
    pub creators: u64,
    /// Games of those creators.
    pub games: u64,
}
