//! Published creators: studios and persons (§2.4, §4.2).

use std::sync::Arc;

use contracts::catalogue::v1::creators_service_server::CreatorsService;
use contracts::catalogue::v1::{
    GetCreatorRequest, GetCreatorResponse, ListCreatorsRequest, ListCreatorsResponse,
};
use contracts::public::CREATOR_KINDS;
use kit::Fault;
use kit::bad_fields::BadFields;
use kit::cursor::Binding;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};

use super::Reads;
use super::answer;
use super::query_params::{self, ListQuery, filter, non_empty, one_of, query_words, words_key};
use crate::domain::facet::Facet;
use crate::domain::keyword::Keyword;
use crate::domain::listing::Mode;
use crate::domain::order::CreatorKey;
use crate::index::{Document as _, Query, Snapshot};

#[tonic::async_trait]
impl CreatorsService for Reads {
    async fn list_creators(
        &self,
        request: Request<ListCreatorsRequest>,
    ) -> Result<Response<ListCreatorsResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let list = read(request, &snapshot, self.clock.now())?;
        let page = snapshot.dataset(list.mode).creators.search(&list.query);
        Ok(Response::new(ListCreatorsResponse {
            json: answer::rows(&page.rows),
            page: Some(answer::page_info(&page, list.binding)?),
            position: Some(snapshot.position.into()),
        }))
    }

    async fn get_creator(
        &self,
        request: Request<GetCreatorRequest>,
    ) -> Result<Response<GetCreatorResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let mode = Mode::try_from(request.mode)?;
        let dataset = snapshot.dataset(mode);
        let creator = dataset.creators.get(&request.handle);
        let creator = creator.ok_or_else(|| unknown(mode))?;
        let games = dataset.games.search(&Query {
            keywords: vec![Keyword::Creator(Arc::clone(&creator.key.handle))],
            limit: request.max_games.map_or(usize::MAX, |most| most as usize),
            ..Query::default()
        });
        let json = answer::single(creator.text()).await?;
        Ok(Response::new(GetCreatorResponse {
            json: answer::with_rows(&json, &games.rows)?.into(),
            position: Some(snapshot.position.into()),
            total_games: games.total,
        }))
    }
}

/// Reads and checks the parameters. The country must be one of `snapshot`.
fn read(
    request: ListCreatorsRequest,
    snapshot: &Snapshot,
    now: OffsetDateTime,
) -> Result<ListQuery<CreatorKey>, Fault> {
    let mut bad = BadFields::default();
    let mode = bad.mode(request.mode);
    let country = query_params::country_code(request.country);
    let kind = non_empty(request.kind);
    let role = non_empty(request.role);
    let city = non_empty(request.city);
    let words = query_words(request.q.as_deref());
    let updated_since = query_params::updated_since(&mut bad, request.updated_since, now);
    let facets = [
        filter(&mut bad, "kind", kind.as_deref(), |key| {
            Facet::creator_kind(key).ok_or_else(|| one_of(&CREATOR_KINDS))
        }),
        query_params::country(&mut bad, country.as_deref(), snapshot),
    ];
    let since = updated_since.map(|since| since.to_string());
    let binding = Binding::new(
        "creators",
        [
            Some(mode.as_str()),
            kind.as_deref(),
            role.as_deref(),
            country.as_deref(),
            city.as_deref(),
            words_key(words.as_ref()).as_deref(),
            since.as_deref(),
        ],
    );
    let page = bad.read_public_page(binding, request.page);
    bad.check()?;
    let role = role.map(|key| Keyword::Role(key.into()));
    let city = city.map(|slug| Keyword::City(slug.into()));
    Ok(ListQuery {
        mode,
        query: Query {
            facets: facets.into_iter().flatten().collect(),
            keywords: role.into_iter().chain(city).collect(),
            words,
            updated_since,
            after: page.after,
            limit: page.limit,
            ..Query::default()
        },
        binding,
    })
}

fn unknown(mode: Mode) -> Fault {
    Fault::not_found(match mode {
        Mode::Live => {
            "No published creator has this handle. `GET /search?q=…` finds one by its name, even with a typo. Sample creators are for test keys."
        }
        Mode::Test => {
            "No sample creator has this handle. A test key sees sample creators only, a live key the real ones."
        }
    })
}
