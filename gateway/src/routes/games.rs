//! `GET /games` and `GET /games/{slug}` (§4.2).

use axum::extract::{Path, RawQuery, State, rejection::PathRejection};
use contracts::catalogue::v1::{GetGameRequest, ListGamesRequest};
use contracts::common::v1::{Form, PageRequest};
use kit::Fault;

use crate::app::App;
use crate::envelope::Answer;
use crate::errors::Refusal;
use crate::extract::caller::Caller;
use crate::extract::query::Query;
use crate::message;

const PARAMETERS: &[&str] = &[
    "genre", "platform", "country", "stage", "creator", "q", "limit", "cursor",
];

/// A page of games.
pub async fn list(
    State(app): State<App>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
) -> Result<Answer, Refusal> {
    let mut query = Query::read(query.as_deref(), PARAMETERS);
    let request = ListGamesRequest {
        mode: message::mode(caller.key.mode).into(),
        page: Some(PageRequest {
            limit: query.limit(),
            cursor: query.text("cursor").unwrap_or_default(),
        }),
        form: Form::Json.into(),
        genre: query.text("genre"),
        platform: query.text("platform"),
        country: query.text("country"),
        stage: query.text("stage"),
        creator: query.text("creator"),
        q: query.text("q"),
        at_least: None,
    };
    query.finish()?;
    let games = app.upstream.list_games(request).await?;
    let page = games.page.unwrap_or_default();
    Ok(Answer::list(games.json, page.next_cursor, page.total))
}

/// One game.
pub async fn one(
    State(app): State<App>,
    Caller(caller): Caller,
    slug: Result<Path<String>, PathRejection>,
) -> Result<Answer, Refusal> {
    let Ok(Path(slug)) = slug else {
        // A path that does not decode names no game.
        return Err(Fault::not_found("there is no game of this slug").into());
    };
    let request = GetGameRequest {
        mode: message::mode(caller.key.mode).into(),
        slug,
        form: Form::Json.into(),
        at_least: None,
    };
    let game = app.upstream.get_game(request).await?;
    Ok(Answer::object(game.json))
}
