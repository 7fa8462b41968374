//! The review: staff decide on submissions and maintain listings (`listings/v1/staff_review.proto`).

mod decide;
mod edit;
mod inspect;

use contracts::listings::v1 as proto;
use contracts::listings::v1::staff_review_service_server::StaffReviewService;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::rpc::respond;
use kit::rpc::staff::Member;
use tonic::{Request, Response, Status};

use crate::domain::audit_action::AuditAction;
use crate::domain::entity::Entity;
use crate::domain::listing_name::ListingName;
use crate::domain::mode::Mode;
use crate::feed;
use crate::service::{Service, listing_name};
use crate::store::queue::Item;

impl Service {
    async fn admit<T>(
        &self,
        request: &Request<T>,
        action: AuditAction,
        name: Option<&proto::ListingName>,
    ) -> Result<Member, Status> {
        let by = self.audit.admit(request, action, listing_name::audit_subject(name)).await?;
        Ok(by.member)
    }
}

#[tonic::async_trait]
impl StaffReviewService for Service {
    async fn list_queue(
        &self,
        request: Request<proto::ListQueueRequest>,
    ) -> Result<Response<proto::ListQueueResponse>, Status> {
        self.admit(&request, AuditAction::Look, None).await?;
        respond(self.list_waiting(request.into_inner()).await)
    }

    async fn get_review(
        &self,
        request: Request<proto::GetReviewRequest>,
    ) -> Result<Response<proto::GetReviewResponse>, Status> {
        let name = request.get_ref().name.as_ref();
        self.admit(&request, AuditAction::Look, name).await?;
        let mut bad = BadFields::default();
        let proto::GetReviewRequest { name, revision } = request.into_inner();
        let name = listing_name::read(name, &mut bad);
        let name = bad.finish(name)?;
        let seen = Some(revision).filter(|revision| *revision != 0);
        respond(self.review(&name, seen).await)
    }

    async fn decide(
        &self,
        request: Request<proto::DecideRequest>,
    ) -> Result<Response<proto::DecideResponse>, Status> {
        let member = Member::of(&request)?;
        let results = self.decide_all(request.into_inner(), &member).await?;
        Ok(Response::new(proto::DecideResponse { results }))
    }

    async fn edit(
        &self,
        request: Request<proto::EditRequest>,
    ) -> Result<Response<proto::EditResponse>, Status> {
        let name = request.get_ref().name.as_ref();
        let action = edit::action(&request.get_ref().changes);
        let by = self.admit(&request, action, name).await?;
        let listing = self.edit_fields(request.into_inner(), action, by).await?;
        Ok(Response::new(proto::EditResponse { listing: Some(listing) }))
    }

    async fn revert(
        &self,
        request: Request<proto::RevertRequest>,
    ) -> Result<Response<proto::RevertResponse>, Status> {
        let name = request.get_ref().name.as_ref();
        let by = self.admit(&request, AuditAction::Revert, name).await?;
        let listing = self.edit_back(request.into_inner(), by).await?;
        Ok(Response::new(proto::RevertResponse { listing: Some(listing) }))
    }

    async fn search(
        &self,
        request: Request<proto::SearchRequest>,
    ) -> Result<Response<proto::SearchResponse>, Status> {
        self.admit(&request, AuditAction::Look, None).await?;
        respond(self.search_listings(request.into_inner()).await)
    }
}

/// Reads the name of a live listing; samples are not edited.
fn live(name: Option<proto::ListingName>, bad: &mut BadFields) -> Option<ListingName> {
    let name = listing_name::read(name, bad)?;
    if name.mode != Mode::Live {
        let reason = "Only live listings are edited; samples are imported.";
        bad.add("mode", reason);
    }
    Some(name)
}

/// Reads a filter by kind; empty for all kinds.
fn kind(text: &str) -> Result<Option<Entity>, Fault> {
    if text.is_empty() {
        return Ok(None);
    }
    let kind = text.parse().ok();
    kind.map(Some).ok_or_else(|| {
        Fault::invalid_field("kind", "Give page, game or event, or leave it out for all kinds.")
    })
}

fn item(item: Item, mode: Mode) -> proto::QueueItem {
    proto::QueueItem {
        name: Some(listing_name::message(item.kind, mode, item.name)),
        title: item.title,
        submitter: item.submitter.map(|id| id.to_string()).unwrap_or_default(),
        waiting_since: item.waiting_since.map(kit::api::timestamp::encode),
        revision: item.revision,
        page: item.page.unwrap_or_default(),
        page_state: (item.page_state).map_or(0, |state| feed::stored_state(&state)),
    }
}
