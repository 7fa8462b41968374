//! A follower that stores rows and its cursor in PostgreSQL, in one transaction.

use std::time::Duration;

use anyhow::Context as _;
use contracts::common::v1 as proto;
use sqlx::PgConnection;
use sqlx::postgres::PgPool;
use time::OffsetDateTime;
use tokio::time::timeout;
use uuid::Uuid;

use super::project::{Item, project};
use super::projection::{Projection, sweep};
use super::{Consumer, Rebuild};
use crate::api::timestamp;
use crate::feed::{Cursor, Position};
use crate::pg::Schema;
use crate::{ids, pg};

/// Begins a transaction of a follower. It does not wait long for locks, and PostgreSQL ends it when its process stands still: its
/// successor waits for the same rows. The commit waits for the disk, as every commit does: a caller may have seen a position that a follower
/// gave to a row.
const BEGIN: &str = "begin;
    set local statement_timeout = '30s';
    set local lock_timeout = '3s';
    set local idle_in_transaction_session_timeout = '5s'";
/// A sweep may delete millions of rows in one statement.
const LONG_STATEMENT: &str = "set local statement_timeout = '10min'";

/// How long a transaction of a follower may take. A statement that PostgreSQL never answers would otherwise stop the follower for ever: its
/// lease is renewed over other connections.
const TRANSACTION_TIMEOUT: Duration = Duration::from_mins(5);
/// The same for the transaction that sweeps.
const SWEEP_TIMEOUT: Duration = Duration::from_mins(30);

/// A feed that a service follows: the service's schema, and the producer's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subscription {
    /// The schema of the follower.
    pub schema: Schema,
    /// The name of the producer.
    pub producer: &'static str,
}

/// How to apply changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProjectionContext {
    /// Marks the rows that the newest rebuild wrote, and all rows after it.
    pub generation: Uuid,
    /// Changes up to this time are older than this follower, or had their effects already: they become rows, and no messages.
    pub effects_until: OffsetDateTime,
}

/// A [`Consumer`] with its cursor in the table `feed_cursor` of its schema. It owns the transaction: rows, messages and the cursor are
/// committed together.
///
/// The cursor only moves from the value that this process read last. When two processes follow at once, one of them fails.
#[derive(Debug)]
pub struct PgConsumer<P> {
    pool: PgPool,
    feed: Subscription,
    projection: P,
    cursor: Option<StoredCursor>,
}

#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct StoredCursor {
    epoch: Uuid,
    seq: i64,
    at: OffsetDateTime,
    rebuilding_to: Option<i64>,
    generation: Uuid,
    effects_until: OffsetDateTime,
}

impl StoredCursor {
    /// Whether a rebuild ends here, and the rows of older generations are to be deleted.
    fn is_rebuilt(&self) -> bool {
        self.rebuilding_to.is_some_and(|head| self.seq >= head)
    }
}

/// Applies changes inside an open transaction, as a [`PgConsumer`] does, without moving a cursor.
///
/// # Errors
/// PostgreSQL failed. A change that is refused is no error: it is skipped.
pub async fn project_changes<P: Projection>(
    connection: &mut PgConnection,
    producer: &'static str,
    projection: &P,
    changes: Vec<proto::Change>,
    context: ProjectionContext,
) -> Result<(), sqlx::Error> {
    let item = |change: proto::Change| Item {
        message_due: is_message_due(&change, context.effects_until),
        change,
    };
    let items: Vec<Item> = changes.into_iter().map(item).collect();
    project(projection, producer, connection, context.generation, &items).await
}

fn is_message_due(change: &proto::Change, effects_until: OffsetDateTime) -> bool {
    change.announced && time_of(change).is_none_or(|at| at > effects_until)
}

/// How many of `changes` one transaction applies: up to the one with the last of `max_messages`.
fn transaction_length(
    changes: &[proto::Change],
    effects_until: OffsetDateTime,
    max_messages: usize,
) -> usize {
    let mut with_message =
        (1..=changes.len()).filter(|length| is_message_due(&changes[length - 1], effects_until));
    let last = with_message.nth(max_messages - 1);
    last.unwrap_or(changes.len())
}

fn time_of(change: &proto::Change) -> Option<OffsetDateTime> {
    change.at.and_then(timestamp::decode_exact)
}

impl<P: Projection> PgConsumer<P> {
    /// Applies the changes of `feed` with `projection`.
    pub fn new(pool: PgPool, feed: Subscription, projection: P) -> Self {
        Self { pool, feed, projection, cursor: None }
    }

    async fn load(&self) -> Result<Option<StoredCursor>, sqlx::Error> {
        let sql = "select epoch, seq, at, rebuilding_to, generation, effects_until from kit.feed_cursor where producer = $1";
        let query = self.feed.schema.query_as(sql).bind(self.feed.producer);
        let loading =
            pg::in_time(&self.pool, async |connection| query.fetch_optional(connection).await);
        loading.await
    }

