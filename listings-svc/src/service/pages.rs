//! Pages that accounts submit, change and claim (`listings/v1/pages.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::pages_service_server::PagesService;
use kit::{Clock, Fault};
use sqlx::PgPool;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::claim;
use super::submissions::Submissions;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::slug;
use crate::domain::state::ListingState;
use crate::domain::text;
use crate::feed::{PublicUrl, Publish as _};
use crate::store::{ListingTable as _, claims, page_owners};
use crate::write::submission::Target;

const MAX_EVIDENCE: usize = 2_000;

#[derive(Debug)]
pub struct Service {
    submissions: Submissions,
    pool: PgPool,
    public_url: PublicUrl,
    clock: Clock,
}

impl Service {
    pub fn new(
        submissions: Submissions,
        pool: PgPool,
        public_url: PublicUrl,
        clock: Clock,
    ) -> Self {
        Self {
            submissions,
            pool,
            public_url,
            clock,
        }
    }

    async fn claim(
        &self,
        account: Uuid,
        handle: String,
        evidence: &str,
    ) -> Result<claims::Claim, Fault> {
        let evidence = text::paragraphs(evidence, MAX_EVIDENCE);
        let evidence = evidence.map_err(|problem| Fault::invalid_field("evidence", problem))?;
        if evidence.is_empty() {
            return Err(Fault::invalid_field(
                "evidence",
                "Explain how staff can verify that the page is yours.",
            ));
        }
        let not_found = || Fault::not_found("There is no public page with this handle.");
        if !slug::is_valid(&handle) {
            return Err(not_found());
        }
        let mut transaction = self.pool.begin().await?;
        let found = Listing::<Page>::find(&mut transaction, Mode::Live, &[handle]).await;
        let mut found = found?.into_iter();
        let page = found.find(|page| page.state == ListingState::Published);
        let page = page.ok_or_else(not_found)?;
        let owners = page_owners::of_page(&mut *transaction, page.id).await?;
        if owners.iter().any(|owner| owner.account_id == account) {
            return Err(Fault::invalid_field("handle", "You own this page already."));
        }
        let id = kit::ids::row_id();
        let claim = claims::insert(
            &mut transaction,
            id,
            page.id,
            account,
            &evidence,
            self.clock.now(),
        )
        .await?;
        transaction.commit().await?;
        Ok(claim)
    }
}

#[tonic::async_trait]
impl PagesService for Service {
    async fn create_page(
        &self,
        request: Request<proto::CreatePageRequest>,
    ) -> Result<Response<proto::CreatePageResponse>, Status> {
        let proto::CreatePageRequest { account_id, body } = request.into_inner();
        let written = self
            .submissions
            .submit_page(Target::NewPage, &account_id, &body)
            .await?;
        Ok(Response::new(proto::CreatePageResponse { written }))
    }

    async fn update_page(
        &self,
        request: Request<proto::UpdatePageRequest>,
    ) -> Result<Response<proto::UpdatePageResponse>, Status> {
        let request = request.into_inner();
        let target = Target::Page(request.handle);
        let written = self
            .submissions
            .submit_page(target, &request.account_id, &request.body)
            .await?;
        Ok(Response::new(proto::UpdatePageResponse { written }))
    }

    async fn list_own_pages(
        &self,
        request: Request<proto::ListOwnPagesRequest>,
    ) -> Result<Response<proto::ListOwnPagesResponse>, Status> {
        let account = claim::parse_uuid("account_id", &request.into_inner().account_id)?;
        let pages = page_owners::pages_of(&self.pool, account).await;
        let pages = pages.map_err(Fault::from)?;
        let pages = pages
            .iter()
            .map(|page| page.message(&self.public_url))
            .collect();
        Ok(Response::new(proto::ListOwnPagesResponse { pages }))
    }

    async fn claim_page(
        &self,
        request: Request<proto::ClaimPageRequest>,
    ) -> Result<Response<proto::ClaimPageResponse>, Status> {
        let request = request.into_inner();
        let account = claim::parse_uuid("account_id", &request.account_id)?;
        let made = self
            .claim(account, request.handle, &request.evidence)
            .await?;
        Ok(Response::new(proto::ClaimPageResponse {
            claim: Some(claim::message(made)),
        }))
    }

    async fn list_own_claims(
        &self,
        request: Request<proto::ListOwnClaimsRequest>,
    ) -> Result<Response<proto::ListOwnClaimsResponse>, Status> {
        let account = claim::parse_uuid("account_id", &request.into_inner().account_id)?;
        let claims = claims::of_account(&self.pool, account).await;
        let claims = claims.map_err(Fault::from)?;
        let claims = claims.into_iter().map(claim::message).collect();
        Ok(Response::new(proto::ListOwnClaimsResponse { claims }))
    }
}
