//! Claims of pages.

use serde::Deserialize;
use serde_json::Value;
use sqlx::{PgConnection, PgExecutor, PgPool};
use time::OffsetDateTime;
use time::serde::rfc3339;
use uuid::Uuid;

use super::readable;
use crate::domain::claim::ClaimState;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Claim {
    pub id: Uuid,
    /// The handle of the page.
    pub handle: String,
    /// The name of the page.
    pub name: String,
    pub account_id: Uuid,
    pub evidence: String,
    pub state: ClaimState,
    #[serde(with = "rfc3339")]
    pub made_at: OffsetDateTime,
    #[serde(with = "rfc3339::option")]
    pub decided_at: Option<OffsetDateTime>,
    /// Of a rejection; empty otherwise.
    pub reason: String,
}

/// Selects claims by a clause.
macro_rules! select_claims {
    ($clause:literal, $($argument:expr),+ $(,)?) => {
        sqlx::query!(
            r#"select to_jsonb(claim) as "claim!" from (
                   select claim.*, page.name as handle, page.title as name
                   from listings.claim join listings.listing as page on page.id = claim.page_id
               ) as claim "# + $clause,
            $($argument),+
        )
        .map(|row| row.claim)
    };
}

/// Inserts a claim, or replaces the evidence of the waiting one of this account about this page. Returns the id.
pub async fn insert(
    connection: &mut PgConnection,
    id: Uuid,
    (page, account): (Uuid, Uuid),
    evidence: &str,
    now: OffsetDateTime,
) -> Result<Uuid, sqlx::Error> {
    sqlx::query_scalar!(
        "insert into listings.claim (id, page_id, account_id, evidence, made_at) values ($1, $2, $3, $4, $5)
         on conflict (page_id, account_id) where state = 'waiting' do update set evidence = excluded.evidence
         returning id",
        id,
        page,
        account,
        evidence,
        now
    )
    .fetch_one(connection)
    .await
}

pub async fn find(executor: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Claim>, sqlx::Error> {
    let claim = select_claims!("where id = $1", id).fetch_optional(executor);
    claim.await?.as_ref().map(read).transpose()
}

fn read(row: &Value) -> Result<Claim, sqlx::Error> {
    let claim = Claim::deserialize(row);
    claim.map_err(|error| {
        tracing::error!(%error, id = %row["id"], "a claim cannot be read");
        sqlx::Error::Decode(error.into())
    })
}

/// Locks a claim for a decision, and returns it.
pub async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<Option<Claim>, sqlx::Error> {
    sqlx::query_scalar!("select id from listings.claim where id = $1 for update", id)
        .fetch_optional(&mut *connection)
        .await?;
    find(connection, id).await
}

/// The newest 100 claims of an account, newest first.
pub async fn list_by_account(pool: &PgPool, account: Uuid) -> Result<Vec<Claim>, sqlx::Error> {
    let claims = select_claims!("where account_id = $1 order by id desc limit 100", account);
    let rows = claims.fetch_all(pool).await?;
    Ok(readable(rows.iter().map(read)))
}

/// The waiting claims, oldest first, after this key.
pub async fn list_waiting(
    pool: &PgPool,
    after: Option<(OffsetDateTime, Uuid)>,
    limit: i64,
) -> Result<Vec<Claim>, sqlx::Error> {
    let (made_at, id) = after.unzip();
    let claims = select_claims!(
        "where state = 'waiting' and ($1::timestamptz is null or (made_at, id) > ($1, $2::uuid)) order by made_at, id limit $3",
        made_at,
        id,
        limit
    );
    let rows = claims.fetch_all(pool).await?;
    Ok(readable(rows.iter().map(read)))
}

pub async fn count_waiting(pool: &PgPool) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!" from listings.claim where state = 'waiting'"#
    )
    .fetch_one(pool)
    .await
}

/// Number of waiting claims of an account, without one of this page.
pub async fn count_others(
    connection: &mut PgConnection,
    page: Uuid,
    account: Uuid,
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

/// Ends a claim; only a rejection has a reason.
pub async fn decide(
    connection: &mut PgConnection,
    id: Uuid,
    state: ClaimState,
    reason: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update listings.claim set state = $2, reason = $3, decided_at = $4 where id = $1",
        id,
        state.as_str(),
        reason,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes a claim.
pub async fn delete(connection: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from listings.claim where id = $1", id).execute(connection).await?;
    Ok(())
}

/// Rejects the waiting claims of an account.
pub async fn reject_waiting(
    connection: &mut PgConnection,
    account: Uuid,
    reason: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update listings.claim set state = 'rejected', reason = $2, decided_at = $3 where account_id = $1 and state = 'waiting'",
        account,
        reason,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}
