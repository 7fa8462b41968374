//! `GET /games` and `GET /games/{slug}` (§4.2), `POST /games` and `PATCH /games/{slug}` (§4.3).

use contracts::catalogue::v1::{GetGameRequest, ListGamesRequest};
use contracts::listings::v1::{CreateGameRequest, UpdateGameRequest};

use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::call::Call;
use crate::extract::query::Params;
use crate::extract::service_write::ServiceWrite;
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;

use super::listing_write;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(super) fn operations() -> [Operation; 4] {
    [
        Operation::new("/games", "listGames", Tag::Games, "Lists published games, the featured first, then the newest first.",
            Success::List("GameRow"),
            &[p::GENRE, p::PLATFORM, p::COUNTRY, p::STAGE, p::CREATOR, p::Q, p::UPDATED_SINCE, p::LIMIT, p::CURSOR])
            .about("The order is the same with every filter. Several filters are combined, and `meta.total` counts the games that match all of them."),
        Operation::new("/games", "submitGame", Tag::Games, "Submits a game, which staff review.", Success::CREATED, p::SUBMIT)
            .post("GameSubmission")
            .about("The game is pending until a person has reviewed it. Send an `Idempotency-Key`, so that a repeated call submits one \
                game. A test key checks everything and stores nothing."),
        Operation::new("/games/{slug}", "getGame", Tag::Games, "Gets a published game.", Success::Listing("Game"), &[p::SLUG])
            .about("A game that is not public gets 404; `GET /me/listings` lists your own in every state. Keep the `ETag` to change the game \
                with `If-Match`."),
        Operation::new("/games/{slug}", "updateGame", Tag::Games, "Changes a game of the account.",
            Success::CHANGED, &[p::SLUG, p::DRY_RUN, p::IF_MATCH])
            .patch("GameChange")
            .about("Send the fields that change, or the whole game as you read it. A field is replaced as a whole; null clears an optional \
                one. A change of a public game shows at once; a change of a rejected one submits it again. A test key may change the \
                samples; nothing is stored."),
    ]
}

pub async fn list(call: Call) -> Result<ApiResponse, ApiError> {
    let mut params = call.params();
    let request = ListGamesRequest {
        mode: call.mode(),
        page: Some(params.page()),
        genre: params.text("genre"),
        platform: params.text("platform"),
        country: params.text("country"),
        stage: params.text("stage"),
        creator: params.text("creator"),
        q: params.text("q"),
        updated_since: params.text("updated_since"),
        at_least: call.at_least(),
        city: None,
    };
    let games = call.read(&call.app.catalogue, params, &request).await?;
    Ok(ApiResponse::list(games.json, games.page).made_at(games.position.as_ref()))
}

pub async fn get(mut call: Call) -> Result<ApiResponse, ApiError> {
    let slug = call.path_param().await?;
    let request = GetGameRequest { mode: call.mode(), slug, at_least: call.at_least() };
    let game = call.read(&call.app.catalogue, Params::default(), &request).await?;
    Ok(ApiResponse::object(game.json).at_revision(game.revision).made_at(game.position.as_ref()))
}

pub async fn create(call: Call) -> Result<ApiResponse, ApiError> {
    let write = ServiceWrite::read(call)?;
    let writing = Some(listing_write::writing(&write));
    let request = CreateGameRequest { writing };
    let created = write.app.listings.write(&request).await;
    let created = write.bad.join(created)?;
    listing_write::created_response("/v1/games", created.written)
}

pub async fn update(mut call: Call) -> Result<ApiResponse, ApiError> {
    let slug = call.path_param().await?;
    let write = ServiceWrite::read(call)?;
    let request = UpdateGameRequest {
        slug,
        writing: Some(listing_write::writing(&write)),
        precondition: write.precondition,
    };
    let updated = write.app.listings.write(&request).await;
    let updated = write.bad.join(updated).map_err(listing_write::update_error)?;
    listing_write::updated_response(updated.written)
}
