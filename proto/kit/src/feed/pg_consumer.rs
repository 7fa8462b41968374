//! A follower that stores rows and its cursor in PostgreSQL, in one transaction.

use std::time::Duration;

use anyhow::Context as _;
use contracts::common::v1 as proto;
use sqlx::PgConnection;
use sqlx::postgres::PgPool;
use time::OffsetDateTime;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use super::cursor::{Cursor, Fingerprint};
use super::dead_letter::{ChangeSource, Subscription};
use super::project::Item;
use super::projection::{Projection, sweep};
use super::{Consumer, Position, StreamStart};
use crate::{ids, pg, timestamp};

/// Begins a transaction of a follower. It does not wait long for locks, and PostgreSQL ends it when its process stands still: its
/// successor waits for the same rows.
///
/// The commit does not wait for the disk. A crash of PostgreSQL may undo the last transactions, cursor included; the follower then reads
/// these changes again, and the feed keeps them for much longer than that takes.
const BEGIN: &str = "begin;
    set local synchronous_commit = off;
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

/// The pause before dead letters are retried. It doubles after every retry, up to the second value.
const RETRY_PAUSE: (Duration, Duration) = (Duration::from_secs(10), Duration::from_mins(10));

/// How to apply changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProjectionContext {
    /// Marks the rows that the newest rebuild wrote, and all rows after it.
    pub generation: Uuid,
    /// Changes up to this `seq` are older than this follower, or had their effects already: they become rows, and no messages.
    pub effects_after_seq: i64,
}

/// A [`Consumer`] with its cursor in the table `feed_cursor` of its schema. It owns the transaction: rows, messages, dead letters and the
/// cursor are committed together.
///
/// The cursor only moves from the value that this process read last. When two processes follow at once, one of them fails.
#[derive(Debug)]
pub struct PgConsumer<P, S> {
    pool: PgPool,
    feed: Subscription,
    source: S,
    projection: P,
    cursor: Option<StoredCursor>,
    /// When to retry dead letters, and the pause after that; `None` without dead letters.
    retry: Option<(Instant, Duration)>,
}

#[derive(Debug, Clone, Copy, sqlx::FromRow)]
struct StoredCursor {
    epoch: Uuid,
    seq: i64,
    #[sqlx(rename = "effects_after")]
    effects_after_seq: i64,
    rebuilding_to: Option<i64>,
    generation: Uuid,
    last_row: Option<Fingerprint>,
    /// The time of the newest change whose effects are done.
    effects_until: Option<OffsetDateTime>,
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
/// PostgreSQL failed. A change that is refused is no error: it is put aside.
pub async fn project_changes<P: Projection>(
    connection: &mut PgConnection,
    feed: Subscription,
    projection: &P,
    changes: Vec<proto::Change>,
    context: ProjectionContext,
) -> Result<(), sqlx::Error> {
    let items = items(changes, context);
    feed.project(projection, connection, context.generation, &items, true)
        .await?;
    Ok(())
}

fn items(changes: Vec<proto::Change>, context: ProjectionContext) -> Vec<Item> {
    let item = |change: proto::Change| Item {
        message_due: change.announced && change.seq > context.effects_after_seq,
        change,
    };
    changes.into_iter().map(item).collect()
}

impl<P: Projection, S: ChangeSource> PgConsumer<P, S> {
    /// Applies the changes of `feed` with `projection`. Dead letters are read again from `source`.
    pub fn new(pool: PgPool, feed: Subscription, source: S, projection: P) -> Self {
        Self {
            pool,
            feed,
            source,
            projection,
            cursor: None,
            retry: None,
        }
    }

    async fn load(&self) -> Result<Option<StoredCursor>, sqlx::Error> {
        let sql =
            "select epoch, seq, effects_after, rebuilding_to, generation, last_row, effects_until
             from kit.feed_cursor where producer = $1";
        let query = self.feed.schema.query_as(sql).bind(self.feed.producer);
        let loading = pg::in_time(&self.pool, async |connection| {
            query.fetch_optional(connection).await
        });
        loading.await
    }

