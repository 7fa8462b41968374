//! Published games (§2.2, §4.2). A call is answered from one snapshot in memory, without SQL.

use std::borrow::Cow;

use contracts::catalogue::v1::games_service_server::GamesService;
use contracts::catalogue::v1::{
    GetGameRequest, GetGameResponse, ListGamesRequest, ListGamesResponse,
};
use contracts::public::{self, PLATFORMS, STAGES};
use contracts::reference_data::GENRES;
use kit::Fault;
use serde::Deserialize;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};

use super::Reads;
use super::answer;
use super::query_params::{ListParams, ListQuery, one_of};
use crate::domain::facet::Facet;
use crate::domain::order::GameKey;
use crate::index::{Creator, Document as _, Index};
use kit::Mode;

#[tonic::async_trait]
impl GamesService for Reads {
    async fn list_games(
        &self,
        request: Request<ListGamesRequest>,
    ) -> Result<Response<ListGamesResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let list = read(request, self.clock.now())?;
        let page = self.list(&snapshot, |dataset| &dataset.games, &list).await?;
        Ok(Response::new(ListGamesResponse {
            json: answer::rows(&page.rows),
            page: Some(answer::page_info(&page, list.binding)?),
            position: Some(snapshot.position.into()),
        }))
    }

    async fn get_game(
        &self,
        request: Request<GetGameRequest>,
    ) -> Result<Response<GetGameResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let mode = Mode::try_from(request.mode)?;
        let dataset = snapshot.dataset(mode);
        let game = dataset.games.get(&request.slug);
        let game = game.ok_or_else(|| answer::not_found(mode, "game", "slug"))?;
        let json = game.json().single().map_err(|error| answer::broken(&error))?;
        let json = with_public_credits(json, &dataset.creators)?;
        Ok(Response::new(GetGameResponse {
            json: json.into(),
            position: Some(snapshot.position.into()),
            revision: game.revision.into(),
            first_published_at: Some(answer::timestamp(game.key.published_at.0)),
        }))
    }
}

/// The handles in the credits of a game.
#[derive(Deserialize)]
struct Credits<'a> {
    #[serde(borrow)]
    credits: Vec<CreditHandle<'a>>,
}

#[derive(Deserialize)]
struct CreditHandle<'a> {
    #[serde(borrow)]
    handle: Option<Cow<'a, str>>,
}

/// Removes from the credits of a game the handles of creators who are not public, since these have no page.
fn with_public_credits(json: Vec<u8>, creators: &Index<Creator>) -> Result<Vec<u8>, Fault> {
    let is_hidden = |handle: &str| creators.get(handle).is_none();
    let handles: Credits<'_> =
        serde_json::from_slice(&json).map_err(|error| Fault::internal(&error))?;
    let mut handles = handles.credits.iter().filter_map(|it| it.handle.as_deref());
    if !handles.any(is_hidden) {
        return Ok(json);
    }
    let mut game: public::Game =
        serde_json::from_slice(&json).map_err(|error| Fault::internal(&error))?;
    for credit in &mut game.credits {
        credit.handle = credit.handle.take().filter(|handle| !is_hidden(handle));
    }
    answer::json(&game)
}

fn read(request: ListGamesRequest, now: OffsetDateTime) -> Result<ListQuery<GameKey>, Fault> {
    let mut params = ListParams::new(request.mode);
    params.facet("genre", request.genre, |key| {
        Facet::genre(key).ok_or_else(|| one_of(&GENRES.map(|genre| genre.key)))
    });
    params.facet("platform", request.platform, |key| {
        Facet::platform(key).ok_or_else(|| one_of(&PLATFORMS))
    });
    params.country(request.country);
    params.facet("stage", request.stage, |key| Facet::stage(key).ok_or_else(|| one_of(&STAGES)));
    params.any(request.creator, Facet::Creator);
    params.any(request.city, Facet::City);
    params.words(request.q.as_deref());
    params.updated_since(request.updated_since, now);
    params.finish("games", request.page)
}
