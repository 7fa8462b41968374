//! What became of a listing, from its revisions.

use std::collections::HashMap;

use serde_json::Value;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;

/// A change of a listing.
#[derive(Debug, Clone, PartialEq)]
pub struct RevisionRow {
    /// Which change of it.
    pub revision: i64,
    /// When.
    pub at: OffsetDateTime,
    /// What kind of actor made it.
    pub actor_kind: String,
    /// Which one.
    pub actor: String,
    /// What it was, in the fields that it changed; `None` for the first.
    pub before: Option<Value>,
    /// What it became in these; all of it for the first.
    pub after: Value,
    /// Why.
    pub reason: Option<String>,
}

/// The newest changes of a listing, the newest first.
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

/// A listing now, and when it was last public.
#[derive(Debug, Clone, PartialEq)]
pub struct CurrentAndApproved {
    /// At which revision it stands.
    pub revision: i64,
    /// What it is.
    pub now: Value,
    /// The newest revision that was public.
    pub approved: Option<i64>,
    /// What it was then.
    pub then: Option<Value>,
}

/// A listing as it is and as it was when it was last public: what it is, with each field that changed since taken back to what it was
/// before the first change of it.
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

/// A listing as it is, and as it was at a revision: with each field that changed since taken back to what it was before the first change
/// of it.
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

/// Handles of pages.
pub async fn handles(pool: &PgPool, pages: &[Uuid]) -> Result<HashMap<Uuid, String>, sqlx::Error> {
    let rows = sqlx::query!(
        "select id, handle from listings.page where id = any($1)",
        pages
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.handle)).collect())
}
