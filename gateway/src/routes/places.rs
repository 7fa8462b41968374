//! `GET /genres`, `GET /countries`, `GET /countries/{code}` and `GET /cities` (§4.2).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::places_service_client::PlacesServiceClient;
use contracts::catalogue::v1::{
    GetCountryRequest, ListCitiesRequest, ListCountriesRequest, ListGenresRequest,
};

use crate::app::App;
use crate::convert;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::caller::AuthenticatedCaller;
use crate::extract::min_position::MinPosition;
use crate::extract::path_param::PathParam;
use crate::extract::query::Params;

pub async fn genres(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    MinPosition(at_least): MinPosition,
) -> Result<ApiResponse, ApiError> {
    let request = ListGenresRequest {
        mode: convert::mode(caller.key.mode).into(),
        at_least,
    };
    let genres = app
        .catalogue
        .places
        .read(PlacesServiceClient::list_genres, request)
        .await?;
    Ok(ApiResponse::list(genres.json, genres.page))
}

pub async fn countries(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    MinPosition(at_least): MinPosition,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref(), &["empty", "limit", "cursor"]);
    let request = ListCountriesRequest {
        mode: convert::mode(caller.key.mode).into(),
        page: Some(query.page()),
        at_least,
        empty: query.flag("empty"),
        with_events: false,
    };
    let countries = query
        .with_errors_of(
            app.catalogue
                .places
                .read(PlacesServiceClient::list_countries, request),
        )
        .await?;
    Ok(ApiResponse::list(countries.json, countries.page))
}

pub async fn country(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    MinPosition(at_least): MinPosition,
    PathParam(code): PathParam,
) -> Result<ApiResponse, ApiError> {
    let request = GetCountryRequest {
        mode: convert::mode(caller.key.mode).into(),
        code,
        at_least,
    };
    let country = app
        .catalogue
        .places
        .read(PlacesServiceClient::get_country, request)
        .await?;
    Ok(ApiResponse::object(country.json))
}

pub async fn cities(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    MinPosition(at_least): MinPosition,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref(), &["country", "limit", "cursor"]);
    let request = ListCitiesRequest {
        mode: convert::mode(caller.key.mode).into(),
        page: Some(query.page()),
        at_least,
        country: query.text("country"),
    };
    let cities = query
        .with_errors_of(
            app.catalogue
                .places
                .read(PlacesServiceClient::list_cities, request),
        )
        .await?;
    Ok(ApiResponse::list(cities.json, cities.page))
}
