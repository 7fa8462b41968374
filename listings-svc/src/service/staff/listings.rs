//! Single listings and the writes of an account, for staff (`listings/v1/staff_listing.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_listing_service_server::StaffListingService;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::timestamp;
use sqlx::PgPool;
use tonic::{Request, Response, Status};

use crate::domain::audit_action::AuditAction;
use crate::domain::listing_name::ListingName;
use crate::feed;
use crate::service::Service;
use crate::service::ids::parse_uuid;
use crate::service::listing_name;
use crate::store::{accounts, history};
use crate::write::absent::listing_not_found;

#[tonic::async_trait]
impl StaffListingService for Service {
    async fn get_listing(
        &self,
        request: Request<proto::GetListingRequest>,
    ) -> Result<Response<proto::GetListingResponse>, Status> {
        let subject = listing_name::audit_subject(request.get_ref().name.as_ref());
        let action = AuditAction::Look;
        self.audit.admit(&request, action, subject).await?;
        let mut bad = BadFields::default();
        let name = listing_name::read(request.into_inner().name, &mut bad);
        let name = bad.finish(name)?;
        let listing = find(&self.pool, &name).await?;
        Ok(Response::new(proto::GetListingResponse { listing: Some(listing) }))
    }

    async fn get_account_writes(
        &self,
        request: Request<proto::GetAccountWritesRequest>,
    ) -> Result<Response<proto::GetAccountWritesResponse>, Status> {
        let on = ("account", request.get_ref().account_id.as_str());
        self.audit.admit(&request, AuditAction::Look, on).await?;
        let account = parse_uuid("account_id", &request.into_inner().account_id)?;
        let now = kit::pg::now(&self.pool, &self.clock).await;
        let today = now.map_err(Fault::from)?.date();
        let written = accounts::writes_on(&self.pool, account, today).await.map_err(Fault::from)?;
        Ok(Response::new(proto::GetAccountWritesResponse {
            writes_today: u32::try_from(written).unwrap_or_default(),
        }))
    }
}

pub(super) async fn find(pool: &PgPool, name: &ListingName) -> Result<proto::Listing, Fault> {
    let found = history::status(pool, name).await?.ok_or_else(listing_not_found)?;
    Ok(proto::Listing {
        name: Some(listing_name::message(name.entity.as_str(), name.mode, name.key.clone())),
        id: found.id.to_string(),
        title: found.title,
        state: feed::stored_state(&found.state),
        revision: found.revision,
        changed_at: Some(timestamp::encode(found.changed_at)),
        actor_kind: found.actor_kind,
        actor: found.actor,
        reason: found.reason.unwrap_or_default(),
    })
}
