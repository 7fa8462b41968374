//! The table of plans on the gateway's feed.

use sqlx::PgConnection;

/// The table as it was last published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    pub revision: i64,
    /// The encoded `gateway.v1.Plans`.
    pub state: Vec<u8>,
}

pub async fn published(connection: &mut PgConnection) -> Result<Option<Published>, sqlx::Error> {
    sqlx::query_as!(
        Published,
        "select revision, state from gateway.feed where entity = 'plans' and id = 'plans' order by seq desc limit 1"
    )
    .fetch_optional(connection)
    .await
}
