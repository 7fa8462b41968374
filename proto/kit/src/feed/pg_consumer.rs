//! A follower that stores the changes and its cursor in PostgreSQL, in one transaction.

use std::future::Future;
use std::time::Duration;

use contracts::common::v1 as proto;
use sqlx::postgres::PgPool;
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use uuid::Uuid;

use super::cursor::{Cursor, Fingerprint};
use super::{Consumer, Position};
use crate::ids;
use crate::pg::Schema;

/// Applies the changes of a producer inside the transaction that also stores the cursor.
pub trait ChangeHandler: Send + Sync {
    /// Applies changes. The rows that it writes carry `context.generation`, so that a rebuild can tell its own rows from older ones.
    fn apply(
        &self,
        connection: &mut PgConnection,
        changes: &[proto::Change],
        context: ApplyContext,
    ) -> impl Future<Output = anyhow::Result<()>> + Send;

    /// Called after the transaction of [`ChangeHandler::apply`] has committed.
    fn committed(&self) {}

    /// Deletes the rows of older generations. Called when the rebuild of `generation` is complete.
    fn sweep(
        &self,
        connection: &mut PgConnection,
        generation: Uuid,
    ) -> impl Future<Output = anyhow::Result<()>> + Send;
}

/// How to apply a batch of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApplyContext {
    /// Marks the rows that the newest rebuild wrote, and all rows after it.
    pub generation: Uuid,
    /// Changes up to this `seq` are older than this follower, or than a restore: apply them to the rows, but send nothing because of
    /// them.
    pub effects_after_seq: i64,
}

/// A [`Consumer`] with its cursor in the table `feed_cursor` of its schema.
///
/// The cursor only moves from the value that this process read last. When two processes follow at once, one of them fails.
#[derive(Debug)]
pub struct PgConsumer<H> {
    pool: PgPool,
    schema: Schema,
    producer: &'static str,
    handler: H,
    cursor: Option<StoredCursor>,
}

#[derive(Debug, Clone, Copy)]
struct StoredCursor {
    epoch: Uuid,
    seq: i64,
    effects_after_seq: i64,
    rebuilding_to: Option<i64>,
    generation: Uuid,
    last_row: Option<Fingerprint>,
}

impl<H: ChangeHandler> PgConsumer<H> {
    /// Applies the changes of `producer` with `handler`.
    pub fn new(pool: PgPool, schema: Schema, producer: &'static str, handler: H) -> Self {
        Self {
            pool,
            schema,
            producer,
            handler,
            cursor: None,
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn load(&self) -> Result<Option<StoredCursor>, sqlx::Error> {
        let sql = format!(
            "select epoch, seq, acts_after, rebuilding_to, coalesce(generation, epoch) as generation, last_row
             from {}.feed_cursor where producer = $1",
            self.schema
        );
        let row = sqlx::query(AssertSqlSafe(sql))
            .bind(self.producer)
            .fetch_optional(&self.pool)
            .await?;
        row.map(|row| {
            let last_row: Option<Vec<u8>> = row.try_get("last_row")?;
            Ok(StoredCursor {
                epoch: row.try_get("epoch")?,
                seq: row.try_get("seq")?,
                effects_after_seq: row.try_get("acts_after")?,
                rebuilding_to: row.try_get("rebuilding_to")?,
                generation: row.try_get("generation")?,
                last_row: last_row.and_then(|row| Fingerprint::from_bytes(&row)),
            })
        })
        .transpose()
    }

    /// Moves the cursor from the value that this process read last.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn advance(&self, connection: &mut PgConnection, to: StoredCursor) -> anyhow::Result<()> {
        let sql = format!(
            "insert into {}.feed_cursor as current (producer, epoch, seq, acts_after, rebuilding_to, generation, last_row)
             values ($1, $2, $3, $4, $5, $6, $7)
             on conflict (producer) do update set epoch = excluded.epoch, seq = excluded.seq,
                 acts_after = excluded.acts_after, rebuilding_to = excluded.rebuilding_to,
                 generation = excluded.generation, last_row = excluded.last_row
             where current.epoch = $8 and current.seq = $9",
            self.schema
        );
        let moved = sqlx::query(AssertSqlSafe(sql))
            .bind(self.producer)
            .bind(to.epoch)
            .bind(to.seq)
            .bind(to.effects_after_seq)
            .bind(to.rebuilding_to)
            .bind(to.generation)
            .bind(to.last_row.as_ref().map(Fingerprint::as_bytes))
            .bind(self.cursor.map(|cursor| cursor.epoch))
            .bind(self.cursor.map(|cursor| cursor.seq))
            .execute(connection)
            .await?;
        anyhow::ensure!(
            moved.rows_affected() == 1,
            "another process follows {} as well and has moved the cursor; this one starts again from the stored cursor",
            self.producer
        );
        Ok(())
    }

    /// Deletes the rows of older generations once the rebuild is complete.
    async fn sweep_if_rebuilt(
        &self,
        connection: &mut PgConnection,
        mut cursor: StoredCursor,
    ) -> anyhow::Result<StoredCursor> {
        if cursor.rebuilding_to.is_some_and(|head| cursor.seq >= head) {
            self.handler.sweep(connection, cursor.generation).await?;
            cursor.rebuilding_to = None;
        }
        Ok(cursor)
    }
}

impl<H: ChangeHandler> Consumer for PgConsumer<H> {
    /// A transaction for each change would cost more than the change itself.
    const PAUSE: Duration = Duration::from_millis(50);

