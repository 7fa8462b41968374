//! What staff did, in the audit (`kit::audit`).

use kit::audit::{self, Action as _, Entry};
use kit::rpc::staff::Member;
use serde_json::Value;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::staff_action::Action;

/// Who does what.
#[derive(Debug, Clone)]
pub struct By {
    /// Who.
    pub member: Member,
    /// What.
    pub action: Action,
}

/// Records what was done to the votes of a voter. `details` hold nothing secret.
pub async fn append(
    executor: impl PgExecutor<'_>,
    by: &By,
    voter: Uuid,
    details: Value,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let entry = Entry {
        member: &by.member,
        action: by.action.as_str(),
        entity: "voter",
        name: &voter.to_string(),
        refused: false,
        details,
    };
    audit::append(executor, SCHEMA, entry, now).await
}