    /// Moves the cursor from the value that this process read last.
    async fn advance(&self, connection: &mut PgConnection, to: StoredCursor) -> anyhow::Result<()> {
        let sql = "insert into kit.feed_cursor as current (producer, epoch, seq, effects_after, rebuilding_to, generation, last_row, effects_until)
             values ($1, $2, $3, $4, $5, $6, $7, $10)
             on conflict (producer) do update set epoch = excluded.epoch, seq = excluded.seq,
                 effects_after = excluded.effects_after, rebuilding_to = excluded.rebuilding_to,
                 generation = excluded.generation, last_row = excluded.last_row, effects_until = excluded.effects_until
             where current.epoch = $8 and current.seq = $9";
        let moved = self
            .feed
            .schema
            .query(sql)
            .bind(self.feed.producer)
            .bind(to.epoch)
            .bind(to.seq)
            .bind(to.effects_after_seq)
            .bind(to.rebuilding_to)
            .bind(to.generation)
            .bind(to.last_row)
            .bind(self.cursor.map(|cursor| cursor.epoch))
            .bind(self.cursor.map(|cursor| cursor.seq))
            .bind(to.effects_until)
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
            pg::statement::raw_sql(LONG_STATEMENT)
                .execute(&mut *connection)
                .await?;
            let (schema, generation) = (self.feed.schema, cursor.generation);
            sweep(schema, connection, P::TABLES, generation).await?;
            self.projection.sweep(connection, generation).await?;
            cursor.rebuilding_to = None;
        }
        Ok(cursor)
    }

    /// Retries all dead letters, and decides when to do so again.
    async fn retry_dead_letters(&mut self) {
        let Some((_, pause)) = self.retry.take() else {
            return;
        };
        let (pool, source) = (&self.pool, &self.source);
        let retrying = self.feed.retry(pool, source, &self.projection, &[]);
        let is_left = match timeout(SWEEP_TIMEOUT, retrying).await {
            Ok(Ok(retried)) => retried.refused > 0,
            Ok(Err(error)) => {
                tracing::warn!(%error, producer = self.feed.producer, "cannot retry dead letters; trying again");
                true
            }
            Err(_too_late) => true,
        };
        if is_left {
            self.retry = Some((Instant::now() + pause, (pause * 2).min(RETRY_PAUSE.1)));
        }
    }
}

/// Ends the transaction that moves the cursor to `to` when PostgreSQL does not answer.
async fn in_time<T>(
    to: StoredCursor,
    transaction: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    let limit = if to.is_rebuilt() {
        SWEEP_TIMEOUT
    } else {
        TRANSACTION_TIMEOUT
    };
    let ended = timeout(limit, transaction).await;
    ended.context("PostgreSQL does not answer")?
}

impl<P: Projection, S: ChangeSource> Consumer for PgConsumer<P, S> {
    /// A transaction for each change would cost more than the change itself.
    const PAUSE: Duration = Duration::from_millis(50);

