//! `GET /games` and `GET /games/{slug}` (§4.2), `POST /games` and `PATCH /games/{slug}` (§4.3).

use contracts::catalogue::v1::games_service_client::GamesServiceClient;
use contracts::catalogue::v1::{GetGameRequest, ListGamesRequest};
use contracts::listings::v1::games_service_client as listings;
use contracts::listings::v1::{CreateGameRequest, UpdateGameRequest};

use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::catalogue_read::CatalogueRead;
use crate::extract::if_match::IfMatch;
use crate::extract::path_param::PathParam;
use crate::extract::query::{Params, with_errors_of};
use crate::extract::service_write::ServiceWrite;

use super::listing_write;

pub async fn list(read: CatalogueRead) -> Result<ApiResponse, ApiError> {
    let mut params = read.params();
    let request = ListGamesRequest {
        mode: read.mode,
        page: Some(params.page()),
        genre: params.text("genre"),
        platform: params.text("platform"),
        country: params.text("country"),
        stage: params.text("stage"),
        creator: params.text("creator"),
        q: params.text("q"),
        updated_since: params.text("updated_since"),
        at_least: read.at_least.clone(),
        city: None,
    };
    let method = GamesServiceClient::list_games;
    let games = read.send(params, method, request).await?;
    Ok(ApiResponse::list(games.json, games.page).made_at(games.position.as_ref()))
}

pub async fn get(read: CatalogueRead, PathParam(slug): PathParam) -> Result<ApiResponse, ApiError> {
    let request = GetGameRequest {
        mode: read.mode,
        slug,
        at_least: read.at_least.clone(),
    };
    let method = GamesServiceClient::get_game;
    let game = read.send(Params::default(), method, request).await?;
    Ok(ApiResponse::object(game.json)
        .at_revision(game.revision)
        .made_at(game.position.as_ref()))
}

pub async fn create(write: ServiceWrite) -> Result<ApiResponse, ApiError> {
    let writing = Some(listing_write::writing(&write));
    let request = CreateGameRequest { writing };
    let method = listings::GamesServiceClient::create_game;
    let call = write.app.listings.write(method, request);
    let created = with_errors_of(write.bad, call).await?;
    listing_write::created_response("/v1/games", created.written)
}

pub async fn update(
    PathParam(slug): PathParam,
    IfMatch(precondition): IfMatch,
    mut write: ServiceWrite,
) -> Result<ApiResponse, ApiError> {
    let precondition = write.take(precondition).flatten();
    let request = UpdateGameRequest {
        slug,
        writing: Some(listing_write::writing(&write)),
        precondition,
    };
    let method = listings::GamesServiceClient::update_game;
    let call = write.app.listings.write(method, request);
    let updated = with_errors_of(write.bad, call).await;
    listing_write::updated_response(updated.map_err(listing_write::update_error)?.written)
}
