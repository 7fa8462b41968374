//! What an account has listed, public or not.

use sqlx::PgExecutor;
use time::OffsetDateTime;
use time::macros::datetime;
use uuid::Uuid;

use super::listings::{ListingRow, select_listings};
use crate::domain::entity::Entity;
use crate::domain::listing::Listing;
use crate::domain::slug;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnListingRow {
    /// `game` or `event`.
    pub kind: String,
    /// Never public.
    pub id: Uuid,
    /// The slug.
    pub name: String,
    pub title: String,
    /// A newer version may know other states.
    pub state: String,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
    /// Handle of the page of a game.
    pub page: Option<String>,
    pub page_state: Option<String>,
    /// The account that gave it its state; `None`: staff, or an import.
    pub state_by: Option<Uuid>,
    pub state_at: OffsetDateTime,
    pub state_reason: Option<String>,
}

/// Sorts before every row.
const BEFORE_FIRST: (OffsetDateTime, Uuid) = (datetime!(9999-12-31 0:00 UTC), Uuid::max());

/// Games under the pages of the account, whatever the state of the page, and events that the account submitted, newest first.
pub async fn list(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    after: Option<(OffsetDateTime, Uuid)>,
    limit: i64,
) -> Result<Vec<OwnListingRow>, sqlx::Error> {
    // With a bound that is always present, an index scan can start at the bound.
    let (created_at, id) = after.unwrap_or(BEFORE_FIRST);
    sqlx::query_as!(
        OwnListingRow,
        r#"with my_listing as (
               (
                   select game.*, page.name as page, page.state as page_state
                   from listings.page_owner join listings.listing as page on page.id = page_owner.page_id
                   cross join lateral (
                       select entity, id, name, title, state, state_by, state_at, state_reason, created_at, updated_at
                       from listings.listing
                       where listing.page_id = page.id and (created_at, id) < ($2, $3)
                       order by created_at desc, id desc limit $4
                   ) as game
                   where account_id = $1
                   order by created_at desc, id desc limit $4
               )
               union all
               (
                   select entity, id, name, title, state, state_by, state_at, state_reason, created_at, updated_at, null, null
                   from listings.listing
                   where submitter = $1 and entity = 'event' and (created_at, id) < ($2, $3)
                   order by created_at desc, id desc limit $4
               )
           )
           select entity as "kind!", id as "id!", name as "name!", title as "title!", state as "state!",
               state_by, state_at as "state_at!", state_reason,
               created_at as "created_at!", updated_at as "updated_at!", page, page_state
           from my_listing order by created_at desc, id desc limit $4"#,
        account,
        created_at,
        id,
        limit,
    )
    .fetch_all(executor)
    .await
}

/// A live listing of an account.
pub async fn find(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    entity: Entity,
    name: &str,
) -> Result<Option<Listing>, sqlx::Error> {
    // A name that is not a slug matches nothing, and PostgreSQL does not accept NUL.
    if !slug::is_valid(name) {
        return Ok(None);
    }
    select_listings!(
        "where entity = $2 and mode = 'live' and name = $3 and case entity
             when 'event' then submitter = $1
             else coalesce(page_id, id) in (select page_id from listings.page_owner where account_id = $1)
         end",
        account,
        entity.as_str(),
        name
    )
    .fetch_optional(executor)
    .await
}

pub async fn count(executor: impl PgExecutor<'_>, account: Uuid) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select (
               select count(*) from listings.page_owner join listings.listing using (page_id) where account_id = $1
           ) + (
               select count(*) from listings.listing where submitter = $1 and entity = 'event'
           ) as "count!""#,
        account,
    )
    .fetch_one(executor)
    .await
}

/// The samples, which every account sees in the test dataset, in the same order.
pub async fn list_samples(
    executor: impl PgExecutor<'_>,
    after: Option<(OffsetDateTime, Uuid)>,
    limit: i64,
) -> Result<Vec<OwnListingRow>, sqlx::Error> {
    let (created_at, id) = after.unzip();
    sqlx::query_as!(
        OwnListingRow,
        r#"select entity as kind, id, name, title, state, state_by, state_at, state_reason, created_at, updated_at,
               null as page, null as page_state
           from listings.listing
           where mode = 'test' and entity <> 'page' and ($1::timestamptz is null or (created_at, id) < ($1, $2))
           order by created_at desc, id desc limit $3"#,
        created_at,
        id,
        limit,
    )
    .fetch_all(executor)
    .await
}

pub async fn count_samples(executor: impl PgExecutor<'_>) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.listing where mode = 'test' and entity <> 'page'"#
    )
    .fetch_one(executor)
    .await
}
