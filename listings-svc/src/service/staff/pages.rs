//! Owners and claims of pages, for staff (`listings/v1/pages.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_page_service_server::StaffPageService;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::timestamp;
use kit::rpc::respond;
use sqlx::PgPool;
use tonic::{Request, Response, Status};

use crate::domain::audit_action::AuditAction;
use crate::domain::claim::ClaimState;
use crate::domain::listing_name::ListingName;
use crate::domain::state::OwnershipChange;
use crate::service::ids::parse_uuid;
use crate::service::listing_name;
use crate::service::{Service, claims};
use crate::store::listings;
use crate::store::page_owners::{self as store, Owner};
use crate::write::absent::page_not_found;
use crate::write::claims as write;
use crate::write::page_owners;

/// The owners of the page with this handle.
async fn owners_of(pool: &PgPool, handle: &str) -> Result<Vec<proto::Owner>, Fault> {
    let mut connection = pool.acquire().await?;
    let page = listings::find(&mut *connection, &ListingName::page(handle))
        .await?
        .ok_or_else(page_not_found)?;
    let owners = store::list(&mut *connection, page.id).await?;
    Ok(owners.into_iter().map(owner).collect())
}

fn owner(owner: Owner) -> proto::Owner {
    proto::Owner {
        account_id: owner.account_id.to_string(),
        source: owner.source,
        since: Some(timestamp::encode(owner.since)),
    }
}

impl Service {
    /// Adds an account to the owners of the page with this handle, or removes it. Returns the owners after that.
    async fn change_owners<T>(
        &self,
        request: &Request<T>,
        change: OwnershipChange,
        handle: &str,
        account: &str,
    ) -> Result<Vec<proto::Owner>, Status> {
        let by = self.audit.admit(request, change.audit_action(), ("page", handle)).await?;
        let account = parse_uuid("account_id", account)?;
        let owners = page_owners::apply(&self.commands, change, handle, account, by).await?;
        Ok(owners.into_iter().map(owner).collect())
    }
}

#[tonic::async_trait]
impl StaffPageService for Service {
    async fn list_claims(
        &self,
        request: Request<proto::ListClaimsRequest>,
    ) -> Result<Response<proto::ListClaimsResponse>, Status> {
        self.audit.admit(&request, AuditAction::Look, ("claim", "")).await?;
        respond(self.waiting_claims(request.into_inner().page).await)
    }

    async fn grant_claim(
        &self,
        request: Request<proto::GrantClaimRequest>,
    ) -> Result<Response<proto::GrantClaimResponse>, Status> {
        let action = OwnershipChange::GrantClaim.audit_action();
        let subject = ("claim", request.get_ref().id.as_str());
        let member = self.audit.admit(&request, action, subject).await?.member;
        let id = parse_uuid("id", &request.into_inner().id)?;
        let decided = write::decide(&self.commands, id, ClaimState::Granted, "", member).await?;
        let claim = Some(claims::message(decided));
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
        let mut bad = BadFields::default();
        let reason = listing_name::reason(&request.reason, true, &mut bad);
        let reason = bad.finish(Some(reason))?;
        let rejected = ClaimState::Rejected;
        let decided = write::decide(&self.commands, id, rejected, &reason, member).await?;
        let claim = Some(claims::message(decided));
        Ok(Response::new(proto::RejectClaimResponse { claim }))
    }

    async fn list_owners(
        &self,
        request: Request<proto::ListOwnersRequest>,
    ) -> Result<Response<proto::ListOwnersResponse>, Status> {
        let subject = ("page", request.get_ref().handle.as_str());
        let action = AuditAction::Look;
        self.audit.admit(&request, action, subject).await?;
        let owners = owners_of(&self.pool, &request.into_inner().handle).await?;
        Ok(Response::new(proto::ListOwnersResponse { owners }))
    }

    async fn add_owner(
        &self,
        request: Request<proto::AddOwnerRequest>,
    ) -> Result<Response<proto::AddOwnerResponse>, Status> {
        let proto::AddOwnerRequest { handle, account_id } = request.get_ref();
        let change = OwnershipChange::AddOwner;
        let owners = self.change_owners(&request, change, handle, account_id).await?;
        Ok(Response::new(proto::AddOwnerResponse { owners }))
    }

    async fn remove_owner(
        &self,
        request: Request<proto::RemoveOwnerRequest>,
    ) -> Result<Response<proto::RemoveOwnerResponse>, Status> {
        let proto::RemoveOwnerRequest { handle, account_id } = request.get_ref();
        let change = OwnershipChange::RemoveOwner;
        let owners = self.change_owners(&request, change, handle, account_id).await?;
        Ok(Response::new(proto::RemoveOwnerResponse { owners }))
    }
}
