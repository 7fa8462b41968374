//! Owners and claims of pages, for staff (`listings/v1/pages.proto`).

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_page_service_server::StaffPageService;
use kit::audit::Audit;
use kit::cursor::Binding;
use kit::feed::{Writer, unexpected_outcome};
use kit::rpc::staff::Member;
use kit::{Fault, timestamp};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::claim::{self, message, parse_uuid};
use super::listing_name::{self, Problems};
use super::paging::Paging;
use crate::domain::audit_action::AuditAction;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::slug;
use crate::store::page_owners::{self as store, Owner};
use crate::store::{ListingTable as _, claims};
use crate::write::claims::{ClaimChange, ClaimDecision};
use crate::write::page_owners::{OwnerChange, OwnerOperation};
use crate::write::{Command, CommandHandler, Outcome};

#[derive(Debug)]
pub struct Service {
    pool: PgPool,
    writer: Writer<CommandHandler>,
    audit: Audit,
}

impl Service {
    pub fn new(pool: PgPool, writer: Writer<CommandHandler>, audit: Audit) -> Self {
        Self {
            pool,
            writer,
            audit,
        }
    }

    /// Adds or removes an owner; returns the owners after that.
    async fn reassign(
        &self,
        operation: OwnerOperation,
        by: Member,
    ) -> Result<Vec<proto::Owner>, Fault> {
        let command = Command::ChangeOwners(Box::new(OwnerChange { operation, by }));
        match self.writer.write(command).await?.0 {
            Outcome::OwnersChanged(owners) => Ok(owners.into_iter().map(owner).collect()),
            other => Err(unexpected_outcome(&other)),
        }
    }

    /// Grants or rejects a claim; returns the claim after that.
    async fn decide(
        &self,
        claim: Uuid,
        decision: ClaimDecision,
        by: Member,
    ) -> Result<Option<proto::Claim>, Fault> {
        let change = ClaimChange::Decide {
            claim,
            decision,
            by,
        };
        claim::write(&self.writer, change).await.map(Some)
    }

    async fn connection(&self) -> Result<sqlx::pool::PoolConnection<sqlx::Postgres>, Fault> {
        self.pool.acquire().await.map_err(Fault::from)
    }
}

async fn page(connection: &mut PgConnection, handle: String) -> Result<Uuid, Fault> {
    let not_found = || Fault::not_found("There is no page with this handle.");
    if !slug::is_valid(&handle) {
        return Err(not_found());
    }
    let found = Listing::<Page>::find(connection, Mode::Live, &[handle]).await;
    let found = found?.into_iter().next();
    Ok(found.ok_or_else(not_found)?.id)
}

async fn owners_of(connection: &mut PgConnection, page: Uuid) -> Result<Vec<proto::Owner>, Fault> {
    let owners = store::of_page(connection, page).await?;
    Ok(owners.into_iter().map(owner).collect())
}

fn owner(owner: Owner) -> proto::Owner {
    proto::Owner {
        account_id: owner.account_id.to_string(),
        by_way_of: owner.by_way_of,
        since: Some(timestamp::encode(owner.since)),
    }
}

#[tonic::async_trait]
impl StaffPageService for Service {
    async fn list_claims(
        &self,
        request: Request<proto::ListClaimsRequest>,
    ) -> Result<Response<proto::ListClaimsResponse>, Status> {
        self.audit
            .admit(&request, AuditAction::Look, ("claim", ""))
            .await?;
        let page = request.into_inner().page.unwrap_or_default();
        let mut problems = Problems::new();
        let binding = Binding::new("claims", []);
        let paging = Paging::<(i128, Uuid)>::read(binding, page.limit, &page.cursor, &mut problems);
        let paging = listing_name::finish(Some(paging), problems)?;
        let after = paging.after.and_then(|(nanos, id)| {
            Some((OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?, id))
        });
        let found = claims::list_waiting(&self.pool, after, paging.fetch_limit()).await;
        let total = claims::count_waiting(&self.pool)
            .await
            .map_err(Fault::from)?;
        let (found, next) = paging.finish(found.map_err(Fault::from)?, |claim| {
            (claim.made_at.unix_timestamp_nanos(), claim.id)
        })?;
        let page = common::PageInfo {
            total: u64::try_from(total).unwrap_or_default(),
            next_cursor: Some(next).filter(|next| !next.is_empty()),
            ..common::PageInfo::default()
        };
        Ok(Response::new(proto::ListClaimsResponse {
            claims: found.into_iter().map(message).collect(),
            page: Some(page),
        }))
    }

    async fn grant_claim(
        &self,
        request: Request<proto::GrantClaimRequest>,
    ) -> Result<Response<proto::GrantClaimResponse>, Status> {
        let action = AuditAction::GrantClaim;
        let subject = ("claim", request.get_ref().id.as_str());
        let member = self.audit.admit(&request, action, subject).await?.member;
        let id = parse_uuid("id", &request.into_inner().id)?;
        let claim = self.decide(id, ClaimDecision::Grant, member).await?;
        Ok(Response::new(proto::GrantClaimResponse { claim }))
    }

    async fn reject_claim(
        &self,
        request: Request<proto::RejectClaimRequest>,
    ) -> Result<Response<proto::RejectClaimResponse>, Status> {
        let action = AuditAction::RejectClaim;
        let subject = ("claim", request.get_ref().id.as_str());
        let member = self.audit.admit(&request, action, subject).await?.member;
        let request = request.into_inner();
        let id = parse_uuid("id", &request.id)?;
        let mut problems = Problems::new();
        let reason = listing_name::reason(&request.reason, true, &mut problems);
        let reason = listing_name::finish(Some(reason), problems)?;
        let decision = ClaimDecision::Reject(reason);
        let claim = self.decide(id, decision, member).await?;
        Ok(Response::new(proto::RejectClaimResponse { claim }))
    }

    async fn list_owners(
        &self,
        request: Request<proto::ListOwnersRequest>,
    ) -> Result<Response<proto::ListOwnersResponse>, Status> {
        let subject = ("page", request.get_ref().handle.as_str());
        self.audit
            .admit(&request, AuditAction::Look, subject)
            .await?;
        let mut connection = self.connection().await?;
        let page = page(&mut connection, request.into_inner().handle).await?;
        let owners = owners_of(&mut connection, page).await?;
        Ok(Response::new(proto::ListOwnersResponse { owners }))
    }

    async fn add_owner(
        &self,
        request: Request<proto::AddOwnerRequest>,
    ) -> Result<Response<proto::AddOwnerResponse>, Status> {
        let subject = ("page", request.get_ref().handle.as_str());
        let member = self
            .audit
            .admit(&request, AuditAction::AddOwner, subject)
            .await?
            .member;
        let request = request.into_inner();
        let account = parse_uuid("account_id", &request.account_id)?;
        let operation = OwnerOperation::Add(request.handle, account);
        let owners = self.reassign(operation, member).await?;
        Ok(Response::new(proto::AddOwnerResponse { owners }))
    }

    async fn remove_owner(
        &self,
        request: Request<proto::RemoveOwnerRequest>,
    ) -> Result<Response<proto::RemoveOwnerResponse>, Status> {
        let subject = ("page", request.get_ref().handle.as_str());
        let member = self
            .audit
            .admit(&request, AuditAction::RemoveOwner, subject)
            .await?
            .member;
        let request = request.into_inner();
        let account = parse_uuid("account_id", &request.account_id)?;
        let operation = OwnerOperation::Remove(request.handle, account);
        let owners = self.reassign(operation, member).await?;
        Ok(Response::new(proto::RemoveOwnerResponse { owners }))
    }
}