    fn producer(&self) -> &'static str {
        self.producer
    }

    async fn cursor(&mut self) -> anyhow::Result<Option<Cursor>> {
        self.cursor = self.load().await?;
        Ok(self.cursor.map(|cursor| Cursor {
            position: Position {
                epoch: cursor.epoch,
                seq: cursor.seq,
            },
            last_row: cursor.last_row,
        }))
    }

    async fn start(&mut self, epoch: Uuid, head: i64, reset: bool) -> anyhow::Result<()> {
        let to = match self.cursor {
            Some(cursor) if !reset && cursor.epoch == epoch => return Ok(()),
            // The new epoch may be shorter than the one before. A `seq` above its head belongs to a change that is still to come.
            Some(cursor) if !reset => StoredCursor {
                epoch,
                effects_after_seq: cursor.effects_after_seq.min(head),
                rebuilding_to: cursor.rebuilding_to.map(|end| end.min(head)),
                ..cursor
            },
            _ => StoredCursor {
                epoch,
                seq: 0,
                effects_after_seq: head,
                rebuilding_to: Some(head),
                // Not the epoch: a follower may have to rebuild twice within one epoch.
                generation: ids::row_id(),
                last_row: None,
            },
        };
        let mut transaction = self.pool.begin().await?;
        let to = self.sweep_if_rebuilt(&mut transaction, to).await?;
        self.advance(&mut transaction, to).await?;
        transaction.commit().await?;
        self.cursor = Some(to);
        Ok(())
    }

    async fn apply(&mut self, epoch: Uuid, changes: Vec<proto::Change>) -> anyhow::Result<()> {
        let (Some(from), Some(last)) = (self.cursor, changes.last()) else {
            anyhow::bail!("the producer sent changes before the start of the stream");
        };
        let to = StoredCursor {
            epoch,
            seq: last.seq,
            last_row: Some(Fingerprint::of(last)),
            ..from
        };
        let context = ApplyContext {
            generation: from.generation,
            effects_after_seq: from.effects_after_seq,
        };
        // The commit does not wait for the disk. A crash of PostgreSQL may undo the last transactions, cursor included; the follower then
        // reads these changes again, and the feed keeps them for much longer than that takes.
        let begin = "begin; set local synchronous_commit = off";
        let mut transaction = self.pool.begin_with(begin).await?;
        self.handler
            .apply(&mut transaction, &changes, context)
            .await?;
        let to = self.sweep_if_rebuilt(&mut transaction, to).await?;
        self.advance(&mut transaction, to).await?;
        transaction.commit().await?;
        self.handler.committed();
        self.cursor = Some(to);
        Ok(())
    }
}
