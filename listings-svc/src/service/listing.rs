//! Single listings, for staff (`listings/v1/staff_listing.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_listing_service_server::StaffListingService;
use kit::audit::Audit;
use kit::bad_fields::BadFields;
use kit::{Fault, timestamp};
use sqlx::PgPool;
use tonic::{Request, Response, Status};

use super::listing_name::{self, ListingName};
use crate::domain::audit_action::AuditAction;
use crate::feed;
use crate::store::listings;
use crate::write::moderate::listing_not_found;

#[derive(Debug)]
pub struct Service {
    pool: PgPool,
    audit: Audit,
}

#[tonic::async_trait]
impl StaffListingService for Service {
    async fn get_listing(
        &self,
        request: Request<proto::GetListingRequest>,
    ) -> Result<Response<proto::GetListingResponse>, Status> {
        let subject = listing_name::audit_subject(request.get_ref().name.as_ref());
        self.audit
            .admit(&request, AuditAction::Look, subject)
            .await?;
        let mut bad = BadFields::default();
        let name = listing_name::read(request.into_inner().name, &mut bad);
        let name = bad.finish(name)?;
        let listing = find(&self.pool, &name).await?;
        Ok(Response::new(proto::GetListingResponse {
            listing: Some(listing),
        }))
    }
}

impl Service {
    pub fn new(pool: PgPool, audit: Audit) -> Self {
        Self { pool, audit }
    }
}

pub(super) async fn find(pool: &PgPool, name: &ListingName) -> Result<proto::Listing, Fault> {
    let found = listings::find(pool, name.entity, name.mode, &name.key)
        .await?
        .ok_or_else(listing_not_found)?;
    Ok(proto::Listing {
        name: Some(name.into()),
        id: found.id.to_string(),
        title: found.title,
        state: feed::state(found.state.0),
        revision: found.revision,
        changed_at: Some(timestamp::encode(found.changed_at)),
        actor_kind: found.actor_kind,
        actor: found.actor,
        reason: found.reason.unwrap_or_default(),
    })
}
