//! `web.feed_position`: up to where the feeds of other services were read.

use kit::feed::Position;
use sqlx::{PgExecutor, PgPool};

/// Up to where the feed of a service was read; `None` before the first time.
pub async fn find(pool: &PgPool, producer: &str) -> Result<Option<Position>, sqlx::Error> {
    sqlx::query_as!(
        Position,
        "select epoch, seq from web.feed_position where producer = $1",
        producer,
    )
    .fetch_optional(pool)
    .await
}

/// Moves a position, unless another replica has moved it away from `from`. Returns whether it was moved.
pub async fn advance(
    executor: impl PgExecutor<'_>,
    producer: &str,
    from: Option<Position>,
    to: Position,
) -> Result<bool, sqlx::Error> {
    let moved = sqlx::query!(
        "insert into web.feed_position as stored (producer, epoch, seq) values ($1, $2, $3)
         on conflict (producer) do update set epoch = excluded.epoch, seq = excluded.seq
         where stored.epoch = $4 and stored.seq = $5",
        producer,
        to.epoch,
        to.seq,
        from.map(|from| from.epoch),
        from.map(|from| from.seq),
    );
    Ok(moved.execute(executor).await?.rows_affected() == 1)
}
