//! `GET /genres`, `GET /countries`, `GET /countries/{code}` and `GET /cities` (§4.2).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::{
    GetCountryRequest, ListCitiesRequest, ListCountriesRequest, ListGenresRequest,
};
use contracts::common::v1::Form;

use crate::app::App;
use crate::envelope::Answer;
use crate::errors::Refusal;
use crate::extract::caller::Caller;
use crate::extract::path_param::PathParam;
use crate::extract::query::Query;
use crate::message;
use crate::upstream::min_position::MinPosition;

/// All genres.
pub async fn genres(
    State(app): State<App>,
    Caller(caller): Caller,
    min: MinPosition,
) -> Result<Answer, Refusal> {
    let request = ListGenresRequest {
        mode: message::mode(caller.key.mode).into(),
        form: Form::Json.into(),
        at_least: None,
    };
    let genres = app.catalogue.list_genres(request, min).await?;
    Ok(Answer::list(genres.json, genres.page))
}

/// A page of countries.
pub async fn countries(
    State(app): State<App>,
    Caller(caller): Caller,
    min: MinPosition,
    RawQuery(query): RawQuery,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), &["empty", "limit", "cursor"]);
    let request = ListCountriesRequest {
        mode: message::mode(caller.key.mode).into(),
        page: Some(query.page()),
        form: Form::Json.into(),
        at_least: None,
        empty: query.flag("empty"),
    };
    let countries = query
        .answered(app.catalogue.list_countries(request, min))
        .await?;
    Ok(Answer::list(countries.json, countries.page))
}

/// One country.
pub async fn country(
    State(app): State<App>,
    Caller(caller): Caller,
    min: MinPosition,
    PathParam(code): PathParam,
) -> Result<Answer, Refusal> {
    let request = GetCountryRequest {
        mode: message::mode(caller.key.mode).into(),
        code,
        form: Form::Json.into(),
        at_least: None,
    };
    let country = app.catalogue.get_country(request, min).await?;
    Ok(Answer::object(country.json))
}

/// A page of cities.
pub async fn cities(
    State(app): State<App>,
    Caller(caller): Caller,
    min: MinPosition,
    RawQuery(query): RawQuery,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), &["country", "limit", "cursor"]);
    let request = ListCitiesRequest {
        mode: message::mode(caller.key.mode).into(),
        page: Some(query.page()),
        form: Form::Json.into(),
        at_least: None,
        country: query.text("country"),
    };
    let cities = query
        .answered(app.catalogue.list_cities(request, min))
        .await?;
    Ok(Answer::list(cities.json, cities.page))
}
