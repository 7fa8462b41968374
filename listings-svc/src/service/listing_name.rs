//! Names of listings in calls of staff, and the reasons that staff give.

use contracts::listings::v1 as proto;
use kit::bad_fields::BadFields;

use crate::domain::entity::Entity;
use crate::domain::listing_name::ListingName;

pub(super) fn message(name: &ListingName) -> proto::ListingName {
    proto::ListingName {
        kind: name.entity.as_str().to_owned(),
        mode: name.mode.into(),
        name: name.key.clone(),
    }
}

/// The kind and the name for the audit, not validated.
pub(super) fn audit_subject(name: Option<&proto::ListingName>) -> (&str, &str) {
    name.map(|name| (name.kind.as_str(), name.name.as_str()))
        .unwrap_or_default()
}

/// Reads a name; `None` when it is invalid.
pub(super) fn read(name: Option<proto::ListingName>, bad: &mut BadFields) -> Option<ListingName> {
    let name = name.unwrap_or_default();
    let entity = Entity::of_listings(&name.kind).ok_or("Give page, game or event.");
    let entity = bad.read("kind", entity);
    let mode = bad.mode(name.mode);
    // PostgreSQL does not accept NUL, and no name has one.
    if name.name.contains('\0') {
        bad.add("name", "Give a slug or a handle.");
    }
    Some(ListingName {
        entity: entity?,
        mode,
        key: name.name,
    })
}

/// Reads a reason. With `required`, an empty reason is an error.
pub(super) fn reason(raw: &str, required: bool, bad: &mut BadFields) -> String {
    let reason = bad.take(kit::audit::reason(raw)).unwrap_or_default();
    if required && reason.is_empty() {
        let problem = "Give a reason: it is recorded, and the account of a rejected listing or claim sees it.";
        bad.add("reason", problem);
    }
    reason
}
