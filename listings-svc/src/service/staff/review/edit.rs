//! Edits of listings by staff.

use contracts::listings::v1 as proto;
use kit::api::bad_fields::BadFields;
use kit::rpc::staff::Member;
use kit::{Code, Fault};
use serde_json::{Map, Value};

use super::{Service, live};
use crate::domain::audit_action::AuditAction;
use crate::domain::entity::Entity;
use crate::domain::game;
use crate::domain::json_body::{self, BadBody};
use crate::domain::listing_name::ListingName;
use crate::domain::reference_data::ReferenceData;
use crate::service::listing_name;
use crate::service::staff::listings;
use crate::store;
use crate::write::staff_edit::{self, EditOperation, StaffEdit};

/// Fields that only admins change.
const FIELDS_OF_ADMINS: [&str; 4] = ["featured", "verified", "creator", "account"];

/// The action of an edit, by the fields that it names. The parser is that of the edit, which refuses what cannot be parsed here: another
/// parser may refuse what the edit accepts, and a reviewer could set fields of admins.
pub(super) fn action(changes: &str) -> AuditAction {
    let changes = json_body::object(changes.as_bytes()).unwrap_or_default();
    let is_of_admins = |field: &&str| changes.contains_key(*field);
    if FIELDS_OF_ADMINS.iter().any(is_of_admins) {
        AuditAction::EditAsAdmin
    } else {
        AuditAction::Edit
    }
}

impl Service {
    pub(super) async fn edit_fields(
        &self,
        request: proto::EditRequest,
        action: AuditAction,
        by: Member,
    ) -> Result<proto::Listing, Fault> {
        let mut bad = BadFields::default();
        let reason = listing_name::reason(&request.reason, false, &mut bad);
        let name = live(request.name, &mut bad);
        let name = bad.finish(name)?;
        let changes = json_body::object(request.changes.as_bytes());
        let changes = changes.map_err(|bad| match bad {
            BadBody::NotAnObject(_) => Fault::new(
                Code::BadJson,
                "Give the changes as one JSON object: each changed field with its new value.",
            ),
            BadBody::Fields(problems) => Fault::invalid(problems),
        })?;
        let reference = self.reference_data(&name, &changes).await?;
        let operation = EditOperation::SetFields(changes, Box::new(reference), action);
        self.apply_edit(&name, operation, reason, request.revision, by).await
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
        self.apply_edit(&name, operation, reason, request.revision, by).await
    }

    async fn reference_data(
        &self,
        name: &ListingName,
        changes: &Map<String, Value>,
    ) -> Result<ReferenceData, sqlx::Error> {
        let mut reference = ReferenceData {
            public_url: self.commands.public_url.as_str().to_owned(),
            ..ReferenceData::at(self.clock.now())
        };
        if name.entity == Entity::Game {
            let handles: Vec<String> = game::handles(changes).map(ToOwned::to_owned).collect();
            reference.creators =
                store::reference_data::creators(&self.pool, name.mode, &handles).await?;
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
        let edit = StaffEdit { listing: name.clone(), operation, reason, revision, by };
        staff_edit::apply(&self.commands, &edit).await?;
        listings::find(&self.pool, name).await
    }
}
