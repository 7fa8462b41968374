//! `GET /games` and `GET /games/{slug}` (§4.2), `POST /games` and `PATCH /games/{slug}` (§4.3).

use axum::extract::{RawQuery, State};
use contracts::catalogue::v1::games_service_client::GamesServiceClient;
use contracts::catalogue::v1::{GetGameRequest, ListGamesRequest};
use contracts::listings::v1::{CreateGameRequest, UpdateGameRequest};

use crate::app::App;
use crate::convert;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::caller::AuthenticatedCaller;
use crate::extract::idempotency_key::IdempotencyKey;
use crate::extract::if_match::IfMatch;
use crate::extract::json_body::JsonBody;
use crate::extract::min_position::MinPosition;
use crate::extract::path_param::PathParam;
use crate::extract::query::Params;

use super::listing_write;

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

pub async fn list(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    MinPosition(at_least): MinPosition,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref(), PARAMETERS);
    let request = ListGamesRequest {
        mode: convert::mode(caller.key.mode).into(),
        page: Some(query.page()),
        genre: query.text("genre"),
        platform: query.text("platform"),
        country: query.text("country"),
        stage: query.text("stage"),
        creator: query.text("creator"),
        q: query.text("q"),
        updated_since: query.text("updated_since"),
        at_least,
    };
    let games = query
        .with_errors_of(
            app.catalogue
                .games
                .read(GamesServiceClient::list_games, request),
        )
        .await?;
    Ok(ApiResponse::list(games.json, games.page))
}

pub async fn get(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    MinPosition(at_least): MinPosition,
    PathParam(slug): PathParam,
) -> Result<ApiResponse, ApiError> {
    let request = GetGameRequest {
        mode: convert::mode(caller.key.mode).into(),
        slug,
        at_least,
    };
    let game = app
        .catalogue
        .games
        .read(GamesServiceClient::get_game, request)
        .await?;
    Ok(ApiResponse::object(game.json).at_revision(game.revision))
}

pub async fn create(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    RawQuery(query): RawQuery,
    key: IdempotencyKey,
    body: JsonBody,
) -> Result<ApiResponse, ApiError> {
    let writing = listing_write::write_request(&app, &caller, query.as_deref(), key, body)?;
    let writing = Some(writing);
    let request = CreateGameRequest { writing };
    listing_write::created_response(
        "/v1/games",
        app.listings.create_game(request).await?.written,
    )
}

pub async fn update(
    State(app): State<App>,
    AuthenticatedCaller(caller): AuthenticatedCaller,
    PathParam(slug): PathParam,
    RawQuery(query): RawQuery,
    IfMatch(precondition): IfMatch,
    body: JsonBody,
) -> Result<ApiResponse, ApiError> {
    let no_key = IdempotencyKey::none();
    let writing = listing_write::write_request(&app, &caller, query.as_deref(), no_key, body)?;
    let writing = Some(writing);
    let request = UpdateGameRequest {
        slug,
        writing,
        precondition,
    };
    listing_write::updated_response(app.listings.update_game(request).await?.written)
}
