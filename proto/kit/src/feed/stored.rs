//! A follower that keeps what it learns in PostgreSQL: changes and cursor in one transaction.

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

/// What a service does with changes inside the transaction that also stores the cursor.
pub trait Store: Send + Sync {
    /// Takes changes in. Rows carry `taken.epoch`, so that a rebuild can tell old from new: it is the epoch in which the newest rebuild
    /// began, or marks a rebuild by itself.
    fn apply(
        &self,
        connection: &mut PgConnection,
        changes: &[proto::Change],
        taken: Taken,
    ) -> impl Future<Output = anyhow::Result<()>> + Send;

    /// What the last call of [`Store::apply`] did is committed.
    fn committed(&self) {}

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
    /// Marks what the newest rebuild brought, and everything after it.
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
    place: Option<Place>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    epoch: Uuid,
    seq: i64,
    acts_after: i64,
    rebuilding_to: Option<i64>,
    generation: Uuid,
    last_row: Option<Fingerprint>,
}

impl<S: Store> Stored<S> {
    /// Follows the feed of `producer` into `store`.
    pub fn new(pool: PgPool, schema: Schema, producer: &'static str, store: S) -> Self {
        Self {
            pool,
            schema,
            producer,
            store,
            place: None,
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn load(&self) -> Result<Option<Place>, sqlx::Error> {
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
            Ok(Place {
                epoch: row.try_get("epoch")?,
                seq: row.try_get("seq")?,
                acts_after: row.try_get("acts_after")?,
                rebuilding_to: row.try_get("rebuilding_to")?,
                generation: row.try_get("generation")?,
                last_row: last_row.and_then(|row| Fingerprint::from_bytes(&row)),
            })
        })
        .transpose()
    }

    /// Moves the cursor from where this process read it.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn advance(&self, connection: &mut PgConnection, to: Place) -> anyhow::Result<()> {
        let sql = format!(
            "insert into {}.feed_cursor as held (producer, epoch, seq, acts_after, rebuilding_to, generation, last_row)
             values ($1, $2, $3, $4, $5, $6, $7)
             on conflict (producer) do update set epoch = excluded.epoch, seq = excluded.seq,
                 acts_after = excluded.acts_after, rebuilding_to = excluded.rebuilding_to,
                 generation = excluded.generation, last_row = excluded.last_row
             where held.epoch = $8 and held.seq = $9",
            self.schema
        );
        let moved = sqlx::query(AssertSqlSafe(sql))
            .bind(self.producer)
            .bind(to.epoch)
            .bind(to.seq)
            .bind(to.acts_after)
            .bind(to.rebuilding_to)
            .bind(to.generation)
            .bind(to.last_row.as_ref().map(Fingerprint::as_bytes))
            .bind(self.place.map(|held| held.epoch))
            .bind(self.place.map(|held| held.seq))
            .execute(connection)
            .await?;
        anyhow::ensure!(
            moved.rows_affected() == 1,
            "another process follows {} as well; this one steps back",
            self.producer
        );
        Ok(())
    }

    /// Removes what the rebuild did not bring, once it is whole.
    async fn sweep_if_whole(
        &self,
        connection: &mut PgConnection,
        mut place: Place,
    ) -> anyhow::Result<Place> {
        if place.rebuilding_to.is_some_and(|head| place.seq >= head) {
            self.store.sweep(connection, place.generation).await?;
            place.rebuilding_to = None;
        }
        Ok(place)
    }
}

impl<S: Store> Consumer for Stored<S> {
    /// A transaction for each change would cost more than the change itself does.
    const PAUSE: Duration = Duration::from_millis(50);

    fn producer(&self) -> &'static str {
        self.producer
    }

    async fn cursor(&mut self) -> anyhow::Result<Option<Cursor>> {
        self.place = self.load().await?;
        Ok(self.place.map(|held| Cursor {
            position: Position {
                epoch: held.epoch,
                seq: held.seq,
            },
            last_row: held.last_row,
        }))
    }

    async fn start(&mut self, epoch: Uuid, head: i64, reset: bool) -> anyhow::Result<()> {
        let to = match self.place {
            Some(held) if !reset && held.epoch == epoch => return Ok(()),
            // The new epoch may be shorter than the one before: what is above its head is yet to come.
            Some(held) if !reset => Place {
                epoch,
                acts_after: held.acts_after.min(head),
                rebuilding_to: held.rebuilding_to.map(|whole| whole.min(head)),
                ..held
            },
            _ => Place {
                epoch,
                seq: 0,
                acts_after: head,
                rebuilding_to: Some(head),
                // Not the epoch: a follower may have to start again within one.
                generation: ids::row_id(),
                last_row: None,
            },
        };
        let mut transaction = self.pool.begin().await?;
        let to = self.sweep_if_whole(&mut transaction, to).await?;
        self.advance(&mut transaction, to).await?;
        transaction.commit().await?;
        self.place = Some(to);
        Ok(())
    }

    async fn apply(&mut self, epoch: Uuid, changes: Vec<proto::Change>) -> anyhow::Result<()> {
        let (Some(from), Some(last)) = (self.place, changes.last()) else {
            anyhow::bail!("changes came before the start");
        };
        let to = Place {
            epoch,
            seq: last.seq,
            last_row: Some(Fingerprint::of(last)),
            ..from
        };
        let taken = Taken {
            epoch: from.generation,
            acts_after: from.acts_after,
        };
        // Not waited for until it is on the disk: what a crash of PostgreSQL takes back is followed again, cursor and all. The feed keeps
        // its rows for much longer.
        let begin = "begin; set local synchronous_commit = off";
        let mut transaction = self.pool.begin_with(begin).await?;
        self.store.apply(&mut transaction, &changes, taken).await?;
        let to = self.sweep_if_whole(&mut transaction, to).await?;
        self.advance(&mut transaction, to).await?;
        transaction.commit().await?;
        self.store.committed();
        self.place = Some(to);
        Ok(())
    }
}
