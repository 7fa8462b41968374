//! The history of a listing, from its revisions.

use std::collections::HashMap;

use serde_json::{Map, Value};
use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::listing_name::ListingName;

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

/// A listing in its current version and in an earlier one.
#[derive(Debug, Clone, PartialEq)]
pub struct Versions {
    /// The current revision.
    pub revision: i64,
    pub now: Value,
    /// The revision of the earlier version.
    pub earlier: Option<i64>,
    pub then: Option<Value>,
}

/// The current version of a listing, and the version at a revision, or else the newest that was public. The earlier version results from
/// undoing the changes since.
pub async fn versions(
    executor: impl PgExecutor<'_>,
    entity: Entity,
    id: Uuid,
    at: Option<i64>,
) -> Result<Option<Versions>, sqlx::Error> {
    sqlx::query_as!(
        Versions,
        r#"with listing as (
             select revision, to_jsonb(page) as now from listings.page where $1 = 'page' and id = $2
             union all
             select revision, to_jsonb(game) from listings.game where $1 = 'game' and id = $2
             union all
             select revision, to_jsonb(event) from listings.event where $1 = 'event' and id = $2
         ),
         earlier as (
             select coalesce($3::bigint, (
                 select revision from listings.revision
                 where entity = $1 and id = $2 and after ->> 'state' = 'published' order by revision desc limit 1
             )) as revision
         ),
         since as (
             select distinct on (field.key) field.key, field.value
             from listings.revision, jsonb_each(revision.before) as field
             where entity = $1 and id = $2 and revision > (select revision from earlier)
             order by field.key, revision
         )
         select listing.revision as "revision!", listing.now as "now!", earlier.revision as "earlier?",
             case when earlier.revision is not null then
                 listing.now || coalesce((select jsonb_object_agg(key, value) from since), '{}')
             end as then
         from listing cross join earlier"#,
        entity.as_str(),
        id,
        at
    )
    .fetch_optional(executor)
    .await
}

/// The id and the revision of a listing.
pub async fn find(
    executor: impl PgExecutor<'_>,
    name: &ListingName,
) -> Result<Option<(Uuid, i64)>, sqlx::Error> {
    let row = sqlx::query!(
        r#"select id as "id!", revision as "revision!" from listings.listing where kind = $1 and mode = $2 and name = $3"#,
        name.entity.as_str(),
        name.mode.as_str(),
        name.key
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map(|row| (row.id, row.revision)))
}

/// Names the page of games by its handle, as `creator`, in contents of listings.
pub async fn name_pages(
    executor: impl PgExecutor<'_>,
    contents: &mut [Map<String, Value>],
) -> Result<(), sqlx::Error> {
    let page = |content: &Map<String, Value>| content.get("page_id")?.as_str()?.parse().ok();
    let pages: Vec<Uuid> = contents.iter().filter_map(page).collect();
    if pages.is_empty() {
        return Ok(());
    }
    let rows = sqlx::query!(
        "select id, handle from listings.page where id = any($1)",
        &pages
    )
    .fetch_all(executor)
    .await?;
    let handles: HashMap<Uuid, String> = rows.into_iter().map(|row| (row.id, row.handle)).collect();
    for content in contents {
        if let Some(id) = page(content) {
            content.remove("page_id");
            let handle = handles.get(&id).cloned().unwrap_or_else(|| id.to_string());
            content.insert("creator".to_owned(), handle.into());
        }
    }
    Ok(())
}
