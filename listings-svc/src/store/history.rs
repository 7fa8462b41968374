//! What became of a listing, from its revisions.

use std::collections::HashMap;

use serde_json::Value;
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;

/// A change of a listing.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// Which change of it.
    pub revision: i64,
    /// When.
    pub at: OffsetDateTime,
    /// What kind of actor made it.
    pub actor_kind: String,
    /// Which one.
    pub actor: String,
    /// What it was; `None` for the first.
    pub before: Option<Value>,
    /// What it became.
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
) -> Result<Vec<Made>, sqlx::Error> {
    sqlx::query_as!(
        Made,
        "select revision, at, actor_kind, actor, before, after, reason from listings.revision
         where entity = $1 and id = $2 order by revision desc limit $3",
        entity.as_str(),
        id,
        limit
    )
    .fetch_all(pool)
    .await
}

/// The last state of a listing that was public, with its revision.
pub async fn approved(
    pool: &PgPool,
    entity: Entity,
    id: Uuid,
) -> Result<Option<(i64, Value)>, sqlx::Error> {
    let row = sqlx::query!(
        "select revision, after from listings.revision
         where entity = $1 and id = $2 and after ->> 'state' = 'published' order by revision desc limit 1",
        entity.as_str(),
        id
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| (row.revision, row.after)))
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
