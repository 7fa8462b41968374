//! `GET /creators` and `GET /creators/{handle}` (§4.2).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::{GetCreatorRequest, ListCreatorsRequest};
use contracts::common::v1::Form;

use crate::app::App;
use crate::envelope::Answer;
use crate::errors::Refusal;
use crate::extract::caller::Caller;
use crate::extract::path_param::PathParam;
use crate::extract::query::Query;
use crate::message;
use crate::upstream::min_position::MinPosition;

const PARAMETERS: &[&str] = &[
    "kind",
    "role",
    "country",
    "city",
    "q",
    "updated_since",
    "limit",
    "cursor",
];

/// A page of creators.
pub async fn list(
    State(app): State<App>,
    Caller(caller): Caller,
    min: MinPosition,
    RawQuery(query): RawQuery,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), PARAMETERS);
    let request = ListCreatorsRequest {
        mode: message::mode(caller.key.mode).into(),
        page: Some(query.page()),
        form: Form::Json.into(),
        at_least: None,
        kind: query.text("kind"),
        role: query.text("role"),
        country: query.text("country"),
        city: query.text("city"),
        q: query.text("q"),
        updated_since: query.text("updated_since"),
    };
    let creators = query
        .answered(app.catalogue.list_creators(request, min))
        .await?;
    Ok(Answer::list(creators.json, creators.page))
}

/// One creator.
pub async fn one(
    State(app): State<App>,
    Caller(caller): Caller,
    min: MinPosition,
    PathParam(handle): PathParam,
) -> Result<Answer, Refusal> {
    let request = GetCreatorRequest {
        mode: message::mode(caller.key.mode).into(),
        handle,
        form: Form::Json.into(),
        at_least: None,
    };
    let creator = app.catalogue.get_creator(request, min).await?;
    Ok(Answer::object(creator.json))
}
