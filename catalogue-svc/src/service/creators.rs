//! Published creators: studios and persons (§2.4, §4.2).

use std::sync::Arc;

use contracts::catalogue::v1::creators_service_server::CreatorsService;
use contracts::catalogue::v1::{
    GetCreatorRequest, GetCreatorResponse, ListCreatorsRequest, ListCreatorsResponse,
};
use contracts::public::CREATOR_KINDS;
use kit::Fault;
use time::OffsetDateTime;
use tonic::{Request, Response, Status};

use super::Reads;
use super::answer;
use super::query_params::{ListParams, ListQuery, one_of};
use crate::domain::facet::Facet;
use crate::domain::order::CreatorKey;
use crate::index::{Document as _, Query};
use kit::Mode;

#[tonic::async_trait]
impl CreatorsService for Reads {
    async fn list_creators(
        &self,
        request: Request<ListCreatorsRequest>,
    ) -> Result<Response<ListCreatorsResponse>, Status> {
        let request = request.into_inner();
        let snapshot = self.snapshot_at(request.at_least.as_ref()).await?;
        let list = read(request, self.clock.now())?;
        let page = self.list(&snapshot, |dataset| &dataset.creators, &list).await?;
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
        let creator = creator.ok_or_else(|| answer::not_found(mode, "creator", "handle"))?;
        let games = dataset.games.search(&Query {
            facets: vec![Facet::Creator(Arc::clone(&creator.key.handle))],
            limit: request.max_games.map_or(usize::MAX, |most| most as usize),
            ..Query::default()
        });
        let json = creator.json().single().map_err(|error| answer::broken(&error))?;
        Ok(Response::new(GetCreatorResponse {
            json: answer::with_rows(&json, &games.rows)?.into(),
            position: Some(snapshot.position.into()),
            total_games: games.total,
        }))
    }
}

fn read(request: ListCreatorsRequest, now: OffsetDateTime) -> Result<ListQuery<CreatorKey>, Fault> {
    let mut params = ListParams::new(request.mode);
    params.facet("kind", request.kind, |key| {
        Facet::creator_kind(key).ok_or_else(|| one_of(&CREATOR_KINDS))
    });
    params.any(request.role, Facet::Role);
    params.country(request.country);
    params.any(request.city, Facet::City);
    params.words(request.q.as_deref());
    params.updated_since(request.updated_since, now);
    params.finish("creators", request.page)
}
