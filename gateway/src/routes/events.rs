//! `GET /events` (§4.2) and `GET /events/{slug}` (§10.5).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::{GetEventRequest, ListEventsRequest};
use contracts::common::v1::Form;

use crate::app::App;
use crate::envelope::Answer;
use crate::errors::Refusal;
use crate::extract::caller::Caller;
use crate::extract::latest::Latest;
use crate::extract::query::Query;
use crate::extract::segment::Segment;
use crate::message;

const PARAMETERS: &[&str] = &[
    "kind", "country", "city", "when", "from", "to", "q", "limit", "cursor",
];

/// A page of events.
pub async fn list(
    State(app): State<App>,
    Caller(caller): Caller,
    latest: Latest,
    RawQuery(query): RawQuery,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), PARAMETERS);
    let question = ListEventsRequest {
        mode: message::mode(caller.key.mode).into(),
        page: Some(query.page()),
        form: Form::Json.into(),
        at_least: None,
        kind: query.text("kind"),
        country: query.text("country"),
        city: query.text("city"),
        when: query.text("when"),
        from: query.text("from"),
        to: query.text("to"),
        q: query.text("q"),
    };
    let events = query.answered(app.upstream.read(question, latest)).await?;
    Ok(Answer::list(events.json, events.page))
}

/// One event.
pub async fn one(
    State(app): State<App>,
    Caller(caller): Caller,
    latest: Latest,
    Segment(slug): Segment,
) -> Result<Answer, Refusal> {
    let question = GetEventRequest {
        mode: message::mode(caller.key.mode).into(),
        slug,
        form: Form::Json.into(),
        at_least: None,
    };
    let event = app.upstream.read(question, latest).await?;
    Ok(Answer::object(event.json))
}
