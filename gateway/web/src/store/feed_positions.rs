//! `web.feed_position`: up to where the feeds of other services were read.

use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;

/// Up to which time the feed of a service was read; `None` before the first time.
pub async fn find(pool: &PgPool, producer: &str) -> Result<Option<OffsetDateTime>, sqlx::Error> {
    sqlx::query_scalar!("select at from web.feed_position where producer = $1", producer,)
        .fetch_optional(pool)
        .await
}

/// Moves a position, unless another replica has moved it away from `from`. Returns whether it was moved.
pub async fn advance(
    executor: impl PgExecutor<'_>,
    producer: &str,
    from: Option<OffsetDateTime>,
    to: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let moved = sqlx::query!(
        "insert into web.feed_position as stored (producer, at) values ($1, $2)
         on conflict (producer) do update set at = excluded.at where stored.at = $3",
        producer,
        to,
        from,
    );
    Ok(moved.execute(executor).await?.rows_affected() == 1)
}