    /// Moves the cursor from the value that this process read last.
    async fn advance(&self, connection: &mut PgConnection, to: StoredCursor) -> anyhow::Result<()> {
        let sql = "insert into kit.feed_cursor as current (producer, epoch, seq, at, rebuilding_to, generation, effects_until)
             values ($1, $2, $3, $4, $5, $6, $7)
             on conflict (producer) do update set epoch = excluded.epoch, seq = excluded.seq, at = excluded.at,
                 rebuilding_to = excluded.rebuilding_to, generation = excluded.generation, effects_until = excluded.effects_until
             where current.epoch = $8 and current.seq = $9";
        let moved = self
            .feed
            .schema
            .query(sql)
            .bind(self.feed.producer)
            .bind(to.epoch)
            .bind(to.seq)
            .bind(to.at)
            .bind(to.rebuilding_to)
            .bind(to.generation)
            .bind(to.effects_until)
            .bind(self.cursor.map(|cursor| cursor.epoch))
            .bind(self.cursor.map(|cursor| cursor.seq))
            .execute(connection)
            .await?;
        anyhow::ensure!(
            moved.rows_affected() == 1,
            "another process follows {} as well and has moved the cursor; this one starts again from the stored cursor",
            self.feed.producer
        );
        Ok(())
    }

    /// Deletes the rows of older generations once the rebuild is complete.
    async fn sweep_if_rebuilt(
        &self,
        connection: &mut PgConnection,
        mut cursor: StoredCursor,
    ) -> anyhow::Result<StoredCursor> {
        if cursor.is_rebuilt() {
            pg::statement::raw_sql(LONG_STATEMENT).execute(&mut *connection).await?;
            let (schema, generation) = (self.feed.schema, cursor.generation);
            sweep(schema, connection, P::TABLES, generation).await?;
            self.projection.sweep(connection, generation).await?;
            cursor.rebuilding_to = None;
        }
        Ok(cursor)
    }

    /// Applies changes and moves the cursor to the last of them, in one transaction.
    async fn apply(&mut self, epoch: Uuid, changes: Vec<proto::Change>) -> anyhow::Result<()> {
        let (Some(from), Some(last)) = (self.cursor, changes.last()) else {
            anyhow::bail!("the producer sent changes before the start of the stream");
        };
        let last =
            Cursor::after(epoch, last).context("the producer sent a change without a time")?;
        let until = from.effects_until;
        let to = StoredCursor {
            epoch,
            seq: last.position.seq,
            at: last.at,
            effects_until: last.at.max(until),
            ..from
        };
        let context = ProjectionContext { generation: from.generation, effects_until: until };
        self.commit(to, changes, context).await?;
        self.projection.committed();
        Ok(())
    }

    /// Applies changes and moves the cursor, in one transaction, unless PostgreSQL does not answer.
    async fn commit(
        &mut self,
        to: StoredCursor,
        changes: Vec<proto::Change>,
        context: ProjectionContext,
    ) -> anyhow::Result<()> {
        let committing = async {
            let mut transaction = pg::begin_with(&self.pool, BEGIN).await?;
            let (producer, projection) = (self.feed.producer, &self.projection);
            project_changes(&mut transaction, producer, projection, changes, context).await?;
            let to = self.sweep_if_rebuilt(&mut transaction, to).await?;
            self.advance(&mut transaction, to).await?;
            transaction.commit().await?;
            anyhow::Ok(to)
        };
        let limit = if to.is_rebuilt() { SWEEP_TIMEOUT } else { TRANSACTION_TIMEOUT };
        let ended = timeout(limit, committing).await;
        self.cursor = Some(ended.context("PostgreSQL does not answer")??);
        Ok(())
    }
}

impl<P: Projection> Consumer for PgConsumer<P> {
    /// A transaction for each change would cost more than the change itself.
    const PAUSE: Duration = Duration::from_millis(50);

    fn producer(&self) -> &'static str {
        self.feed.producer
    }

    async fn cursor(&mut self) -> anyhow::Result<Option<Cursor>> {
        self.cursor = self.load().await?;
        Ok(self.cursor.map(|cursor| Cursor {
            position: Position { epoch: cursor.epoch, seq: cursor.seq },
            at: cursor.at,
        }))
    }

    async fn begin_rebuild(&mut self, rebuild: Rebuild) -> anyhow::Result<()> {
        let Rebuild { epoch, head, head_at } = rebuild;
        let to = StoredCursor {
            epoch,
            seq: 0,
            at: OffsetDateTime::UNIX_EPOCH,
            rebuilding_to: Some(head),
            // Not the epoch: a follower may have to rebuild twice within one epoch.
            generation: ids::row_id(),
            // What is on the feed is older than a new follower.
            effects_until: self.cursor.map_or(head_at, |cursor| cursor.effects_until),
        };
        let context =
            ProjectionContext { generation: to.generation, effects_until: to.effects_until };
        self.commit(to, Vec::new(), context).await
    }

    async fn handle_batch(
        &mut self,
        epoch: Uuid,
        mut changes: Vec<proto::Change>,
    ) -> anyhow::Result<()> {
        while !changes.is_empty() {
            let effects_until =
                self.cursor.map_or(OffsetDateTime::UNIX_EPOCH, |it| it.effects_until);
            let length = transaction_length(&changes, effects_until, P::MAX_MESSAGES);
            let later = changes.split_off(length);
            self.apply(epoch, changes).await?;
            changes = later;
        }
        Ok(())
    }
}
