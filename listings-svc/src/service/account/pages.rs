//! Pages that accounts submit, change and claim (`listings/v1/pages.proto`).

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::pages_service_server::PagesService;
use kit::Fault;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::ended::ended;
use crate::domain::entity::Entity;
use crate::domain::listing::Listing;
use crate::domain::text;
use crate::feed;
use crate::service::ids::parse_uuid;
use crate::service::{Service, claims};
use crate::store::claims as store;
use crate::store::{accounts, page_owners};
use crate::write::claims as write;
use crate::write::submission::Target;

const MAX_EVIDENCE: usize = 2_000;

impl Service {
    async fn claim(
        &self,
        account: Uuid,
        handle: String,
        evidence: &str,
    ) -> Result<proto::Claim, Fault> {
        let evidence = text::paragraphs(evidence, MAX_EVIDENCE);
        let evidence = evidence.map_err(|problem| Fault::invalid_field("evidence", problem))?;
        if evidence.is_empty() {
            return Err(Fault::invalid_field(
                "evidence",
                "Explain how staff can verify that the page is yours.",
            ));
        }
        let claim = write::make(&self.commands, account, &handle, &evidence).await?;
        Ok(claims::message(claim))
    }
}

fn author(account_id: String, writes_per_day: Option<u32>) -> proto::Author {
    proto::Author { account_id, mode: common::Mode::Live.into(), writes_per_day }
}

#[tonic::async_trait]
impl PagesService for Service {
    async fn create_page(
        &self,
        request: Request<proto::CreatePageRequest>,
    ) -> Result<Response<proto::CreatePageResponse>, Status> {
        let request = request.into_inner();
        let writing = proto::Writing {
            author: Some(author(request.account_id, None)),
            body: request.body,
            dry_run: request.dry_run,
            idempotency_key: request.idempotency_key,
        };
        let written = self.submit(Target::New(Entity::Page), Some(writing), None).await?;
        Ok(Response::new(proto::CreatePageResponse { written }))
    }

    async fn update_page(
        &self,
        request: Request<proto::UpdatePageRequest>,
    ) -> Result<Response<proto::UpdatePageResponse>, Status> {
        let request = request.into_inner();
        let writing = proto::Writing {
            author: Some(author(request.account_id, request.writes_per_day)),
            body: request.body,
            dry_run: request.dry_run,
            idempotency_key: String::new(),
        };
        let target = Target::Change(Entity::Page, request.handle);
        let written = self.submit(target, Some(writing), request.precondition).await?;
        Ok(Response::new(proto::UpdatePageResponse { written }))
    }

    async fn list_own_pages(
        &self,
        request: Request<proto::ListOwnPagesRequest>,
    ) -> Result<Response<proto::ListOwnPagesResponse>, Status> {
        let account = parse_uuid("account_id", &request.into_inner().account_id)?;
        let pages = page_owners::pages_of(&self.pool, account).await.map_err(Fault::from)?;
        let message = |listing: &Listing| {
            let page = listing.content.page()?;
            Some(feed::pages::message(listing, page, &[]))
        };
        let ended = pages
            .iter()
            .filter_map(|page| Some((page.name().to_owned(), ended(page.ended()?))))
            .collect();
        let pages = pages.iter().filter_map(message).collect();
        let now = kit::pg::now(&self.pool, &self.clock).await;
        let today = now.map_err(Fault::from)?.date();
        let written = accounts::writes_on(&self.pool, account, today).await.map_err(Fault::from)?;
        Ok(Response::new(proto::ListOwnPagesResponse {
            pages,
            ended,
            writes_today: u32::try_from(written).unwrap_or_default(),
        }))
    }

    async fn claim_page(
        &self,
        request: Request<proto::ClaimPageRequest>,
    ) -> Result<Response<proto::ClaimPageResponse>, Status> {
        let request = request.into_inner();
        let account = parse_uuid("account_id", &request.account_id)?;
        let made = self.claim(account, request.handle, &request.evidence).await?;
        Ok(Response::new(proto::ClaimPageResponse { claim: Some(made) }))
    }

    async fn list_own_claims(
        &self,
        request: Request<proto::ListOwnClaimsRequest>,
    ) -> Result<Response<proto::ListOwnClaimsResponse>, Status> {
        let account = parse_uuid("account_id", &request.into_inner().account_id)?;
        let claims = store::list_by_account(&self.pool, account).await.map_err(Fault::from)?;
        let claims = claims.into_iter().map(claims::message).collect();
        Ok(Response::new(proto::ListOwnClaimsResponse { claims }))
    }

    async fn withdraw_claim(
        &self,
        request: Request<proto::WithdrawClaimRequest>,
    ) -> Result<Response<proto::WithdrawClaimResponse>, Status> {
        let request = request.into_inner();
        let account = parse_uuid("account_id", &request.account_id)?;
        let id = parse_uuid("id", &request.id)?;
        let withdrawn = write::withdraw(&self.commands, account, id).await?;
        let claim = withdrawn.map(claims::message);
        Ok(Response::new(proto::WithdrawClaimResponse { claim }))
    }

    async fn withdraw_claims(
        &self,
        request: Request<proto::WithdrawClaimsRequest>,
    ) -> Result<Response<proto::WithdrawClaimsResponse>, Status> {
        let account = parse_uuid("account_id", &request.into_inner().account_id)?;
        write::reject_all_waiting(&self.commands, account).await?;
        Ok(Response::new(proto::WithdrawClaimsResponse {}))
    }
}
