//! Single listings, by staff (`listings/v1/staff_listing.proto`).

use std::collections::BTreeMap;

use contracts::common::v1 as common;
use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_listing_service_server::StaffListingService;
use kit::feed::Writer;
use kit::{Fault, pg};
use sqlx::PgPool;
use tonic::{Request, Response, Status};

use crate::domain::entity::Entity;
use crate::domain::mode::Mode;
use crate::domain::state::Act;
use crate::domain::text;
use crate::feed;
use crate::standing::{Turn, none};
use crate::store::listings;
use crate::write::{Listings, Write};

/// The longest reason.
const REASON: usize = 200;

/// The service.
#[derive(Debug)]
pub struct Service {
    pool: PgPool,
    writer: Writer<Listings>,
}

/// A listing as staff name it.
struct Name {
    entity: Entity,
    mode: Mode,
    /// A slug, or a handle.
    key: String,
}

#[tonic::async_trait]
impl StaffListingService for Service {
    async fn get_listing(
        &self,
        request: Request<proto::GetListingRequest>,
    ) -> Result<Response<proto::GetListingResponse>, Status> {
        let mut problems = BTreeMap::new();
        let name = read_name(request.into_inner().name, &mut problems);
        let name = finish(name, problems)?;
        let listing = self.find(&name).await?;
        Ok(Response::new(proto::GetListingResponse {
            listing: Some(listing),
        }))
    }

    async fn take_down(
        &self,
        request: Request<proto::TakeDownRequest>,
    ) -> Result<Response<proto::TakeDownResponse>, Status> {
        let request = request.into_inner();
        let listing = self
            .turn(Act::TakeDown, request.name, &request.reason)
            .await?;
        Ok(Response::new(proto::TakeDownResponse {
            listing: Some(listing),
        }))
    }

    async fn restore(
        &self,
        request: Request<proto::RestoreRequest>,
    ) -> Result<Response<proto::RestoreResponse>, Status> {
        let request = request.into_inner();
        let listing = self
            .turn(Act::Restore, request.name, &request.reason)
            .await?;
        Ok(Response::new(proto::RestoreResponse {
            listing: Some(listing),
        }))
    }
}

impl Service {
    /// The service that reads from `pool` and writes through `writer`.
    pub fn new(pool: PgPool, writer: Writer<Listings>) -> Self {
        Self { pool, writer }
    }

    async fn turn(
        &self,
        act: Act,
        name: Option<proto::ListingName>,
        reason: &str,
    ) -> Result<proto::Listing, Fault> {
        let mut problems = BTreeMap::new();
        let reason = read_reason(act, reason, &mut problems);
        let name = read_name(name, &mut problems);
        let name = finish(name, problems)?;
        let turn = Turn {
            entity: name.entity,
            mode: name.mode,
            name: name.key.clone(),
            act,
            reason,
        };
        self.writer.write(Write::Turn(Box::new(turn))).await?;
        self.find(&name).await
    }

    async fn find(&self, name: &Name) -> Result<proto::Listing, Fault> {
        shown(&self.pool, name.entity, name.mode, &name.key).await
    }
}

/// The listing of that kind and name, as staff see it.
pub(super) async fn shown(
    pool: &PgPool,
    entity: Entity,
    mode: Mode,
    key: &str,
) -> Result<proto::Listing, Fault> {
    let found = listings::find(pool, entity, mode, key)
        .await
        .map_err(|error| pg::fault(&error))?
        .ok_or_else(none)?;
    Ok(proto::Listing {
        name: Some(proto::ListingName {
            kind: entity.as_str().to_owned(),
            mode: feed::mode(mode),
            name: key.to_owned(),
        }),
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

pub(super) type Problems = BTreeMap<String, String>;

/// Reads a name; `None` when there is a problem with it.
fn read_name(name: Option<proto::ListingName>, problems: &mut Problems) -> Option<Name> {
    let name = name.unwrap_or_default();
    let entity = Entity::parse(&name.kind).filter(|entity| entity.is_listing());
    if entity.is_none() {
        problems.insert("kind".to_owned(), "page, game or event".to_owned());
    }
    let mode = read_mode(name.mode(), problems);
    Some(Name {
        entity: entity?,
        mode: mode?,
        key: name.name,
    })
}

/// Reads which world a listing belongs to.
pub(super) fn read_mode(mode: common::Mode, problems: &mut Problems) -> Option<Mode> {
    match mode {
        common::Mode::Live => Some(Mode::Live),
        common::Mode::Test => Some(Mode::Test),
        common::Mode::Unspecified => {
            problems.insert("mode".to_owned(), "live or test".to_owned());
            None
        }
    }
}

/// Reads a reason. Whoever takes something down says why.
fn read_reason(act: Act, reason: &str, problems: &mut Problems) -> String {
    let reason = text::line(reason, REASON).and_then(|reason| match act {
        Act::TakeDown if reason.is_empty() => Err("Say why, for the record.".to_owned()),
        _ => Ok(reason),
    });
    reason.unwrap_or_else(|problem| {
        problems.insert("reason".to_owned(), problem);
        String::new()
    })
}

fn finish(name: Option<Name>, problems: Problems) -> Result<Name, Fault> {
    match name {
        Some(name) if problems.is_empty() => Ok(name),
        _ => Err(Fault::invalid(problems)),
    }
}
