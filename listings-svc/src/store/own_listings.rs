//! What an account has listed, public or not.

use sqlx::PgExecutor;
use sqlx::types::Json;
use time::OffsetDateTime;
use time::macros::datetime;
use uuid::Uuid;

use crate::domain::entity::Entity;
use crate::domain::slug;
use crate::domain::state::ListingState as State;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnListingRow {
    /// `game` or `event`.
    pub kind: String,
    /// Never public.
    pub id: Uuid,
    pub slug: String,
    pub title: String,
    pub state: State,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
    /// Handle of the page of a game.
    pub page: Option<String>,
    pub page_state: Option<Json<State>>,
    /// Reason of the rejection, while the listing is rejected.
    pub reason: Option<String>,
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
                   select game.*, page.handle as page, page.state as page_state
                   from listings.page_owner join listings.page on page.id = page_id
                   cross join lateral (
                       select 'game' as kind, id, slug, title, state, created_at, updated_at from listings.game
                       where game.page_id = page.id and (created_at, id) < ($2, $3)
                       order by created_at desc, id desc limit $4
                   ) as game
                   where account_id = $1
                   order by created_at desc, id desc limit $4
               )
               union all
               (
                   select 'event' as kind, id, slug, title, state, created_at, updated_at, null, null
                   from listings.event
                   where submitter = $1 and (created_at, id) < ($2, $3)
                   order by created_at desc, id desc limit $4
               )
           )
           select kind as "kind!", id as "id!", slug as "slug!", title as "title!", to_jsonb(state) as "state!: Json<State>",
               created_at as "created_at!", updated_at as "updated_at!", page, to_jsonb(page_state) as "page_state: Json<State>",
               case when state = 'rejected' then (
                   select given.reason from listings.revision as given
                   where given.entity = my_listing.kind and given.id = my_listing.id and given.after ->> 'state' = 'rejected'
                       and given.before ->> 'state' is distinct from 'rejected'
                   order by given.revision desc limit 1
               ) end as reason
           from my_listing order by created_at desc, id desc limit $4"#,
        account,
        created_at,
        id,
        limit,
    )
    .fetch_all(executor)
    .await
}

/// The id and the state of a live listing of an account.
pub async fn find(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    entity: Entity,
    name: &str,
) -> Result<Option<(Uuid, State)>, sqlx::Error> {
    // A name that is not a slug matches nothing, and PostgreSQL does not accept NUL.
    if !slug::is_valid(name) {
        return Ok(None);
    }
    let row = sqlx::query!(
        r#"with own as (
               select id, state from listings.page join listings.page_owner on page_id = page.id
               where $2 = 'page' and account_id = $1 and mode = 'live' and handle = $3
               union all
               select id, state from listings.game join listings.page_owner using (page_id)
               where $2 = 'game' and account_id = $1 and mode = 'live' and slug = $3
               union all
               select id, state from listings.event
               where $2 = 'event' and submitter = $1 and mode = 'live' and slug = $3
           )
           select id as "id!", to_jsonb(state) as "state!: Json<State>" from own"#,
        account,
        entity.as_str(),
        name
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map(|row| (row.id, row.state.0)))
}

/// The reason of the rejection of a listing, if it was rejected last.
pub async fn rejection(
    executor: impl PgExecutor<'_>,
    entity: Entity,
    id: Uuid,
) -> Result<Option<String>, sqlx::Error> {
    let reason = sqlx::query_scalar!(
        "select reason from listings.revision
         where entity = $1 and id = $2 and after ->> 'state' = 'rejected' and before ->> 'state' is distinct from 'rejected'
         order by revision desc limit 1",
        entity.as_str(),
        id
    )
    .fetch_optional(executor)
    .await?;
    Ok(reason.flatten())
}

pub async fn count(executor: impl PgExecutor<'_>, account: Uuid) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select (
               select count(*) from listings.page_owner join listings.game using (page_id) where account_id = $1
           ) + (
               select count(*) from listings.event where submitter = $1
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
        r#"with my_listing as (
               select 'game' as kind, id, slug, title, state, created_at, updated_at from listings.game where mode = 'test'
               union all
               select 'event' as kind, id, slug, title, state, created_at, updated_at from listings.event where mode = 'test'
           )
           select kind as "kind!", id as "id!", slug as "slug!", title as "title!", to_jsonb(state) as "state!: Json<State>",
               created_at as "created_at!", updated_at as "updated_at!", null as page, null as "page_state: Json<State>", null as reason
           from my_listing where $1::timestamptz is null or (created_at, id) < ($1, $2)
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
        r#"select (select count(*) from listings.game where mode = 'test')
               + (select count(*) from listings.event where mode = 'test') as "count!""#
    )
    .fetch_one(executor)
    .await
}
