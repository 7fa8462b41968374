//! The review queue and the search, which cover the live dataset, and any one listing.

use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::listing_name::ListingName;

/// A listing in the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub id: Uuid,
    pub kind: String,
    /// The slug or the handle.
    pub name: String,
    /// The title of a game or an event, the name of a page.
    pub title: String,
    /// A newer version may know other states.
    pub state: String,
    pub revision: i64,
    pub submitter: Option<Uuid>,
    /// Set while the listing is pending.
    pub waiting_since: Option<OffsetDateTime>,
    /// Handle of the page of a game.
    pub page: Option<String>,
    pub page_state: Option<String>,
}

/// A listing that the search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    pub kind: String,
    /// The slug or the handle.
    pub name: String,
    /// The title of a game or an event, the name of a page.
    pub title: String,
    /// A newer version may know other states.
    pub state: String,
    pub revision: i64,
    pub submitter: Option<Uuid>,
    pub updated_at: OffsetDateTime,
}

/// Waiting listings, oldest first, after this key.
pub async fn page(
    pool: &PgPool,
    kind: Option<Entity>,
    after: Option<(OffsetDateTime, Uuid)>,
    limit: i64,
) -> Result<Vec<Item>, sqlx::Error> {
    // With a bound that is always present, the scan can start at the bound; nobody waited before 1970. The joined query has a limit, so
    // that no plan reads the table whole. The constant limit, that of the largest page and one row more, makes a generic plan as good as a
    // custom one, so that PostgreSQL caches it: planning takes longer than the rest.
    let (since, id) = after.unwrap_or((OffsetDateTime::UNIX_EPOCH, Uuid::nil()));
    sqlx::query_as!(
        Item,
        r#"select item.id, item.entity as kind, item.name, item.title,
             item.state, item.revision, item.submitter, item.waiting_since,
             page.name as "page?", page.state as "page_state?"
         from (
             select * from (
                 select * from listings.listing
                 where state = 'pending' and mode = 'live' and ($1 = '' or entity = $1) and (waiting_since, id) > ($2, $3)
                 order by waiting_since, id limit 101
             ) as first order by waiting_since, id limit $4
         ) as item
         left join lateral (
             select name, state from listings.listing as page where page.id = item.page_id limit 1
         ) as page on true
         order by item.waiting_since, item.id"#,
        kind.map_or("", Entity::as_str),
        since,
        id,
        limit
    )
    .fetch_all(pool)
    .await
}

pub async fn count(pool: &PgPool, kind: Option<Entity>) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.listing
           where state = 'pending' and mode = 'live' and ($1 = '' or entity = $1)"#,
        kind.map_or("", Entity::as_str)
    )
    .fetch_one(pool)
    .await
}

/// The listing with this name, in any state.
pub async fn find(pool: &PgPool, name: &ListingName) -> Result<Option<Item>, sqlx::Error> {
    sqlx::query_as!(
        Item,
        r#"select item.id, item.entity as kind, item.name, item.title,
             item.state, item.revision, item.submitter, item.waiting_since,
             page.name as "page?", page.state as "page_state?"
         from listings.listing as item
         left join listings.listing as page on page.id = item.page_id
         where item.entity = $1 and item.mode = $2 and item.name = $3"#,
        name.entity.as_str(),
        name.mode.as_str(),
        name.key
    )
    .fetch_optional(pool)
    .await
}

/// Listings with `text` in their name or title, sorted by name and kind, after this key.
pub async fn search(
    pool: &PgPool,
    text: &str,
    kind: Option<Entity>,
    state: Option<&str>,
    after: Option<(String, String)>,
    limit: i64,
) -> Result<Vec<SearchResult>, sqlx::Error> {
    let (name, after_kind) = after.unwrap_or_default();
    sqlx::query_as!(
        SearchResult,
        r#"select entity as kind, name, title, state, revision, submitter, updated_at
         from listings.listing
         where mode = 'live' and ($2 = '' or entity = $2) and ($3 = '' or state = $3)
             and (strpos(name, lower($1)) > 0 or strpos(lower(title), lower($1)) > 0)
             and name >= $4 and (name > $4 or entity > $5)
         order by name, entity limit $6"#,
        text,
        kind.map_or("", Entity::as_str),
        state.unwrap_or_default(),
        name,
        after_kind,
        limit
    )
    .fetch_all(pool)
    .await
}
