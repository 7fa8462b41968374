//! Ids in calls.

use kit::Fault;
use uuid::Uuid;

/// Parses the id of an account, or of a claim.
pub(super) fn parse_uuid(field: &str, text: &str) -> Result<Uuid, Fault> {
    text.parse().map_err(|_bad| Fault::invalid_field(field, "Give a UUID."))
}
