//! Whose pages are, by staff (`listings/v1/pages.proto`).

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_page_service_server::StaffPageService;
use kit::audit::{self, Action as _, Audit, Entry};
use kit::cursor::Binding;
use kit::feed::Writer;
use kit::rpc::staff::Member;
use kit::{Clock, Fault, timestamp};
use serde_json::json;
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::claim::{id, message};
use super::names::{self, Problems};
use super::paging::Paging;
use crate::SCHEMA;
use crate::domain::deed::Deed;
use crate::domain::entity::Entity;
use crate::domain::listing::Listing;
use crate::domain::mode::Mode;
use crate::domain::page::Page;
use crate::domain::slug;
use crate::domain::text;
use crate::store::owners::{self, Owner};
use crate::store::{Found as _, claims};
use crate::write::ownership::{self, Ownership, What};
use crate::write::{Done, Listings, Write};

/// The longest reason.
const REASON: usize = 500;

/// The service.
#[derive(Debug)]
pub struct Service {
    pool: PgPool,
    writer: Writer<Listings>,
    clock: Clock,
    audit: Audit,
}

impl Service {
    /// Over `pool`, for those whom `audit` admits; owners change through `writer`.
    pub fn new(pool: PgPool, writer: Writer<Listings>, clock: Clock, audit: Audit) -> Self {
        Self {
            pool,
            writer,
            clock,
            audit,
        }
    }

    /// Has the writer change the owners of a page.
    async fn write(&self, what: What, by: Member) -> Result<Done, Fault> {
        let ownership = Write::Own(Box::new(Ownership { what, by }));
        let (done, _position) = self.writer.write(ownership).await?;
        Ok(done)
    }

    /// Gives a page to an account, or takes it from it; the owners after that.
    async fn reassign(&self, what: What, by: Member) -> Result<Vec<proto::Owner>, Fault> {
        match self.write(what, by).await? {
            Done::Owned(owners) => Ok(owners.into_iter().map(owner).collect()),
            other => Err(unexpected(&other)),
        }
    }

    /// Rejects a claim. One that was granted before stays as it is.
    async fn reject(
        &self,
        member: &Member,
        id: Uuid,
        reason: &str,
    ) -> Result<claims::Claim, Fault> {
        let now = self.clock.now();
        let mut transaction = self.pool.begin().await?;
        let claim = claims::lock(&mut transaction, id).await?;
        let claim = claim.ok_or_else(ownership::no_claim)?;
        if claim.state == "rejected" {
            return Ok(claim);
        }
        if claim.state != "waiting" {
            return Err(ownership::decided(&claim));
        }
        claims::decide(&mut transaction, id, "rejected", reason, now).await?;
        let entry = Entry {
            member,
            action: Deed::RejectClaim.as_str(),
            entity: Entity::Page.as_str(),
            name: &claim.handle,
            refused: false,
            details: json!({"claim": id, "account": claim.account_id, "reason": reason}),
        };
        audit::append(&mut *transaction, SCHEMA, entry, now).await?;
        transaction.commit().await?;
        Ok(claims::Claim {
            state: "rejected".to_owned(),
            reason: reason.to_owned(),
            decided_at: Some(now),
            ..claim
        })
    }

    async fn connection(&self) -> Result<sqlx::pool::PoolConnection<sqlx::Postgres>, Fault> {
        self.pool.acquire().await.map_err(Fault::from)
    }
}

fn unexpected(done: &Done) -> Fault {
    let error = format!("the owners of a page were to change, and came to {done:?}");
    Fault::internal(&std::io::Error::other(error))
}

async fn page(connection: &mut PgConnection, handle: String) -> Result<Uuid, Fault> {
    let none = || Fault::not_found("there is no page with this handle");
    if !slug::is_valid(&handle) {
        return Err(none());
    }
    let found = Listing::<Page>::find(connection, Mode::Live, &[handle]).await;
    let found = found?.into_iter().next();
    Ok(found.ok_or_else(none)?.id)
}

