//! Published creators: studios and persons (§2.4, §4.2).

use std::sync::Arc;

use contracts::catalogue::v1::creators_service_server::CreatorsService;
use contracts::catalogue::v1::{
    GetCreatorRequest, GetCreatorResponse, ListCreatorsRequest, ListCreatorsResponse,
};
use contracts::public::CREATOR_KINDS;
use kit::Fault;
use kit::cursor::Binding;
use tonic::{Request, Response, Status};

use super::answer;
use super::ask::{self, Ask, Fields, accepted};
use super::typed;
use crate::domain::facet::Facet;
use crate::domain::listing::Mode;
use crate::domain::order::CreatorKey;
use crate::domain::tag::Tag;
use crate::domain::words;
use crate::memory::{Catalogue, Listed as _, Question, State};

/// Answers calls about creators.
#[derive(Debug)]
pub struct Creators {
    catalogue: Arc<Catalogue>,
}

impl Creators {
    /// Answers from `catalogue`.
    pub fn new(catalogue: Arc<Catalogue>) -> Self {
        Self { catalogue }
    }

    async fn list(&self, request: ListCreatorsRequest) -> Result<ListCreatorsResponse, Fault> {
        let state = self.catalogue.state_at(request.at_least.as_ref()).await?;
        let ask = read(request, &state)?;
        let page = state.world(ask.mode).creators.search(&ask.question);
        let (json, creators) = answer::rows(&page.rows, ask.form, typed::creators::row)?;
        Ok(ListCreatorsResponse {
            creators,
            json,
            page: Some(answer::page_info(&page, ask.binding)?),
            position: Some(state.position.into()),
        })
    }

    async fn get(&self, request: GetCreatorRequest) -> Result<GetCreatorResponse, Fault> {
        let state = self.catalogue.state_at(request.at_least.as_ref()).await?;
        let (mode, form) = ask::single(request.mode, request.form)?;
        let world = state.world(mode);
        let creator = world.creators.get(&request.handle);
        let creator = creator.ok_or_else(|| unknown(mode))?;
        let games = world.games.search(&Question {
            tags: vec![Tag::Creator(Arc::clone(&creator.key.handle))],
            limit: usize::MAX,
            ..Question::default()
        });
        let json = answer::with_rows(creator.text().json(), &games.rows)?;
        let (json, creator) = answer::single(json, form, typed::creators::creator)?;
        Ok(GetCreatorResponse {
            creator,
            json,
            position: Some(state.position.into()),
        })
    }
}

#[tonic::async_trait]
impl CreatorsService for Creators {
    async fn list_creators(
        &self,
        request: Request<ListCreatorsRequest>,
    ) -> Result<Response<ListCreatorsResponse>, Status> {
        Ok(Response::new(self.list(request.into_inner()).await?))
    }

    async fn get_creator(
        &self,
        request: Request<GetCreatorRequest>,
    ) -> Result<Response<GetCreatorResponse>, Status> {
        Ok(Response::new(self.get(request.into_inner()).await?))
    }
}

/// Which countries there are, `state` says.
fn read(request: ListCreatorsRequest, state: &State) -> Result<Ask<CreatorKey>, Fault> {
    let mut fields = Fields::default();
    let mode = fields.mode(request.mode);
    let form = fields.form(request.form);
    let country = ask::code(request.country);
    let q = ask::text(request.q.as_deref());
    let facets = [
        fields.filter("kind", request.kind.as_deref(), |key| {
            Facet::creator_kind(key).ok_or_else(|| accepted("a kind of creators", &CREATOR_KINDS))
        }),
        fields.country(country.as_deref(), state),
    ];
    let binding = Binding::new(
        "creators",
        [
            Some(mode.as_str()),
            request.kind.as_deref(),
            request.role.as_deref(),
            country.as_deref(),
            request.city.as_deref(),
            q,
        ],
    );
    let (limit, after) = fields.page(request.page, binding);
    fields.finish()?;
    let role = request.role.map(|key| Tag::Role(key.into()));
    let city = request.city.map(|slug| Tag::City(slug.into()));
    Ok(Ask {
        mode,
        form,
        question: Question {
            facets: facets.into_iter().flatten().collect(),
            tags: role.into_iter().chain(city).collect(),
            words: q.map(words::of_question),
            after,
            limit,
            ..Question::default()
        },
        binding,
    })
}

fn unknown(mode: Mode) -> Fault {
    Fault::not_found(match mode {
        Mode::Live => "no published creator has this handle; sample creators are for test keys",
        Mode::Test => {
            "no sample creator has this handle; a test key sees sample creators only, a live key the real ones"
        }
    })
}
