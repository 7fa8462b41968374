//! `GET /games` and `GET /games/{slug}` (§4.2), `POST /games` and `PATCH /games/{slug}` (§4.3).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::{GetGameRequest, ListGamesRequest};
use contracts::common::v1::Form;
use contracts::listings::v1::{CreateGameRequest, UpdateGameRequest};

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
    "genre",
    "platform",
    "country",
    "stage",
    "creator",
    "q",
    "updated_since",
    "limit",
    "cursor",
];

/// A page of games.
pub async fn list(
    State(app): State<App>,
    Caller(caller): Caller,
    min: MinPosition,
    RawQuery(query): RawQuery,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), PARAMETERS);
    let request = ListGamesRequest {
        mode: message::mode(caller.key.mode).into(),
        page: Some(query.page()),
        form: Form::Json.into(),
        genre: query.text("genre"),
        platform: query.text("platform"),
        country: query.text("country"),
        stage: query.text("stage"),
        creator: query.text("creator"),
        q: query.text("q"),
        updated_since: query.text("updated_since"),
        at_least: None,
    };
    let games = query
        .answered(app.catalogue.list_games(request, min))
        .await?;
    Ok(Answer::list(games.json, games.page))
}

/// One game.
pub async fn one(
    State(app): State<App>,
    Caller(caller): Caller,
    min: MinPosition,
    PathParam(slug): PathParam,
) -> Result<Answer, Refusal> {
    let request = GetGameRequest {
        mode: message::mode(caller.key.mode).into(),
        slug,
        form: Form::Json.into(),
        at_least: None,
    };
    let game = app.catalogue.get_game(request, min).await?;
    Ok(Answer::object(game.json).at_revision(game.revision))
}

/// Sends a new game in (§4.3).
pub async fn create(
    State(app): State<App>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
    key: IdempotencyKey,
    body: JsonBody,
) -> Result<Answer, Refusal> {
    let writing = writing::writing(&app, &caller, query.as_deref(), key, body).await?;
    let writing = Some(writing);
    let request = CreateGameRequest { writing };
    writing::created(
        "/v1/games",
        app.listings.create_game(request).await?.written,
    )
}

/// Changes a game of the caller's (§4.3).
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
    let request = UpdateGameRequest {
        slug,
        writing,
        precondition,
    };
    writing::updated(app.listings.update_game(request).await?.written)
}
