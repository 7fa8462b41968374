//! `GET /events` (§4.2) and `GET /events/{slug}` (§10.5), `POST /events` and `PATCH /events/{slug}` (§4.3).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::{GetEventRequest, ListEventsRequest};
use contracts::common::v1::Form;
use contracts::listings::v1::{CreateEventRequest, UpdateEventRequest};

use crate::app::App;
use crate::envelope::Answer;
use crate::errors::Refusal;
use crate::extract::caller::Caller;
use crate::extract::idempotency_key::IdempotencyKey;
use crate::extract::if_match::IfMatch;
use crate::extract::json_body::JsonBody;
use crate::extract::path_param::PathParam;
use crate::extract::query::Query;
use crate::message;
use crate::upstream::min_position::MinPosition;

use super::writing;

const PARAMETERS: &[&str] = &[
    "kind",
    "country",
    "city",
    "when",
    "from",
    "to",
    "q",
    "updated_since",
    "limit",
    "cursor",
];

/// A page of events.
pub async fn list(
    State(app): State<App>,
    Caller(caller): Caller,
    min: MinPosition,
    RawQuery(query): RawQuery,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), PARAMETERS);
    let request = ListEventsRequest {
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
        updated_since: query.text("updated_since"),
    };
    let events = query
        .answered(app.catalogue.list_events(request, min))
        .await?;
    Ok(Answer::list(events.json, events.page))
}

/// One event.
pub async fn one(
    State(app): State<App>,
    Caller(caller): Caller,
    min: MinPosition,
    PathParam(slug): PathParam,
) -> Result<Answer, Refusal> {
    let request = GetEventRequest {
        mode: message::mode(caller.key.mode).into(),
        slug,
        form: Form::Json.into(),
        at_least: None,
    };
    let event = app.catalogue.get_event(request, min).await?;
    Ok(Answer::object(event.json).at_revision(event.revision))
}

/// Sends a new event in (§4.3).
pub async fn create(
    State(app): State<App>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
    key: IdempotencyKey,
    body: JsonBody,
) -> Result<Answer, Refusal> {
    let writing = writing::writing(&app, &caller, query.as_deref(), key, body).await?;
    let writing = Some(writing);
    let request = CreateEventRequest { writing };
    writing::created(
        "/v1/events",
        app.listings.create_event(request).await?.written,
    )
}

/// Changes an event of the caller's (§4.3).
pub async fn update(
    State(app): State<App>,
    Caller(caller): Caller,
    PathParam(slug): PathParam,
    RawQuery(query): RawQuery,
    IfMatch(precondition): IfMatch,
    body: JsonBody,
) -> Result<Answer, Refusal> {
    let no_key = IdempotencyKey::none();
    let writing = writing::writing(&app, &caller, query.as_deref(), no_key, body).await?;
    let writing = Some(writing);
    let request = UpdateEventRequest {
        slug,
        writing,
        precondition,
    };
    writing::updated(app.listings.update_event(request).await?.written)
}
