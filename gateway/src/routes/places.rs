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
use crate::extract::latest::Latest;
use crate::extract::query::Query;
use crate::extract::segment::Segment;
use crate::message;

/// All genres.
pub async fn genres(
    State(app): State<App>,
    Caller(caller): Caller,
    latest: Latest,
) -> Result<Answer, Refusal> {
    let question = ListGenresRequest {
        mode: message::mode(caller.key.mode).into(),
        form: Form::Json.into(),
        at_least: None,
    };
    let genres = app.upstream.read(question, latest.position()).await?;
    Ok(Answer::list(genres.json, genres.page))
}

/// A page of countries.
pub async fn countries(
    State(app): State<App>,
    Caller(caller): Caller,
    latest: Latest,
    RawQuery(query): RawQuery,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), &["empty", "limit", "cursor"]);
    let question = ListCountriesRequest {
        mode: message::mode(caller.key.mode).into(),
        page: Some(query.page()),
        form: Form::Json.into(),
        at_least: None,
        empty: query.flag("empty"),
    };
    let countries = query
        .answered(app.upstream.read(question, latest.position()))
        .await?;
    Ok(Answer::list(countries.json, countries.page))
}

/// One country.
pub async fn country(
    State(app): State<App>,
    Caller(caller): Caller,
    latest: Latest,
    Segment(code): Segment,
) -> Result<Answer, Refusal> {
    let question = GetCountryRequest {
        mode: message::mode(caller.key.mode).into(),
        code,
        form: Form::Json.into(),
        at_least: None,
    };
    let country = app.upstream.read(question, latest.position()).await?;
    Ok(Answer::object(country.json))
}

/// A page of cities.
pub async fn cities(
    State(app): State<App>,
    Caller(caller): Caller,
    latest: Latest,
    RawQuery(query): RawQuery,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), &["country", "limit", "cursor"]);
    let question = ListCitiesRequest {
        mode: message::mode(caller.key.mode).into(),
        page: Some(query.page()),
        form: Form::Json.into(),
        at_least: None,
        country: query.text("country"),
    };
    let cities = query
        .answered(app.upstream.read(question, latest.position()))
        .await?;
    Ok(Answer::list(cities.json, cities.page))
}
