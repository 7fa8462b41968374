//! The table `gateway.feed_cursor`, which the followers write ([`kit::feed`]).

use kit::feed::Position;
use sqlx::PgPool;

use crate::feeds::listings::PRODUCER;

/// Whether the games and pages in PostgreSQL are at least those of this position of listings-svc.
pub async fn has_reached(pool: &PgPool, position: Position) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (
               select from gateway.feed_cursor
               where producer = $1 and epoch = $2 and seq >= $3 and rebuilding_to is null
           ) as "reached!""#,
        PRODUCER,
        position.epoch,
        position.seq,
    )
    .fetch_one(pool)
    .await
}
