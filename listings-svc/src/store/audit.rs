//! What the staff did.

use kit::ids;
use kit::rpc::staff::Member;
use serde_json::Value;
use sqlx::{PgConnection, PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::deed::Deed;

/// A deed, as it is kept.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    /// Who.
    pub member: &'a Member,
    /// What.
    pub deed: Deed,
    /// The kind of what it was done to.
    pub entity: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Whether it was not done, for want of a role.
    pub refused: bool,
    /// What else there is to know.
    pub details: Value,
}

/// A deed, as it was kept.
#[derive(Debug, Clone)]
pub struct Row {
    /// Which one.
    pub id: Uuid,
    /// When.
    pub at: OffsetDateTime,
    /// Who.
    pub member: String,
    /// In which role.
    pub role: String,
    /// What.
    pub action: String,
    /// The kind of what it was done to.
    pub entity: String,
    /// Its name.
    pub name: String,
    /// Whether it was not done, for want of a role.
    pub refused: bool,
    /// What else there is to know.
    pub details: Value,
}

/// Which deeds are wanted.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Of this member.
    pub member: Option<String>,
    /// Of this kind.
    pub action: Option<String>,
    /// To things of this kind.
    pub entity: Option<String>,
    /// To what has this name.
    pub name: Option<String>,
    /// Not before this.
    pub since: Option<OffsetDateTime>,
}

/// Keeps a deed.
pub async fn append(
    executor: impl PgExecutor<'_>,
    entry: Entry<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into listings.audit (id, at, member, role, action, entity, name, refused, details)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        ids::row_id(),
        now,
        entry.member.name,
        entry.member.role.as_str(),
        entry.deed.as_str(),
        entry.entity,
        entry.name,
        entry.refused,
        entry.details
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Keeps that a chunk of a file was loaded. All chunks that one call sent are one row, `call`, with their counts added up.
pub async fn loaded(
    connection: &mut PgConnection,
    call: Uuid,
    entry: Entry<'_>,
    (created, updated): (u64, u64),
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into listings.audit as kept (id, at, member, role, action, entity, name, refused, details)
         values ($1, $2, $3, $4, $5, $6, $7, false,
             $8::jsonb || jsonb_build_object('created', $9::bigint, 'updated', $10::bigint))
         on conflict (id) do update set details = kept.details || jsonb_build_object(
             'created', (kept.details ->> 'created')::bigint + $9::bigint,
             'updated', (kept.details ->> 'updated')::bigint + $10::bigint
         )",
        call,
        now,
        entry.member.name,
        entry.member.role.as_str(),
        entry.deed.as_str(),
        entry.entity,
        entry.name,
        entry.details,
        created.cast_signed(),
        updated.cast_signed()
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Deeds, the newest first, those after `after`.
pub async fn page(
    pool: &PgPool,
    filter: &Filter,
    after: Option<(OffsetDateTime, Uuid)>,
    limit: i64,
) -> Result<Vec<Row>, sqlx::Error> {
    let (after_at, after_id) = after.unzip();
    sqlx::query_as!(
        Row,
        "select id, at, member, role, action, entity, name, refused, details from listings.audit
         where ($1::text is null or member = $1) and ($2::text is null or action = $2)
             and ($3::text is null or entity = $3) and ($4::text is null or name = $4)
             and ($5::timestamptz is null or at >= $5)
             and ($6::timestamptz is null or (at, id) < ($6, $7::uuid))
         order by at desc, id desc limit $8",
        filter.member.as_deref(),
        filter.action.as_deref(),
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
