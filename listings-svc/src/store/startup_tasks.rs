//! Startup tasks: the input with which each was last done.

use sqlx::PgPool;
use time::OffsetDateTime;

/// The input with which the task was last done.
pub async fn last_input(pool: &PgPool, name: &str) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "select input from listings.start_work where name = $1",
        name
    )
    .fetch_optional(pool)
    .await
}

/// Records that the task is done.
pub async fn set_done(
    pool: &PgPool,
    name: &str,
    input: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into listings.start_work (name, input, at) values ($1, $2, $3)
         on conflict (name) do update set input = excluded.input, at = excluded.at",
        name,
        input,
        now
    )
    .execute(pool)
    .await?;
    Ok(())
}
