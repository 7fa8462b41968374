//! Published games (§2.2, §4.2). Everything is answered from one state in memory; no call costs SQL.

use std::sync::Arc;

use contracts::catalogue::v1::games_service_server::GamesService;
use contracts::catalogue::v1::{
    GetGameRequest, GetGameResponse, ListGamesRequest, ListGamesResponse,
};
use contracts::public::{PLATFORMS, STAGES};
use kit::Fault;
use kit::cursor::Binding;
use tonic::{Request, Response, Status};

use super::answer;
use super::ask::{self, Ask, Fields, accepted};
use super::typed;
use crate::domain::facet::Facet;
use crate::domain::listing::Mode;
use crate::domain::order::GameKey;
use crate::domain::tag::Tag;
use crate::domain::words;
use crate::memory::{Catalogue, Listed as _, Question, State};

/// Answers calls about games.
#[derive(Debug)]
pub struct Games {
    catalogue: Arc<Catalogue>,
}

impl Games {
    /// Answers from `catalogue`.
    pub fn new(catalogue: Arc<Catalogue>) -> Self {
        Self { catalogue }
    }

    async fn list(&self, request: ListGamesRequest) -> Result<ListGamesResponse, Fault> {
        let state = self.catalogue.state_at(request.at_least.as_ref()).await?;
        let ask = read(request, &state)?;
        let page = state.world(ask.mode).games.search(&ask.question);
        let (json, games) = answer::rows(&page.rows, ask.form, typed::games::row)?;
        Ok(ListGamesResponse {
            games,
            json,
            page: Some(answer::page_info(&page, ask.binding)?),
            position: Some(state.position.into()),
        })
    }

    async fn get(&self, request: GetGameRequest) -> Result<GetGameResponse, Fault> {
        let state = self.catalogue.state_at(request.at_least.as_ref()).await?;
        let (mode, form) = ask::single(request.mode, request.form)?;
        let game = state.world(mode).games.get(&request.slug);
        let game = game.ok_or_else(|| unknown(mode))?;
        let json = game.text().json().to_vec();
        let (json, game) = answer::single(json, form, typed::games::game)?;
        Ok(GetGameResponse {
            game,
            json,
            position: Some(state.position.into()),
        })
    }
}

#[tonic::async_trait]
impl GamesService for Games {
    async fn list_games(
        &self,
        request: Request<ListGamesRequest>,
    ) -> Result<Response<ListGamesResponse>, Status> {
        Ok(Response::new(self.list(request.into_inner()).await?))
    }

    async fn get_game(
        &self,
        request: Request<GetGameRequest>,
    ) -> Result<Response<GetGameResponse>, Status> {
        Ok(Response::new(self.get(request.into_inner()).await?))
    }
}

/// Which genres and countries there are, `state` says.
fn read(request: ListGamesRequest, state: &State) -> Result<Ask<GameKey>, Fault> {
    let mut fields = Fields::default();
    let mode = fields.mode(request.mode);
    let form = fields.form(request.form);
    let country = ask::code(request.country);
    let q = ask::text(request.q.as_deref());
    let facets = [
        fields.filter("genre", request.genre.as_deref(), |key| genre(key, state)),
        fields.filter("platform", request.platform.as_deref(), |key| {
            Facet::platform(key).ok_or_else(|| accepted("a platform", &PLATFORMS))
        }),
        fields.country(country.as_deref(), state),
        fields.filter("stage", request.stage.as_deref(), |key| {
            Facet::stage(key).ok_or_else(|| accepted("a stage", &STAGES))
        }),
    ];
    let binding = Binding::new(
        "games",
        [
            Some(mode.as_str()),
            request.genre.as_deref(),
            request.platform.as_deref(),
            country.as_deref(),
            request.stage.as_deref(),
            request.creator.as_deref(),
            q,
        ],
    );
    let (limit, after) = fields.page(request.page, binding);
    fields.finish()?;
    let creator = request.creator.map(|handle| Tag::Creator(handle.into()));
    Ok(Ask {
        mode,
        form,
        question: Question {
            facets: facets.into_iter().flatten().collect(),
            tags: creator.into_iter().collect(),
            words: q.map(words::of_question),
            after,
            limit,
            ..Question::default()
        },
        binding,
    })
}

/// A genre that no game has is still one: it filters everything away.
fn genre(key: &str, state: &State) -> Result<Facet, String> {
    let keys = state.genres.keys();
    if keys.binary_search(&key).is_err() {
        return Err(accepted("a genre", &keys));
    }
    Ok(state.genres.facet(key).unwrap_or(Facet::Genre(u32::MAX)))
}

fn unknown(mode: Mode) -> Fault {
    Fault::not_found(match mode {
        Mode::Live => "no published game has this slug; sample games are for test keys",
        Mode::Test => {
            "no sample game has this slug; a test key sees sample games only, a live key the real ones"
        }
    })
}
