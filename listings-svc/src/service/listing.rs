//! Single listings, by staff (`listings/v1/staff_listing.proto`).

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_listing_service_server::StaffListingService;
use kit::feed::Writer;
use kit::rpc::staff::Member;
use kit::{Fault, pg};
use sqlx::PgPool;
use tonic::{Request, Response, Status};

use super::desk::Desk;
use super::names::{self, Name, Problems};
use crate::domain::deed::Deed;
use crate::domain::state::Act;
use crate::feed;
use crate::standing::{self, Turn, none};
use crate::store::listings;
use crate::write::{Listings, Write};

/// The longest reason.
const REASON: usize = 200;

/// The service.
#[derive(Debug)]
pub struct Service {
    pool: PgPool,
    writer: Writer<Listings>,
    desk: Desk,
}

#[tonic::async_trait]
impl StaffListingService for Service {
    async fn get_listing(
        &self,
        request: Request<proto::GetListingRequest>,
    ) -> Result<Response<proto::GetListingResponse>, Status> {
        let on = names::on(request.get_ref().name.as_ref());
        self.desk.admit(&request, Deed::Look, on).await?;
        let mut problems = Problems::new();
        let name = names::read(request.into_inner().name, &mut problems);
        let name = names::finish(name, problems)?;
        let listing = find(&self.pool, &name).await?;
        Ok(Response::new(proto::GetListingResponse {
            listing: Some(listing),
        }))
    }

    async fn take_down(
        &self,
        request: Request<proto::TakeDownRequest>,
    ) -> Result<Response<proto::TakeDownResponse>, Status> {
        let by = self.admit(&request, Act::TakeDown, request.get_ref().name.as_ref());
        let by = by.await?;
        let request = request.into_inner();
        let listing = self
            .turn(Act::TakeDown, request.name, &request.reason, by)
            .await?;
        Ok(Response::new(proto::TakeDownResponse {
            listing: Some(listing),
        }))
    }

    async fn restore(
        &self,
        request: Request<proto::RestoreRequest>,
    ) -> Result<Response<proto::RestoreResponse>, Status> {
        let by = self.admit(&request, Act::Restore, request.get_ref().name.as_ref());
        let by = by.await?;
        let request = request.into_inner();
        let listing = self
            .turn(Act::Restore, request.name, &request.reason, by)
            .await?;
        Ok(Response::new(proto::RestoreResponse {
            listing: Some(listing),
        }))
    }
}

impl Service {
    /// The service that reads from `pool` and writes through `writer`.
    pub fn new(pool: PgPool, writer: Writer<Listings>, desk: Desk) -> Self {
        Self { pool, writer, desk }
    }

    async fn admit<T>(
        &self,
        request: &Request<T>,
        act: Act,
        name: Option<&proto::ListingName>,
    ) -> Result<Member, Status> {
        let deed = standing::deed(act);
        self.desk.admit(request, deed, names::on(name)).await
    }

    async fn turn(
        &self,
        act: Act,
        name: Option<proto::ListingName>,
        reason: &str,
        by: Member,
    ) -> Result<proto::Listing, Fault> {
        let mut problems = Problems::new();
        // Whoever takes something down says why.
        let reason = names::reason(reason, REASON, act == Act::TakeDown, &mut problems);
        let name = names::read(name, &mut problems);
        let name = names::finish(name, problems)?;
        let turn = Turn {
            entity: name.entity,
            mode: name.mode,
            name: name.key.clone(),
            act,
            reason,
            revision: None,
            by,
        };
        self.writer.write(Write::Turn(Box::new(turn))).await?;
        find(&self.pool, &name).await
    }
}

/// A listing as it stands.
pub(super) async fn find(pool: &PgPool, name: &Name) -> Result<proto::Listing, Fault> {
    let found = listings::find(pool, name.entity, name.mode, &name.key)
        .await
        .map_err(|error| pg::fault(&error))?
        .ok_or_else(none)?;
    Ok(proto::Listing {
        name: Some(name.into()),
        id: found.id.to_string(),
        title: found.title,
        state: feed::state(found.state.0),
        revision: found.revision,
        changed_at: Some(pg::timestamp(found.changed_at)),
        actor_kind: found.actor_kind,
        actor: found.actor,
        reason: found.reason.unwrap_or_default(),
    })
}
