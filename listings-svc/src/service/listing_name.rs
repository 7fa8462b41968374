//! Kinds and names of listings in calls, and the reasons that staff give.

use contracts::listings::v1 as proto;
use kit::Fault;
use kit::api::bad_fields::BadFields;

use crate::domain::entity::Entity;
use crate::domain::listing_name::ListingName;
use crate::domain::mode::Mode;

pub(super) fn message(kind: impl Into<String>, mode: Mode, name: String) -> proto::ListingName {
    proto::ListingName { kind: kind.into(), mode: mode.into(), name }
}

/// The kind and the name for the audit, not validated.
pub(super) fn audit_subject(name: Option<&proto::ListingName>) -> (&str, &str) {
    name.map(|name| (name.kind.as_str(), name.name.as_str())).unwrap_or_default()
}

/// Parses a kind of listing.
pub(super) fn parse_kind(kind: &str) -> Result<Entity, Fault> {
    let entity = kind.parse().ok();
    entity.ok_or_else(|| Fault::invalid_field("kind", "Give page, game or event."))
}

/// Reads a name; `None` when it is invalid.
pub(super) fn read(name: Option<proto::ListingName>, bad: &mut BadFields) -> Option<ListingName> {
    let name = name.unwrap_or_default();
    let entity = bad.take(parse_kind(&name.kind));
    let mode = bad.mode(name.mode);
    // PostgreSQL does not accept NUL, and no name has one.
    if name.name.contains('\0') {
        bad.add("name", "Give a slug or a handle.");
    }
    Some(ListingName { entity: entity?, mode, key: name.name })
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
