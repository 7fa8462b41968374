//! `catalogue.voter`.

use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

/// Locks a voter, so that votes of the voter are cast and voided one after the other. Returns whether the votes are void.
pub async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<Option<bool>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select voided_at is not null as "is_void!" from catalogue.voter where id = $1 for update"#,
        id
    )
    .fetch_optional(connection)
    .await
}

/// Adds a new voter. Returns false if another transaction has just added the voter.
pub async fn insert(
    connection: &mut PgConnection,
    voter: Uuid,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query!(
        "insert into catalogue.voter (id, first_seen_at) values ($1, $2) on conflict do nothing",
        voter,
        now
    )
    .execute(connection)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Voids the votes of a voter, or lets them count again.
pub async fn set_voided(
    connection: &mut PgConnection,
    id: Uuid,
    voided_at: Option<OffsetDateTime>,
) -> Result<(), sqlx::Error> {
    sqlx::query!("update catalogue.voter set voided_at = $2 where id = $1", id, voided_at)
        .execute(connection)
        .await?;
    Ok(())
}

/// Removes voters who were first seen before this moment, have no stored vote and are not void; at most `portion` of them.
pub async fn remove_without_votes(
    pool: &PgPool,
    seen_before: OffsetDateTime,
    portion: i64,
) -> Result<u64, sqlx::Error> {
    let mut transaction = kit::pg::begin(pool).await?;
    // A voter who is voting now is locked, and stays.
    let locked = sqlx::query_scalar!(
        "select id from catalogue.voter
         where first_seen_at < $1 and voided_at is null and not exists (select from catalogue.vote where voter_id = voter.id)
         limit $2 for update skip locked",
        seen_before,
        portion
    )
    .fetch_all(&mut *transaction)
    .await?;
    // A second statement sees the vote of a voter who voted while the first one ran.
    let removed = sqlx::query!(
        "delete from catalogue.voter where id = any ($1) and not exists (select from catalogue.vote where voter_id = voter.id)",
        &locked
    )
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(removed.rows_affected())
}
