//! `GET /search` (§4.2).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::SearchRequest;
use contracts::common::v1::Form;

use crate::app::App;
use crate::envelope::Answer;
use crate::errors::Refusal;
use crate::extract::caller::Caller;
use crate::extract::query::Query;
use crate::message;
use crate::upstream::min_position::MinPosition;

const PARAMETERS: &[&str] = &["q", "type", "country", "limit", "cursor"];

/// A page of whatever matches.
pub async fn list(
    State(app): State<App>,
    Caller(caller): Caller,
    min: MinPosition,
    RawQuery(query): RawQuery,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), PARAMETERS);
    let request = SearchRequest {
        mode: message::mode(caller.key.mode).into(),
        page: Some(query.page()),
        form: Form::Json.into(),
        at_least: None,
        // That there must be one is for catalogue-svc to say.
        q: query.text("q").unwrap_or_default(),
        r#type: query.text("type"),
        country: query.text("country"),
    };
    let found = query.answered(app.catalogue.search(request, min)).await?;
    Ok(Answer::list(found.json, found.page))
}