    fn producer(&self) -> &'static str {
        self.feed.producer
    }

    async fn cursor(&mut self) -> anyhow::Result<Option<Cursor>> {
        self.cursor = self.load().await?;
        Ok(self.cursor.map(|cursor| Cursor {
            position: Position {
                epoch: cursor.epoch,
                seq: cursor.seq,
            },
            last_row: cursor.last_row,
            effects_until: cursor.effects_until,
        }))
    }

    /// While a rebuild or a replay reads old changes. Compaction waits for a registered follower with everything else.
    fn may_miss_until(&self, stream: &StreamStart) -> i64 {
        self.cursor.map_or(stream.head, |cursor| {
            let rebuilt = cursor.rebuilding_to.unwrap_or_default();
            rebuilt.max(cursor.effects_after_seq)
        })
    }

    async fn start(&mut self, stream: StreamStart) -> anyhow::Result<()> {
        // A newer version may be able to apply them.
        let counting = pg::in_time(&self.pool, async |connection| {
            self.feed.count(connection).await
        });
        let letters = counting.await?;
        self.retry = (letters > 0).then(|| (Instant::now(), RETRY_PAUSE.0));
        self.retry_dead_letters().await;
        let StreamStart {
            epoch,
            head,
            reset,
            effects_after,
        } = stream;
        let to = match self.cursor {
            Some(cursor) if !reset && cursor.epoch == epoch => return Ok(()),
            // The new epoch may be shorter than the one before. A `seq` above its head belongs to a change that is still to come.
            Some(cursor) if !reset => StoredCursor {
                epoch,
                effects_after_seq: cursor.effects_after_seq.min(head),
                rebuilding_to: cursor.rebuilding_to.map(|end| end.min(head)),
                ..cursor
            },
            cursor => StoredCursor {
                epoch,
                seq: 0,
                effects_after_seq: effects_after,
                rebuilding_to: Some(head),
                // Not the epoch: a follower may have to rebuild twice within one epoch.
                generation: ids::row_id(),
                last_row: None,
                effects_until: cursor.and_then(|cursor| cursor.effects_until),
            },
        };
        let moving = async {
            let mut transaction = self.pool.begin_with(BEGIN).await?;
            let to = self.sweep_if_rebuilt(&mut transaction, to).await?;
            self.advance(&mut transaction, to).await?;
            transaction.commit().await?;
            anyhow::Ok(to)
        };
        self.cursor = Some(in_time(to, moving).await?);
        Ok(())
    }

    async fn handle_batch(
        &mut self,
        epoch: Uuid,
        changes: Vec<proto::Change>,
    ) -> anyhow::Result<()> {
        let (Some(from), Some(last)) = (self.cursor, changes.last()) else {
            anyhow::bail!("the producer sent changes before the start of the stream");
        };
        let at = last.at.and_then(timestamp::decode);
        let to = StoredCursor {
            epoch,
            seq: last.seq,
            last_row: Some(Fingerprint::of(last)),
            // While effects are suppressed, an older time stands for the changes that had theirs.
            effects_until: at
                .filter(|_| last.seq >= from.effects_after_seq)
                .or(from.effects_until),
            ..from
        };
        let context = ProjectionContext {
            generation: from.generation,
            effects_after_seq: from.effects_after_seq,
        };
        let items = items(changes, context);
        let applying = async {
            let mut transaction = self.pool.begin_with(BEGIN).await?;
            let projected = self.feed.project(
                &self.projection,
                &mut transaction,
                from.generation,
                &items,
                self.retry.is_some(),
            );
            let has_put_aside = projected.await?;
            let to = self.sweep_if_rebuilt(&mut transaction, to).await?;
            self.advance(&mut transaction, to).await?;
            transaction.commit().await?;
            anyhow::Ok((to, has_put_aside))
        };
        let (to, has_put_aside) = in_time(to, applying).await?;
        self.projection.committed();
        self.cursor = Some(to);
        if has_put_aside {
            self.retry = Some((Instant::now() + RETRY_PAUSE.0, RETRY_PAUSE.0));
        }
        Ok(())
    }

    async fn idle(&mut self) -> anyhow::Result<()> {
        let position = |cursor: StoredCursor| (cursor.epoch, cursor.seq);
        let stored = self.load().await?;
        anyhow::ensure!(
            stored.map(position) == self.cursor.map(position),
            "the cursor of {} was moved, as for a replay; starting again from it",
            self.feed.producer
        );
        if self.retry.is_some_and(|(due, _)| Instant::now() >= due) {
            self.retry_dead_letters().await;
        }
        Ok(())
    }
}
