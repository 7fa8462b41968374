//! Reading the gateway's own feed, for what this process keeps in memory. Other services read it by gRPC.

use kit::feed::Position;
use sqlx::PgConnection;

/// What a row of the feed is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Kind of entity.
    pub entity: String,
    /// Which one.
    pub id: String,
}

/// Where the feed stands.
pub async fn head(connection: &mut PgConnection) -> Result<Position, sqlx::Error> {
    sqlx::query_as!(Position, "select epoch, seq from gateway.feed_head")
        .fetch_one(connection)
        .await
}

/// What has changed after `after`, up to `to`.
pub async fn between(
    connection: &mut PgConnection,
    after: i64,
    to: i64,
) -> Result<Vec<Change>, sqlx::Error> {
    sqlx::query_as!(
        Change,
        "select distinct entity, id from gateway.feed where seq > $1 and seq <= $2",
        after,
        to,
    )
    .fetch_all(connection)
    .await
}
