//! Edits of listings by staff.

use contracts::listings::v1 as proto;
use kit::bad_fields::BadFields;
use kit::rpc::staff::Member;
use kit::{Code, Fault};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{Service, live};
use crate::domain::body::json::{self, BadBody};
use crate::domain::entity::Entity;
use crate::domain::game;
use crate::domain::listing_name::ListingName;
use crate::domain::reference_data::ReferenceData;
use crate::service::{listing, listing_name};
use crate::store;
use crate::write::Command;
use crate::write::staff_edit::{EditOperation, StaffEdit};

impl Service {
    pub(super) async fn edit_fields(
        &self,
        request: proto::EditRequest,
        by: Member,
    ) -> Result<proto::Listing, Fault> {
        let mut bad = BadFields::default();
        let reason = listing_name::reason(&request.reason, false, &mut bad);
        let name = live(request.name, &mut bad);
        let name = bad.finish(name)?;
        let changes = json::object(request.changes.as_bytes());
        let changes = changes.map_err(|bad| match bad {
            BadBody::NotAnObject(_) => Fault::new(
                Code::BadJson,
                "Give the changes as one JSON object: each changed field with its new value.",
            ),
            BadBody::Fields(problems) => Fault::invalid(problems),
        })?;
        let reference = self.reference_data(&name, &changes).await?;
        let operation = EditOperation::SetFields(changes, Box::new(reference));
        self.apply_edit(&name, operation, reason, request.revision, by)
            .await
    }

    /// Gives a listing the content of an earlier revision.
    pub(super) async fn edit_back(
        &self,
        request: proto::RevertRequest,
        by: Member,
    ) -> Result<proto::Listing, Fault> {
        let mut bad = BadFields::default();
        let mut reason = listing_name::reason(&request.reason, false, &mut bad);
        let name = live(request.name, &mut bad);
        let name = bad.finish(name)?;
        if reason.is_empty() {
            reason = format!("Back to revision {}.", request.to_revision);
        }
        let operation = EditOperation::Revert(request.to_revision);
        self.apply_edit(&name, operation, reason, request.revision, by)
            .await
    }

    pub(super) async fn edit_featured(
        &self,
        request: proto::FeatureRequest,
        by: Member,
    ) -> Result<proto::Listing, Fault> {
        let mut bad = BadFields::default();
        let name = live(request.name, &mut bad);
        if name.as_ref().is_some_and(|n| n.entity != Entity::Game) {
            bad.add("kind", "Only games can be featured.");
        }
        let name = bad.finish(name)?;
        let operation = EditOperation::Feature(request.featured);
        self.apply_edit(&name, operation, String::new(), None, by)
            .await
    }

    pub(super) async fn edit_verified(
        &self,
        request: proto::VerifyRequest,
        by: Member,
    ) -> Result<proto::Listing, Fault> {
        let mut bad = BadFields::default();
        let name = live(request.name, &mut bad);
        if name.as_ref().is_some_and(|n| n.entity != Entity::Page) {
            bad.add("kind", "Only pages can be verified.");
        }
        let name = bad.finish(name)?;
        let operation = EditOperation::Verify(request.verified);
        self.apply_edit(&name, operation, String::new(), request.revision, by)
            .await
    }

    pub(super) async fn edit_owner(
        &self,
        request: proto::ReassignRequest,
        by: Member,
    ) -> Result<proto::Listing, Fault> {
        let mut bad = BadFields::default();
        let reason = listing_name::reason(&request.reason, false, &mut bad);
        let name = live(request.name, &mut bad);
        let operation = match name.as_ref().map(|name| name.entity) {
            Some(Entity::Game) => Some(EditOperation::MoveToPage(request.to)),
            Some(Entity::Event) => request
                .to
                .parse::<Uuid>()
                .ok()
                .map(EditOperation::AssignToAccount),
            Some(Entity::Page) => {
                let reason = "Add or remove owners to give a page to another account.";
                bad.add("kind", reason);
                None
            }
            _ => None,
        };
        if operation.is_none() {
            let reason = "Give the id of an account for an event, the handle of a page for a game.";
            bad.add("to", reason);
        }
        let (name, operation) = bad.finish(name.zip(operation))?;
        self.apply_edit(&name, operation, reason, None, by).await
    }

    async fn reference_data(
        &self,
        name: &ListingName,
        changes: &Map<String, Value>,
    ) -> Result<ReferenceData, sqlx::Error> {
        let mut connection = self.pool.acquire().await?;
        let cache = &self.commands.reference_data;
        let data = cache.get(&mut connection, self.clock.now()).await?;
        let mut reference = ReferenceData::clone(&data);
        if name.entity == Entity::Game {
            let handles: Vec<String> = game::handles(changes).map(ToOwned::to_owned).collect();
            reference.creators =
                store::reference_data::creators(&mut *connection, name.mode, &handles).await?;
        }
        Ok(reference)
    }

    async fn apply_edit(
        &self,
        name: &ListingName,
        operation: EditOperation,
        reason: String,
        revision: Option<i64>,
        by: Member,
    ) -> Result<proto::Listing, Fault> {
        let edit = StaffEdit {
            listing: name.clone(),
            operation,
            reason,
            revision,
            by,
        };
        self.writer
            .write(Command::StaffEdit(Box::new(edit)))
            .await?;
        listing::find(&self.pool, name).await
    }
}
