//! `GET /genres`, `GET /countries`, `GET /countries/{code}` and `GET /cities` (§4.2).

use contracts::catalogue::v1::{
    GetCountryRequest, ListCitiesRequest, ListCountriesRequest, ListGenresRequest,
};

use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::call::Call;
use crate::extract::query::Params;
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 4] {
    [
        Operation::new("/genres", "listGenres", Tag::Places, "Lists all genres by name.", Success::List("GenreRow"), &[])
            .about("Every key is listed, also one without games."),
        Operation::new("/countries", "listCountries", Tag::Places, "Lists countries by name.",
            Success::List("CountryRow"), &[p::EMPTY, p::LIMIT, p::CURSOR])
            .about("Without `empty`, it lists the countries that have listings."),
        Operation::new("/countries/{code}", "getCountry", Tag::Places, "Gets a country with its cities.", Success::Object("Country"), &[p::CODE]),
        Operation::new("/cities", "listCities", Tag::Places, "Lists cities with creators, the biggest first.", Success::List("CityRow"),
            &[p::COUNTRY, p::LIMIT, p::CURSOR]),
    ]
}

pub async fn genres(call: Call) -> Result<ApiResponse, ApiError> {
    let request = ListGenresRequest { mode: call.mode(), at_least: call.at_least() };
    let genres = call.read(&call.app.catalogue, Params::default(), &request).await?;
    Ok(ApiResponse::list(genres.json, genres.page).made_at(genres.position.as_ref()))
}

pub async fn countries(call: Call) -> Result<ApiResponse, ApiError> {
    let mut params = call.params();
    let request = ListCountriesRequest {
        mode: call.mode(),
        page: Some(params.page()),
        at_least: call.at_least(),
        empty: params.flag("empty"),
        with_events: false,
    };
    let countries = call.read(&call.app.catalogue, params, &request).await?;
    Ok(ApiResponse::list(countries.json, countries.page).made_at(countries.position.as_ref()))
}

pub async fn country(mut call: Call) -> Result<ApiResponse, ApiError> {
    let code = call.path_param().await?;
    let request = GetCountryRequest { mode: call.mode(), code, at_least: call.at_least() };
    let country = call.read(&call.app.catalogue, Params::default(), &request).await?;
    Ok(ApiResponse::object(country.json).made_at(country.position.as_ref()))
}

pub async fn cities(call: Call) -> Result<ApiResponse, ApiError> {
    let mut params = call.params();
    let request = ListCitiesRequest {
        mode: call.mode(),
        page: Some(params.page()),
        at_least: call.at_least(),
        country: params.text("country"),
    };
    let cities = call.read(&call.app.catalogue, params, &request).await?;
    Ok(ApiResponse::list(cities.json, cities.page).made_at(cities.position.as_ref()))
}
