//! Claims of pages.

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub id: Uuid,
    pub page_id: Uuid,
    pub handle: String,
    pub account_id: Uuid,
    pub evidence: String,
    /// `waiting`, `granted` or `rejected`.
    pub state: String,
    pub made_at: OffsetDateTime,
    pub decided_at: Option<OffsetDateTime>,
    pub reason: String,
}

/// Inserts a claim, or returns the waiting claim of this account for this page.
pub async fn insert(
    connection: &mut PgConnection,
    id: Uuid,
    page: Uuid,
    account: Uuid,
    evidence: &str,
    now: OffsetDateTime,
) -> Result<Claim, sqlx::Error> {
    sqlx::query!(
        "insert into listings.claim (id, page_id, account_id, evidence, state, made_at) values ($1, $2, $3, $4, 'waiting', $5)
         on conflict (page_id, account_id) where state = 'waiting' do update set evidence = excluded.evidence",
        id,
        page,
        account,
        evidence,
        now
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query_as!(
        Claim,
        "select claim.id, page_id, handle, account_id, evidence, claim.state, made_at, decided_at, reason
         from listings.claim join listings.page on page.id = page_id
         where page_id = $1 and account_id = $2 and claim.state = 'waiting'",
        page,
        account
    )
    .fetch_one(connection)
    .await
}

/// The newest 100 claims of an account, newest first.
pub async fn of_account(pool: &PgPool, account: Uuid) -> Result<Vec<Claim>, sqlx::Error> {
    sqlx::query_as!(
        Claim,
        "select claim.id, page_id, handle, account_id, evidence, claim.state, made_at, decided_at, reason
         from listings.claim join listings.page on page.id = page_id
         where account_id = $1 order by claim.id desc limit 100",
        account
    )
    .fetch_all(pool)
    .await
}

/// Waiting claims, oldest first, after this key.
pub async fn list_waiting(
    pool: &PgPool,
    after: Option<(OffsetDateTime, Uuid)>,
    limit: i64,
) -> Result<Vec<Claim>, sqlx::Error> {
    sqlx::query_as!(
        Claim,
        "select claim.id, page_id, handle, account_id, evidence, claim.state, made_at, decided_at, reason
         from listings.claim join listings.page on page.id = page_id
         where claim.state = 'waiting' and ($1::timestamptz is null or (made_at, claim.id) > ($1, $2))
         order by made_at, claim.id limit $3",
        after.map(|(made_at, _)| made_at),
        after.map(|(_, id)| id),
        limit
    )
    .fetch_all(pool)
    .await
}

pub async fn count_waiting(pool: &PgPool) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.claim where state = 'waiting'"#
    )
    .fetch_one(pool)
    .await
}

/// Number of waiting claims of an account, without one for this page.
pub async fn count_waiting_of(
    connection: &mut PgConnection,
    account: Uuid,
    page: Uuid,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.claim
           where account_id = $1 and page_id <> $2 and state = 'waiting'"#,
        account,
        page
    )
    .fetch_one(connection)
    .await
}

/// Locks a claim for a decision. A claim that another transaction has locked is an error (55P03).
pub async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<Option<Claim>, sqlx::Error> {
    sqlx::query_as!(
        Claim,
        "select claim.id, page_id, handle, account_id, evidence, claim.state, made_at, decided_at, reason
         from listings.claim join listings.page on page.id = page_id
         where claim.id = $1 for update of claim nowait",
        id
    )
    .fetch_optional(connection)
    .await
}

pub async fn decide(
    connection: &mut PgConnection,
    id: Uuid,
    state: &str,
    reason: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update listings.claim set state = $2, reason = $3, decided_at = $4 where id = $1",
        id,
        state,
        reason,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}
