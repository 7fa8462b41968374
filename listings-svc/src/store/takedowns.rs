//! Requests of accounts to take down their listings.

use sqlx::{PgConnection, PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::entity::Entity;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakedownRequest {
    pub id: Uuid,
    /// `page`, `game` or `event`.
    pub entity: String,
    /// The slug or the handle.
    pub name: String,
    /// `live`.
    pub mode: String,
    pub title: String,
    pub account_id: Uuid,
    pub reason: String,
    /// `waiting`, `granted` or `declined`.
    pub state: String,
    pub made_at: OffsetDateTime,
    pub decided_at: Option<OffsetDateTime>,
    /// Of staff.
    pub answer: String,
}

/// Inserts a request, or replaces the reason of the waiting one of this account for this listing.
pub async fn insert(
    connection: &mut PgConnection,
    id: Uuid,
    (entity, listing): (Entity, Uuid),
    (account, reason): (Uuid, &str),
    now: OffsetDateTime,
) -> Result<Uuid, sqlx::Error> {
    sqlx::query_scalar!(
        "insert into listings.takedown_request (id, entity, listing_id, account_id, reason, state, made_at)
         values ($1, $2, $3, $4, $5, 'waiting', $6)
         on conflict (entity, listing_id, account_id) where state = 'waiting' do update set reason = excluded.reason
         returning id",
        id,
        entity.as_str(),
        listing,
        account,
        reason,
        now
    )
    .fetch_one(connection)
    .await
}

/// The request with this id.
pub async fn find(
    executor: impl PgExecutor<'_>,
    id: Uuid,
) -> Result<Option<TakedownRequest>, sqlx::Error> {
    sqlx::query_as!(
        TakedownRequest,
        r#"select request.id, entity, listing.name as "name!", listing.mode as "mode!", listing.title as "title!", account_id, reason, request.state,
               made_at, decided_at, answer
           from listings.takedown_request as request
           join listings.listing on listing.kind = entity and listing.id = listing_id
           where request.id = $1"#,
        id
    )
    .fetch_optional(executor)
    .await
}

/// The newest request of an account for a listing.
pub async fn newest_of(
    executor: impl PgExecutor<'_>,
    account: Uuid,
    entity: Entity,
    listing: Uuid,
) -> Result<Option<TakedownRequest>, sqlx::Error> {
    sqlx::query_as!(
        TakedownRequest,
        r#"select request.id, entity, listing.name as "name!", listing.mode as "mode!", listing.title as "title!", account_id, reason, request.state,
               made_at, decided_at, answer
           from listings.takedown_request as request
           join listings.listing on listing.kind = entity and listing.id = listing_id
           where account_id = $1 and entity = $2 and listing_id = $3 order by request.id desc limit 1"#,
        account,
        entity.as_str(),
        listing
    )
    .fetch_optional(executor)
    .await
}

/// Waiting requests of accounts that own the listing, oldest first, after this key.
pub async fn list_waiting(
    pool: &PgPool,
    after: Option<(OffsetDateTime, Uuid)>,
    limit: i64,
) -> Result<Vec<TakedownRequest>, sqlx::Error> {
    let (made_at, id) = after.unzip();
    sqlx::query_as!(
        TakedownRequest,
        r#"select request.id, entity, listing.name as "name!", listing.mode as "mode!", listing.title as "title!", account_id, reason, request.state,
               made_at, decided_at, answer
           from listings.takedown_request as request
           join listings.listing on listing.kind = entity and listing.id = listing_id
           where request.state = 'waiting' and listings.is_own(account_id, entity, listing_id)
               and ($1::timestamptz is null or (made_at, request.id) > ($1, $2::uuid))
           order by made_at, request.id limit $3"#,
        made_at,
        id,
        limit
    )
    .fetch_all(pool)
    .await
}

pub async fn count_waiting(pool: &PgPool) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.takedown_request
           where state = 'waiting' and listings.is_own(account_id, entity, listing_id)"#
    )
    .fetch_one(pool)
    .await
}

/// Number of waiting requests of an account, without one for this listing.
pub async fn count_waiting_of(
    connection: &mut PgConnection,
    account: Uuid,
    listing: Uuid,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.takedown_request
           where account_id = $1 and listing_id <> $2 and state = 'waiting'
               and listings.is_own(account_id, entity, listing_id)"#,
        account,
        listing
    )
    .fetch_one(connection)
    .await
}

/// Locks a request for a decision; false if there is none with this id. A request that another transaction has locked is an error (55P03).
pub async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<bool, sqlx::Error> {
    let locked = sqlx::query_scalar!(
        "select id from listings.takedown_request where id = $1 for update nowait",
        id
    )
    .fetch_optional(connection)
    .await?;
    Ok(locked.is_some())
}

pub async fn decline(
    connection: &mut PgConnection,
    id: Uuid,
    answer: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update listings.takedown_request set state = 'declined', answer = $2, decided_at = $3 where id = $1",
        id,
        answer,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Grants the waiting requests for a listing that staff take down.
pub async fn grant(
    connection: &mut PgConnection,
    (entity, listing): (Entity, Uuid),
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update listings.takedown_request set state = 'granted', decided_at = $3
         where entity = $1 and listing_id = $2 and state = 'waiting'",
        entity.as_str(),
        listing,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}
