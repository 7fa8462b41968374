//! A follower that keeps what it learns in PostgreSQL: changes and cursor in one transaction.

use std::future::Future;
use std::time::Duration;

use contracts::common::v1 as proto;
use sqlx::postgres::PgPool;
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use uuid::Uuid;

use super::{Consumer, Position};
use crate::pg::Schema;

/// What a service does with changes inside the transaction that also stores the cursor.
pub trait Store: Send + Sync {
    /// Takes changes in. Rows carry `taken.epoch`, so that a rebuild can tell old from new.
    fn apply(
        &self,
        connection: &mut PgConnection,
        changes: &[proto::Change],
        taken: Taken,
    ) -> impl Future<Output = anyhow::Result<()>> + Send;

    /// The rebuild under `epoch` is whole: removes what no change of this epoch brought.
    fn sweep(
        &self,
        connection: &mut PgConnection,
        epoch: Uuid,
    ) -> impl Future<Output = anyhow::Result<()>> + Send;
}

/// How changes are to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// The epoch they belong to.
    pub epoch: Uuid,
    /// Changes up to this one were there before this follower was, or before a restore: take them in, act on none.
    pub acts_after: i64,
}

/// A [`Consumer`] that keeps its cursor in `feed_cursor` of its schema.
///
/// The cursor only moves from where it was read, so that of two processes that believe they follow, one is turned away.
#[derive(Debug)]
pub struct Stored<S> {
    pool: PgPool,
    schema: Schema,
    producer: &'static str,
    store: S,
    cursor: Option<Cursor>,
}

#[derive(Debug, Clone, Copy)]
struct Cursor {
    epoch: Uuid,
    seq: i64,
    acts_after: i64,
    rebuilding_to: Option<i64>,
}

impl<S: Store> Stored<S> {
    /// Follows the feed of `producer` into `store`.
    pub fn new(pool: PgPool, schema: Schema, producer: &'static str, store: S) -> Self {
        Self {
            pool,
            schema,
            producer,
            store,
            cursor: None,
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn load(&self) -> Result<Option<Cursor>, sqlx::Error> {
        let sql = format!(
            "select epoch, seq, acts_after, rebuilding_to from {}.feed_cursor where producer = $1",
            self.schema
        );
        let row = sqlx::query(AssertSqlSafe(sql))
            .bind(self.producer)
            .fetch_optional(&self.pool)
            .await?;
        row.map(|row| {
            Ok(Cursor {
                epoch: row.try_get("epoch")?,
                seq: row.try_get("seq")?,
                acts_after: row.try_get("acts_after")?,
                rebuilding_to: row.try_get("rebuilding_to")?,
            })
        })
        .transpose()
    }

    /// Moves the cursor from where this process read it.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn advance(&self, connection: &mut PgConnection, to: Cursor) -> anyhow::Result<()> {
        let sql = format!(
            "insert into {}.feed_cursor as held (producer, epoch, seq, acts_after, rebuilding_to)
             values ($1, $2, $3, $4, $5)
             on conflict (producer) do update set epoch = excluded.epoch, seq = excluded.seq,
                 acts_after = excluded.acts_after, rebuilding_to = excluded.rebuilding_to
             where held.epoch = $6 and held.seq = $7",
            self.schema
        );
        let moved = sqlx::query(AssertSqlSafe(sql))
            .bind(self.producer)
            .bind(to.epoch)
            .bind(to.seq)
            .bind(to.acts_after)
            .bind(to.rebuilding_to)
            .bind(self.cursor.map(|c| c.epoch))
            .bind(self.cursor.map(|c| c.seq))
            .execute(connection)
            .await?;
        anyhow::ensure!(
            moved.rows_affected() == 1,
            "another process follows {} as well; this one steps back",
            self.producer
        );
        Ok(())
    }
}

impl<S: Store> Consumer for Stored<S> {
    /// A transaction for each change would cost more than the change itself does.
    const PAUSE: Duration = Duration::from_millis(50);

    async fn position(&mut self) -> anyhow::Result<Option<Position>> {
        self.cursor = self.load().await?;
        Ok(self.cursor.map(|cursor| Position {
            epoch: cursor.epoch,
            seq: cursor.seq,
        }))
    }

    async fn start(&mut self, epoch: Uuid, head: i64, reset: bool) -> anyhow::Result<()> {
        if !reset {
            return Ok(());
        }
        let empty = head == 0;
        let cursor = Cursor {
            epoch,
            seq: 0,
            acts_after: head,
            rebuilding_to: (!empty).then_some(head),
        };
        let mut transaction = self.pool.begin().await?;
        if empty {
            self.store.sweep(&mut transaction, epoch).await?;
        }
        self.advance(&mut transaction, cursor).await?;
        transaction.commit().await?;
        self.cursor = Some(cursor);
        Ok(())
    }

    async fn apply(&mut self, epoch: Uuid, changes: Vec<proto::Change>) -> anyhow::Result<()> {
        let (Some(from), Some(last)) = (self.cursor, changes.last()) else {
            anyhow::bail!("changes came before the start");
        };
        let whole = from.rebuilding_to.is_some_and(|head| last.seq >= head);
        let to = Cursor {
            seq: last.seq,
            rebuilding_to: from.rebuilding_to.filter(|_| !whole),
            ..from
        };
        let taken = Taken {
            epoch,
            acts_after: from.acts_after,
        };
        // Not waited for until it is on the disk: what a crash of PostgreSQL takes back is followed once more, cursor and all. The feed
        // keeps its rows for much longer.
        let begin = "begin; set local synchronous_commit = off";
        let mut transaction = self.pool.begin_with(begin).await?;
        self.store.apply(&mut transaction, &changes, taken).await?;
        if whole {
            self.store.sweep(&mut transaction, epoch).await?;
        }
        self.advance(&mut transaction, to).await?;
        transaction.commit().await?;
        self.cursor = Some(to);
        metrics::gauge!("feed_follower_seq", "producer" => self.producer)
            .set(f64::from(u32::try_from(to.seq).unwrap_or(u32::MAX)));
        Ok(())
    }
}
