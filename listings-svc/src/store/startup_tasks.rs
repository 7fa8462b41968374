//! What was done at a start, and with which input.

use sqlx::PgPool;
use time::OffsetDateTime;

/// The input that the work of this name was last done with.
pub async fn last_input(pool: &PgPool, name: &str) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!(
        "select input from listings.start_work where name = $1",
        name
    )
    .fetch_optional(pool)
    .await
}

/// Notes that the work is done.
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
