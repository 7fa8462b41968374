//! The table `gateway.feed_cursor`, which the followers write ([`kit::feed`]).

use kit::feed::Position;
use sqlx::PgPool;

/// Whether this service has followed `producer` to this position.
pub async fn has_reached(
    pool: &PgPool,
    producer: &str,
    position: Position,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (
               select from gateway.feed_cursor
               where producer = $1 and epoch = $2 and seq >= $3 and rebuilding_to is null
           ) as "reached!""#,
        producer,
        position.epoch,
        position.seq,
    )
    .fetch_one(pool)
    .await
}
