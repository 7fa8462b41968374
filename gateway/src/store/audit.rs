//! What staff did.

use kit::ids;
use kit::rpc::staff::Member;
use serde_json::Value;
use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

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
    /// `account`, `key`, `key_request` or `switch`.
    pub entity: &'static str,
    /// Its e-mail address, id or name.
    pub name: String,
    /// Nothing secret.
    pub details: Value,
}

/// A row.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of gateway.audit")]
pub struct Row {
    pub id: Uuid,
    pub at: OffsetDateTime,
    pub member: String,
    pub role: String,
    pub action: String,
    pub entity: String,
    pub name: String,
    pub refused: bool,
    pub details: Value,
}

/// Which rows are wanted; an absent filter does not filter.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "the columns of gateway.audit")]
pub struct Filter {
    pub member: Option<String>,
    pub action: Option<Action>,
    pub entity: Option<String>,
    pub name: Option<String>,
    /// Not before this.
    pub since: Option<OffsetDateTime>,
}

/// Adds a row: of what was done, or was `refused` for want of a role.
pub async fn append(
    executor: impl PgExecutor<'_>,
    by: &By,
    subject: &Subject,
    refused: bool,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into gateway.audit (id, at, member, role, action, entity, name, refused, details)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        ids::row_id(),
        now,
        by.member.name,
        by.member.role.as_str(),
        by.action.as_str(),
        subject.entity,
        subject.name,
        refused,
        subject.details
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Rows, the newest first, those after `after`.
pub async fn page(
    pool: &PgPool,
    filter: &Filter,
    after: Option<(OffsetDateTime, Uuid)>,
    limit: i64,
) -> Result<Vec<Row>, sqlx::Error> {
    let (after_at, after_id) = after.unzip();
    sqlx::query_as!(
        Row,
        "select id, at, member, role, action, entity, name, refused, details from gateway.audit
         where ($1::text is null or member = $1) and ($2::text is null or action = $2)
             and ($3::text is null or entity = $3) and ($4::text is null or name = $4)
             and ($5::timestamptz is null or at >= $5)
             and ($6::timestamptz is null or (at, id) < ($6, $7::uuid))
         order by at desc, id desc limit $8",
        filter.member.as_deref(),
        filter.action.map(Action::as_str),
        filter.entity.as_deref(),
        filter.name.as_deref(),
        filter.since,
        after_at,
        after_id,
        limit
    )
    .fetch_all(pool)
    .await
}
