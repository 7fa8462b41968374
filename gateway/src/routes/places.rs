//! `GET /genres`, `GET /countries`, `GET /countries/{code}` and `GET /cities` (§4.2).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::{
    GetCountryRequest, ListCitiesRequest, ListCountriesRequest, ListGenresRequest,
};
use contracts::common::v1::Form;

use crate::app::App;
use crate::convert;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::caller::AuthenticatedCaller;
use crate::extract::path_param::PathParam;
use crate::extract::query::Params;
use crate::upstream::min_position::MinPosition;

pub async fn genres(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    min: MinPosition,
) -> Result<ApiResponse, ApiError> {
    let request = ListGenresRequest {
        mode: convert::mode(caller.key.mode).into(),
        form: Form::Json.into(),
        at_least: None,
    };
    let genres = app.catalogue.list_genres(request, min).await?;
    Ok(ApiResponse::list(genres.json, genres.page))
}

pub async fn countries(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    min: MinPosition,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref(), &["empty", "limit", "cursor"]);
    let request = ListCountriesRequest {
        mode: convert::mode(caller.key.mode).into(),
        page: Some(query.page()),
        form: Form::Json.into(),
        at_least: None,
        empty: query.flag("empty"),
    };
    let countries = query
        .with_errors_of(app.catalogue.list_countries(request, min))
        .await?;
    Ok(ApiResponse::list(countries.json, countries.page))
}

pub async fn country(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    min: MinPosition,
    PathParam(code): PathParam,
) -> Result<ApiResponse, ApiError> {
    let request = GetCountryRequest {
        mode: convert::mode(caller.key.mode).into(),
        code,
        form: Form::Json.into(),
        at_least: None,
    };
    let country = app.catalogue.get_country(request, min).await?;
    Ok(ApiResponse::object(country.json))
}

pub async fn cities(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    min: MinPosition,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref(), &["country", "limit", "cursor"]);
    let request = ListCitiesRequest {
        mode: convert::mode(caller.key.mode).into(),
        page: Some(query.page()),
        form: Form::Json.into(),
        at_least: None,
        country: query.text("country"),
    };
    let cities = query
        .with_errors_of(app.catalogue.list_cities(request, min))
        .await?;
    Ok(ApiResponse::list(cities.json, cities.page))
}
