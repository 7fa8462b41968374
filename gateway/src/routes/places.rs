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
