//! `GET /genres`, `GET /countries`, `GET /countries/{code}` and `GET /cities` (§4.2).

use contracts::catalogue::v1::places_service_client::PlacesServiceClient;
use contracts::catalogue::v1::{
    GetCountryRequest, ListCitiesRequest, ListCountriesRequest, ListGenresRequest,
};

use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::catalogue_read::CatalogueRead;
use crate::extract::path_param::PathParam;
use crate::extract::query::Params;
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 4] {
    [
        Operation::get("/genres", "listGenres", Tag::Places, "Lists all genres by name.", Success::List("GenreRow"), &[])
            .about("Every key is listed, also one without games."),
        Operation::get("/countries", "listCountries", Tag::Places, "Lists countries by name.",
            Success::List("CountryRow"), &[p::EMPTY, p::LIMIT, p::CURSOR])
            .about("Without `empty`, it lists the countries that have listings."),
        Operation::get("/countries/{code}", "getCountry", Tag::Places, "Gets a country with its cities.", Success::Object("Country"), &[p::CODE]),
        Operation::get("/cities", "listCities", Tag::Places, "Lists cities with creators, the biggest first.", Success::List("CityRow"),
            &[p::COUNTRY, p::LIMIT, p::CURSOR]),
    ]
}

pub async fn genres(read: CatalogueRead) -> Result<ApiResponse, ApiError> {
    let request = ListGenresRequest {
        mode: read.mode,
        at_least: read.at_least.clone(),
    };
    let method = PlacesServiceClient::list_genres;
    let genres = read.send(Params::default(), method, request).await?;
    Ok(ApiResponse::list(genres.json, genres.page).made_at(genres.position.as_ref()))
}

pub async fn countries(read: CatalogueRead) -> Result<ApiResponse, ApiError> {
    let mut params = read.params();
    let request = ListCountriesRequest {
        mode: read.mode,
        page: Some(params.page()),
        at_least: read.at_least.clone(),
        empty: params.flag("empty"),
        with_events: false,
    };
    let method = PlacesServiceClient::list_countries;
    let countries = read.send(params, method, request).await?;
    Ok(ApiResponse::list(countries.json, countries.page).made_at(countries.position.as_ref()))
}

pub async fn country(
    read: CatalogueRead,
    PathParam(code): PathParam,
) -> Result<ApiResponse, ApiError> {
    let request = GetCountryRequest {
        mode: read.mode,
        code,
        at_least: read.at_least.clone(),
    };
    let method = PlacesServiceClient::get_country;
    let country = read.send(Params::default(), method, request).await?;
    Ok(ApiResponse::object(country.json).made_at(country.position.as_ref()))
}

pub async fn cities(read: CatalogueRead) -> Result<ApiResponse, ApiError> {
    let mut params = read.params();
    let request = ListCitiesRequest {
        mode: read.mode,
        page: Some(params.page()),
        at_least: read.at_least.clone(),
        country: params.text("country"),
    };
    let method = PlacesServiceClient::list_cities;
    let cities = read.send(params, method, request).await?;
    Ok(ApiResponse::list(cities.json, cities.page).made_at(cities.position.as_ref()))
}
