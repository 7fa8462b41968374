//! What staff did, in the audit (`kit::audit`).

use kit::audit::{self, Action as _, Entry};
use kit::rpc::staff::Member;
use serde_json::Value;
use sqlx::PgExecutor;
use time::OffsetDateTime;

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

/// What it is done to, and what else there is to know.
#[derive(Debug, Clone)]
pub struct Subject {
    /// `currency`, `report` or `swaps`.
    pub entity: &'static str,
    /// Its slug or number.
    pub name: String,
    /// Nothing secret.
    pub details: Value,
}

/// Records what was done.
pub async fn append(
    executor: impl PgExecutor<'_>,
    by: &By,
    subject: Subject,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let entry = Entry {
        member: &by.member,
        action: by.action.as_str(),
        entity: subject.entity,
        name: &subject.name,
        refused: false,
        details: subject.details,
    };
    audit::append(executor, SCHEMA, entry, now).await
}
