//! What an account has listed, public or not.

use serde::{Deserialize, Serialize};
use sqlx::PgExecutor;
use sqlx::types::Json;
use time::OffsetDateTime;
use time::serde::rfc3339;
use uuid::Uuid;

use crate::domain::state::State;

/// A game or an event of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// `game` or `event`.
    pub kind: String,
    /// Never public.
    pub id: Uuid,
    /// Names it.
    pub slug: String,
    /// What it is called.
    pub title: String,
    /// Where it stands.
    pub state: Json<State>,
    /// When it was sent in.
    pub created_at: OffsetDateTime,
    /// When it last changed.
    pub updated_at: OffsetDateTime,
    /// Of a rejected one: what staff said.
    pub reason: Option<String>,
}

/// Where a page of the list begins: behind this row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct After {
    /// When that was sent in.
    #[serde(with = "rfc3339")]
    pub created_at: OffsetDateTime,
    /// Which it is.
    pub id: Uuid,
}

/// Games under the account's pages and events that it sent in, newest first.
pub async fn list(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    after: Option<After>,
    most: i64,
) -> Result<Vec<Row>, sqlx::Error> {
    sqlx::query_as!(
        Row,
        r#"with own as (
               (
                   select 'game' as kind, id, slug, title, state, created_at, updated_at
                   from listings.game
                   where mode = 'live' and page_id in (
                           select page_id from listings.page_owner join listings.page on page.id = page_id
                           where account_id = $1 and page.state <> 'rejected'
                       )
                       and ($2::timestamptz is null or (created_at, id) < ($2, $3))
                   order by created_at desc, id desc limit $4
               )
               union all
               (
                   select 'event' as kind, id, slug, title, state, created_at, updated_at
                   from listings.event
                   where mode = 'live' and submitter = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3))
                   order by created_at desc, id desc limit $4
               )
           )
           select kind as "kind!", id as "id!", slug as "slug!", title as "title!", to_jsonb(state) as "state!: Json<State>",
               created_at as "created_at!", updated_at as "updated_at!",
               case when state = 'rejected' then (
                   select given.reason from listings.revision as given
                   where given.entity = own.kind and given.id = own.id and given.after ->> 'state' = 'rejected'
                   order by given.revision desc limit 1
               ) end as reason
           from own order by created_at desc, id desc limit $4"#,
        account,
        after.map(|after| after.created_at),
        after.map(|after| after.id),
        most,
    )
    .fetch_all(executor)
    .await
}

/// How many there are.
pub async fn count(executor: impl PgExecutor<'_>, account: Uuid) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select (
               select count(*) from listings.game where mode = 'live' and page_id in (
                   select page_id from listings.page_owner join listings.page on page.id = page_id
                   where account_id = $1 and page.state <> 'rejected'
               )
           ) + (
               select count(*) from listings.event where mode = 'live' and submitter = $1
           ) as "count!""#,
        account,
    )
    .fetch_one(executor)
    .await
}

/// The samples, which are everybody's in the test world, in the same order.
pub async fn list_samples(
    executor: impl PgExecutor<'_>,
    after: Option<After>,
    most: i64,
) -> Result<Vec<Row>, sqlx::Error> {
    sqlx::query_as!(
        Row,
        r#"with own as (
               select 'game' as kind, id, slug, title, state, created_at, updated_at from listings.game where mode = 'test'
               union all
               select 'event' as kind, id, slug, title, state, created_at, updated_at from listings.event where mode = 'test'
           )
           select kind as "kind!", id as "id!", slug as "slug!", title as "title!", to_jsonb(state) as "state!: Json<State>",
               created_at as "created_at!", updated_at as "updated_at!", null as reason
           from own where $1::timestamptz is null or (created_at, id) < ($1, $2)
           order by created_at desc, id desc limit $3"#,
        after.map(|after| after.created_at),
        after.map(|after| after.id),
        most,
    )
    .fetch_all(executor)
    .await
}

/// How many samples there are.
pub async fn count_samples(executor: impl PgExecutor<'_>) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select (select count(*) from listings.game where mode = 'test')
               + (select count(*) from listings.event where mode = 'test') as "count!""#
    )
    .fetch_one(executor)
    .await
}
