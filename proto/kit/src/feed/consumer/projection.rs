//! What a service says about a feed that it follows: how a change becomes rows and messages.

use std::future::Future;

use contracts::common::v1::Change;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::pg::Schema;

/// Turns the changes of a producer into rows of this service, and into messages to others.
///
/// A change that cannot be decoded, or whose data PostgreSQL refuses, is skipped, and the changes after it go on. Entity types that this
/// version does not need or know are `Ok(None)`; the version that stores a new one resets the cursor ("Epochs" in the kit's README).
pub trait Projection: Send + Sync + 'static {
    /// What is stored of a change; `()`: nothing.
    type Row: Send;
    /// What is sent because of a change.
    type Message: Send;

    /// The tables, in the schema of the service, whose rows carry the generation of the rebuild that wrote them. Rows of older generations
    /// are deleted when a rebuild is complete.
    const TABLES: &'static [&'static str] = &[];

    /// The most messages that one transaction sends, with their rows and the cursor. A change whose message is not due, as in a rebuild, does
    /// not count.
    ///
    /// A projection sets it when a message may become many rows: a statement that passes its limit of 30 s fails, and the follower would read
    /// the same changes again for ever.
    const MAX_MESSAGES: usize = usize::MAX;

    /// The row of a change; `None` when this service stores nothing of it.
    ///
    /// # Errors
    /// The change cannot be decoded.
    fn row(&self, _change: &Change) -> anyhow::Result<Option<Self::Row>> {
        Ok(None)
    }

    /// The message of a change. The kit asks only for announced changes whose effects are not suppressed.
    ///
    /// # Errors
    /// The change cannot be decoded.
    fn message(&self, _change: &Change) -> anyhow::Result<Option<Self::Message>> {
        Ok(None)
    }

    /// Writes rows, in the order of their changes; one entity may have several. They carry `generation`, so that a rebuild can tell
    /// its own rows from older ones.
    ///
    /// # Errors
    /// An error of PostgreSQL that depends on the data, or any other error, refuses the change.
    fn save(
        &self,
        _connection: &mut PgConnection,
        _generation: Uuid,
        _rows: Vec<Self::Row>,
    ) -> impl Future<Output = anyhow::Result<()>> + Send {
        async { Ok(()) }
    }

    /// Stores messages to be sent. The rows of the same changes are written already.
    ///
    /// # Errors
    /// As for [`save`](Self::save).
    fn send(
        &self,
        _connection: &mut PgConnection,
        _messages: Vec<Self::Message>,
    ) -> impl Future<Output = anyhow::Result<()>> + Send {
        async { Ok(()) }
    }

    /// Called after rows or messages were committed.
    fn committed(&self) {}

    /// Deletes the rows of older generations of a table that [`TABLES`](Self::TABLES) does not name, because more depends on them. Called
    /// when the rebuild of `generation` is complete.
    ///
    /// # Errors
    /// The errors of PostgreSQL.
    fn sweep(
        &self,
        _connection: &mut PgConnection,
        _generation: Uuid,
    ) -> impl Future<Output = Result<(), sqlx::Error>> + Send {
        async { Ok(()) }
    }
}

/// Deletes the rows of tables that the rebuild of `generation` did not write.
///
/// # Errors
/// The errors of PostgreSQL.
pub async fn sweep(
    schema: Schema,
    connection: &mut PgConnection,
    tables: &[&str],
    generation: Uuid,
) -> Result<(), sqlx::Error> {
    for table in tables {
        let sql = format!("delete from kit.{table} where generation <> $1");
        let sweeping = schema.query(&sql).bind(generation);
        sweeping.execute(&mut *connection).await?;
    }
    Ok(())
}
