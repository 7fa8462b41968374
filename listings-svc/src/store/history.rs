//! The history of a listing, from its revisions.

use std::collections::HashMap;

use serde_json::Value;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;

/// A revision in the history.
#[derive(Debug, Clone, PartialEq)]
pub struct RevisionRow {
    pub revision: i64,
    pub at: OffsetDateTime,
    /// `account`, `staff` or `import`.
    pub actor_kind: String,
    /// The account, the member or the file.
    pub actor: String,
    /// The old values of the changed fields; `None` for the first revision.
    pub before: Option<Value>,
    /// The new values of the changed fields; the whole listing for the first revision.
    pub after: Value,
    pub reason: Option<String>,
}

/// The newest revisions of a listing, newest first.
pub async fn newest(
    pool: &PgPool,
    entity: Entity,
    id: Uuid,
    limit: i64,
) -> Result<Vec<RevisionRow>, sqlx::Error> {
    sqlx::query_as!(
        RevisionRow,
        "select revision, at, actor_kind, actor, before, after, reason from listings.revision
         where entity = $1 and id = $2 order by revision desc limit $3",
        entity.as_str(),
        id,
        limit
    )
    .fetch_all(pool)
    .await
}

/// A listing in its current version and in its last public one.
#[derive(Debug, Clone, PartialEq)]
pub struct CurrentAndApproved {
    /// The current revision.
    pub revision: i64,
    pub now: Value,
    /// The newest revision that was public.
    pub approved: Option<i64>,
    /// The version at that revision.
    pub then: Option<Value>,
}

/// The current version and the last public one, which results from undoing the changes since.
pub async fn current_and_approved(
    pool: &PgPool,
    entity: Entity,
    id: Uuid,
) -> Result<Option<CurrentAndApproved>, sqlx::Error> {
    sqlx::query_as!(
        CurrentAndApproved,
        r#"with listing as (
             select revision, to_jsonb(page) as now from listings.page where $1 = 'page' and id = $2
             union all
             select revision, to_jsonb(game) from listings.game where $1 = 'game' and id = $2
             union all
             select revision, to_jsonb(event) from listings.event where $1 = 'event' and id = $2
         ),
         approved as (
             select revision from listings.revision
             where entity = $1 and id = $2 and after ->> 'state' = 'published' order by revision desc limit 1
         ),
         since as (
             select distinct on (field.key) field.key, field.value
             from listings.revision, jsonb_each(revision.before) as field
             where entity = $1 and id = $2 and revision > (select revision from approved)
             order by field.key, revision
         )
         select listing.revision as "revision!", listing.now as "now!", approved.revision as "approved?",
             case when approved.revision is not null then
                 listing.now || coalesce((select jsonb_object_agg(key, value) from since), '{}')
             end as then
         from listing left join approved on true"#,
        entity.as_str(),
        id
    )
    .fetch_optional(pool)
    .await
}

/// The current version and the version at a revision, which results from undoing the changes since.
pub async fn current_and_at(
    pool: &PgPool,
    entity: Entity,
    id: Uuid,
    revision: i64,
) -> Result<Option<(Value, Value)>, sqlx::Error> {
    let row = sqlx::query!(
        r#"with listing as (
             select to_jsonb(page) as now from listings.page where $1 = 'page' and id = $2
             union all
             select to_jsonb(game) from listings.game where $1 = 'game' and id = $2
             union all
             select to_jsonb(event) from listings.event where $1 = 'event' and id = $2
         ),
         since as (
             select distinct on (field.key) field.key, field.value
             from listings.revision, jsonb_each(revision.before) as field
             where entity = $1 and id = $2 and revision > $3
             order by field.key, revision
         )
         select now as "now!", now || coalesce((select jsonb_object_agg(key, value) from since), '{}') as "at!"
         from listing"#,
        entity.as_str(),
        id,
        revision
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| (row.now, row.at)))
}

pub async fn handles(pool: &PgPool, pages: &[Uuid]) -> Result<HashMap<Uuid, String>, sqlx::Error> {
    let rows = sqlx::query!(
        "select id, handle from listings.page where id = any($1)",
        pages
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.handle)).collect())
}
