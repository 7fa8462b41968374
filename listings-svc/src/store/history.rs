//! The history of a listing, from its revisions.

use std::collections::HashMap;

use serde_json::{Map, Value};
use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::difference::{CREATOR, PAGE_ID};
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

/// The newest revisions of a listing up to `last`, newest first.
pub async fn newest(
    pool: &PgPool,
    id: Uuid,
    last: i64,
    limit: i64,
) -> Result<Vec<RevisionRow>, sqlx::Error> {
    sqlx::query_as!(
        RevisionRow,
        "select revision, at, actor_kind, actor, before, after, reason from listings.revision
         where id = $1 and revision <= $2 order by revision desc limit $3",
        id,
        last,
        limit
    )
    .fetch_all(pool)
    .await
}

/// A rejection by staff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectionRow {
    pub revision: i64,
    pub at: OffsetDateTime,
    pub reason: Option<String>,
}

/// The last rejection of a listing by staff. What its account withdrew, nobody has reviewed.
pub async fn last_rejection(
    executor: impl PgExecutor<'_>,
    id: Uuid,
) -> Result<Option<RejectionRow>, sqlx::Error> {
    sqlx::query_as!(
        RejectionRow,
        "select revision, at, reason from listings.revision
         where id = $1 and after ->> 'state' = 'rejected' and before ->> 'state' is distinct from 'rejected' and actor_kind = 'staff'
         order by revision desc limit 1",
        id
    )
    .fetch_optional(executor)
    .await
}

/// The content of a listing in its current version and in an earlier one.
#[derive(Debug, Clone, PartialEq)]
pub struct Versions {
    /// The current revision.
    pub revision: i64,
    pub now: Value,
    pub then: Value,
}

/// The current version of a listing, and the version at a revision, which results from undoing the changes since. Revision 0 is empty.
pub async fn versions(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    at: i64,
) -> Result<Option<Versions>, sqlx::Error> {
    sqlx::query_as!(
        Versions,
        r#"with since as (
             select distinct on (field.key) field.key, field.value
             from listings.revision, jsonb_each(revision.before) as field
             where id = $1 and revision > $2
             order by field.key, revision
         )
         select revision, content as now,
             case when $2 > 0 then content || coalesce((select jsonb_object_agg(key, value) from since), '{}') else '{}' end as "then!"
         from listings.listing where id = $1"#,
        id,
        at
    )
    .fetch_optional(executor)
    .await
}

/// Names the page of games by its handle, as `creator`, in contents of listings.
pub async fn name_pages(
    executor: impl PgExecutor<'_>,
    contents: &mut [Map<String, Value>],
) -> Result<(), sqlx::Error> {
    let page = |content: &Map<String, Value>| content.get(PAGE_ID)?.as_str()?.parse().ok();
    let pages: Vec<Uuid> = contents.iter().filter_map(page).collect();
    if pages.is_empty() {
        return Ok(());
    }
    let handles = handles(executor, &pages).await?;
    for content in contents {
        if let Some(id) = page(content) {
            content.remove(PAGE_ID);
            let handle = handles.get(&id).cloned().unwrap_or_else(|| id.to_string());
            content.insert(CREATOR.to_owned(), handle.into());
        }
    }
    Ok(())
}

/// The handles of pages, by id.
pub async fn handles(
    executor: impl PgExecutor<'_>,
    pages: &[Uuid],
) -> Result<HashMap<Uuid, String>, sqlx::Error> {
    let rows = sqlx::query!("select id, name from listings.listing where id = any($1)", pages)
        .fetch_all(executor)
        .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.name)).collect())
}

/// The status of a listing, and who changed it last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingStatus {
    pub id: Uuid,
    /// The title of a game or an event, the name of a page.
    pub title: String,
    /// A newer version may know other states.
    pub state: String,
    pub revision: i64,
    pub changed_at: OffsetDateTime,
    /// `account`, `staff` or `import`.
    pub actor_kind: String,
    /// The account, the member or the file.
    pub actor: String,
    /// Reason of the newest revision by staff.
    pub reason: Option<String>,
}

pub async fn status(
    pool: &PgPool,
    name: &ListingName,
) -> Result<Option<ListingStatus>, sqlx::Error> {
    sqlx::query_as!(
        ListingStatus,
        r#"select listing.id, listing.title, listing.state, listing.revision,
             newest.at as changed_at, newest.actor_kind, newest.actor,
             (
                 select given.reason from listings.revision as given
                 where given.id = listing.id and given.actor_kind = 'staff'
                 order by given.revision desc limit 1
             ) as reason
         from listings.listing
         join listings.revision as newest on newest.id = listing.id and newest.revision = listing.revision
         where listing.entity = $1 and listing.mode = $2 and listing.name = $3"#,
        name.entity.as_str(),
        name.mode.as_str(),
        name.key,
    )
    .fetch_optional(pool)
    .await
}
