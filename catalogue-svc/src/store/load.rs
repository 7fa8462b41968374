//! Loads the schema: the transaction of a load, and the cursor of the schema in the listings feed.

use kit::feed::Position;
use sqlx::{PgConnection, PgPool, Postgres, Transaction};
use uuid::Uuid;

/// The cursor of the schema in the listings feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The newest change that the schema includes.
    pub position: Position,
    /// Marks the rows of the newest rebuild.
    pub generation: Uuid,
    /// While the schema is rebuilt: the change at which it is complete again.
    pub rebuilding_to: Option<i64>,
}

/// Begins the transaction in which a replica loads all rows.
///
/// One statement reads all rows, and the last of them are converted while the session is idle. The session locks no row, but vacuum waits
/// for its snapshot, so a process that hangs meanwhile does not keep it for ever.
pub async fn begin(pool: &PgPool) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
    pool.begin_with(
        "begin isolation level repeatable read, read only;
         set local statement_timeout = 0;
         set local idle_in_transaction_session_timeout = '10min'",
    )
    .await
}

/// The cursor; `None`: the feed was never followed.
pub async fn cursor(connection: &mut PgConnection) -> Result<Option<Cursor>, sqlx::Error> {
    let row = sqlx::query!(
        "select epoch, seq, rebuilding_to, generation from catalogue.feed_cursor where producer = $1",
        crate::PRODUCER
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| Cursor {
        position: Position {
            epoch: row.epoch,
            seq: row.seq,
        },
        generation: row.generation,
        rebuilding_to: row.rebuilding_to,
    }))
}
