//! `GET /creators` and `GET /creators/{handle}` (§4.2).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::{GetCreatorRequest, ListCreatorsRequest};
use contracts::common::v1::Form;

use crate::app::App;
use crate::envelope::Answer;
use crate::errors::Refusal;
use crate::extract::caller::Caller;
use crate::extract::latest::Latest;
use crate::extract::query::Query;
use crate::extract::segment::Segment;
use crate::message;

const PARAMETERS: &[&str] = &["kind", "role", "country", "city", "q", "limit", "cursor"];

/// A page of creators.
pub async fn list(
    State(app): State<App>,
    Caller(caller): Caller,
    latest: Latest,
    RawQuery(query): RawQuery,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), PARAMETERS);
    let question = ListCreatorsRequest {
        mode: message::mode(caller.key.mode).into(),
        page: Some(query.page()),
        form: Form::Json.into(),
        at_least: None,
        kind: query.text("kind"),
        role: query.text("role"),
        country: query.text("country"),
        city: query.text("city"),
        q: query.text("q"),
    };
    let creators = query
        .answered(app.upstream.read(question, latest.position()))
        .await?;
    Ok(Answer::list(creators.json, creators.page))
}

/// One creator.
pub async fn one(
    State(app): State<App>,
    Caller(caller): Caller,
    latest: Latest,
    Segment(handle): Segment,
) -> Result<Answer, Refusal> {
    let question = GetCreatorRequest {
        mode: message::mode(caller.key.mode).into(),
        handle,
        form: Form::Json.into(),
        at_least: None,
    };
    let creator = app.upstream.read(question, latest.position()).await?;
    Ok(Answer::object(creator.json))
}