async fn owners_of(connection: &mut PgConnection, page: Uuid) -> Result<Vec<proto::Owner>, Fault> {
    let owners = owners::of_page(connection, page).await?;
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
            .admit(&request, Deed::Look, ("claim", ""))
            .await?;
        let page = request.into_inner().page.unwrap_or_default();
        let mut problems = Problems::new();
        let binding = Binding::new("claims", []);
        let paging = Paging::<(i128, Uuid)>::read(binding, page.limit, &page.cursor, &mut problems);
        let paging = names::finish(Some(paging), problems)?;
        let after = paging.after.and_then(|(nanos, id)| {
            Some((OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?, id))
        });
        let found = claims::waiting(&self.pool, after, paging.fetch()).await;
        let total = claims::count(&self.pool).await.map_err(Fault::from)?;
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
        let deed = Deed::GrantClaim;
        let on = ("claim", request.get_ref().id.as_str());
        let member = self.audit.admit(&request, deed, on).await?.member;
        let id = id("id", &request.into_inner().id)?;
        let claim = match self.write(What::Grant(id), member).await? {
            Done::Granted(claim) => Some(message(*claim)),
            other => return Err(unexpected(&other).into()),
        };
        Ok(Response::new(proto::GrantClaimResponse { claim }))
    }

    async fn reject_claim(
        &self,
        request: Request<proto::RejectClaimRequest>,
    ) -> Result<Response<proto::RejectClaimResponse>, Status> {
        let deed = Deed::RejectClaim;
        let on = ("claim", request.get_ref().id.as_str());
        let member = self.audit.admit(&request, deed, on).await?.member;
        let request = request.into_inner();
        let id = id("id", &request.id)?;
        let reason = text::line(&request.reason, REASON).and_then(|reason| match reason.as_str() {
            "" => Err("Say why: the account is shown it.".to_owned()),
            _ => Ok(reason),
        });
        let reason = reason.map_err(|problem| Fault::invalid_field("reason", problem))?;
        let claim = Some(message(self.reject(&member, id, &reason).await?));
        Ok(Response::new(proto::RejectClaimResponse { claim }))
    }

    async fn list_owners(
        &self,
        request: Request<proto::ListOwnersRequest>,
    ) -> Result<Response<proto::ListOwnersResponse>, Status> {
        let on = ("page", request.get_ref().handle.as_str());
        self.audit.admit(&request, Deed::Look, on).await?;
        let mut connection = self.connection().await?;
        let page = page(&mut connection, request.into_inner().handle).await?;
        let owners = owners_of(&mut connection, page).await?;
        Ok(Response::new(proto::ListOwnersResponse { owners }))
    }

    async fn add_owner(
        &self,
        request: Request<proto::AddOwnerRequest>,
    ) -> Result<Response<proto::AddOwnerResponse>, Status> {
        let on = ("page", request.get_ref().handle.as_str());
        let member = self.audit.admit(&request, Deed::Reassign, on).await?.member;
        let request = request.into_inner();
        let account = id("account_id", &request.account_id)?;
        let what = What::Add(request.handle, account);
        let owners = self.reassign(what, member).await?;
        Ok(Response::new(proto::AddOwnerResponse { owners }))
    }

    async fn remove_owner(
        &self,
        request: Request<proto::RemoveOwnerRequest>,
    ) -> Result<Response<proto::RemoveOwnerResponse>, Status> {
        let on = ("page", request.get_ref().handle.as_str());
        let member = self.audit.admit(&request, Deed::Reassign, on).await?.member;
        let request = request.into_inner();
        let account = id("account_id", &request.account_id)?;
        let what = What::Remove(request.handle, account);
        let owners = self.reassign(what, member).await?;
        Ok(Response::new(proto::RemoveOwnerResponse { owners }))
    }
}
