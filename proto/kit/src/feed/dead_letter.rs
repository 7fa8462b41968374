//! Dead letters: changes that were refused, by name, in the table `feed_dead_letter` of the follower's schema. Their states stay with the
//! producer, whose compaction keeps the newest one of each entity.

use std::future::Future;
use std::time::Duration;

use contracts::common::v1 as proto;
use sqlx::PgConnection;
use sqlx::postgres::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use super::consume::feed_client;
use super::project::{self, Item, Refused};
use super::projection::Projection;
use super::rows::{self, NewestChange};
use crate::code::Code;
use crate::fault::Fault;
use crate::pg::{self, Schema};
use crate::rpc::client::{Client, Idempotent};

/// Dead letters that one statement reads.
const BATCH: i64 = 200;
/// The deadline of a call that reads a change from its producer.
const DEADLINE: Duration = Duration::from_secs(5);

/// A feed that a service follows: the service's schema, and the producer's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subscription {
    /// The schema of the follower.
    pub schema: Schema,
    /// The name of the producer.
    pub producer: &'static str,
}

/// The result of a retry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retried {
    /// Changes that were applied, or have nothing left to apply.
    pub applied: u64,
    /// Changes that were refused again, or are newer than the follower.
    pub refused: u64,
}

/// A dead letter.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct DeadLetter {
    pub(super) number: i64,
    pub(super) producer: String,
    pub(super) seq: i64,
    pub(super) entity: String,
    pub(super) id: String,
    pub(super) event: String,
    pub(super) message_due: bool,
    pub(super) reason: String,
    pub(super) put_aside_at: OffsetDateTime,
}

/// Where a retry reads the changes of dead letters.
pub trait ChangeSource: Clone + Send + Sync + 'static {
    /// The newest state of an entity, or the one-off event `seq`.
    fn newest(
        &self,
        entity: &str,
        id: &str,
        seq: i64,
    ) -> impl Future<Output = Result<NewestChange, Fault>> + Send;
}

/// The producer, which may be away.
impl ChangeSource for Client {
    async fn newest(&self, entity: &str, id: &str, seq: i64) -> Result<NewestChange, Fault> {
        let request = proto::GetNewestChangeRequest {
            entity: entity.to_owned(),
            id: id.to_owned(),
            seq,
        };
        let request = Idempotent::Unary.request(request, DEADLINE);
        let mut feed = feed_client(self.clone());
        let found = feed.get_newest_change(request).await?.into_inner();
        let epoch = found.epoch.parse();
        Ok(NewestChange {
            epoch: epoch.map_err(|error| Fault::internal(&error))?,
            change: found.change,
        })
    }
}

/// A feed of the same database.
impl ChangeSource for (PgPool, Schema) {
    async fn newest(&self, entity: &str, id: &str, seq: i64) -> Result<NewestChange, Fault> {
        let (pool, schema) = self;
        let reading = pg::in_time(pool, async |connection| {
            rows::newest(connection, *schema, entity, id, seq).await
        });
        Ok(reading.await?)
    }
}

/// The cursor of a follower whose row is locked.
#[derive(sqlx::FromRow)]
struct LockedCursor {
    epoch: Uuid,
    seq: i64,
    generation: Uuid,
}

/// What became of a dead letter.
enum Outcome {
    Gone,
    Refused(String),
    Waits,
}

impl Subscription {
    /// Applies `items`, puts those aside that are refused, and removes the dead letters that they make needless. Returns whether any was
    /// put aside.
    pub(super) async fn project<P: Projection>(
        self,
        projection: &P,
        connection: &mut PgConnection,
        generation: Uuid,
        items: &[Item],
        has_letters: bool,
    ) -> Result<bool, sqlx::Error> {
        let refused = project::project(projection, connection, generation, items).await?;
        for one in &refused {
            self.put_aside(connection, one).await?;
        }
        if has_letters || !refused.is_empty() {
            let refused: Vec<i64> = refused.iter().map(|one| one.item.change.seq).collect();
            self.remove_needless(connection, items, &refused).await?;
            self.count(connection).await?;
        }
        Ok(!refused.is_empty())
    }

    async fn put_aside(
        self,
        connection: &mut PgConnection,
        refused: &Refused<'_>,
    ) -> Result<(), sqlx::Error> {
        let Refused { item, reason } = refused;
        let change = &item.change;
        tracing::error!(
            producer = self.producer,
            entity = change.entity,
            id = change.id,
            seq = change.seq,
            reason,
            "a change cannot be applied and is put aside; see `staff dead-letter list`"
        );
        metrics::counter!("feed_changes_refused_total", "producer" => self.producer).increment(1);
        // A change that is read again suppresses its message, which may still be due.
        let sql = "insert into kit.feed_dead_letter as letter (producer, seq, entity, id, event, happening, message_due, reason)
             values ($1, $2, $3, $4, $5, $6, $7, $8)
             on conflict (producer, seq) do update set entity = excluded.entity, id = excluded.id, event = excluded.event,
                 happening = excluded.happening, message_due = letter.message_due or excluded.message_due, reason = excluded.reason";
        self.schema
            .query(sql)
            .bind(self.producer)
            .bind(change.seq)
            .bind(&change.entity)
            .bind(&change.id)
            .bind(&change.event)
            .bind(change.happening)
            .bind(item.message_due)
            .bind(reason.replace('\0', "\u{FFFD}"))
            .execute(connection)
            .await?;
        Ok(())
    }

    /// A state of an entity replaces the dead letters of older ones. A change that is applied needs its own no more, unless its message is
    /// still to be sent.
    async fn remove_needless(
        self,
        connection: &mut PgConnection,
        items: &[Item],
        refused: &[i64],
    ) -> Result<(), sqlx::Error> {
        let changes = || items.iter().map(|item| &item.change);
        let sql = "delete from kit.feed_dead_letter letter
             using unnest($2::text[], $3::text[], $4::bigint[], $5::boolean[]) as done (entity, id, seq, happening)
             where producer = $1 and (letter.entity, letter.id) = (done.entity, done.id) and (
                 (letter.seq < done.seq and not letter.happening and not done.happening)
                 or (letter.seq = done.seq and not letter.message_due and letter.seq <> all($6)))";
        self.schema
            .query(sql)
            .bind(self.producer)
            .bind(changes().map(|change| &*change.entity).collect::<Vec<_>>())
            .bind(changes().map(|change| &*change.id).collect::<Vec<_>>())
            .bind(changes().map(|change| change.seq).collect::<Vec<_>>())
            .bind(changes().map(|change| change.happening).collect::<Vec<_>>())
            .bind(refused)
            .execute(connection)
            .await?;
        Ok(())
    }

    /// The number of dead letters, also as a metric.
    pub(super) async fn count(self, connection: &mut PgConnection) -> Result<i64, sqlx::Error> {
        let sql = "select count(*) from kit.feed_dead_letter where producer = $1";
        let count: i64 = self
            .schema
            .query_scalar(sql)
            .bind(self.producer)
            .fetch_one(connection)
            .await?;
        let value = f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        metrics::gauge!("feed_dead_letters", "producer" => self.producer).set(value);
        Ok(count)
    }

    /// Retries the dead letters of this feed, in the order of their numbers; only those with these numbers, if there are any.
    ///
    /// # Errors
    /// The errors of PostgreSQL and of `source`.
    pub async fn retry<P: Projection>(
        self,
        pool: &PgPool,
        source: &impl ChangeSource,
        projection: &P,
        numbers: &[i64],
    ) -> Result<Retried, Fault> {
        let (mut retried, mut after) = (Retried::default(), 0);
        loop {
            let all = self.letters(pool, numbers, after).await?;
            let Some(last) = all.last() else { break };
            after = last.number;
            for letter in &all {
                let newest = source.newest(&letter.entity, &letter.id, letter.seq);
                let newest = match newest.await {
                    Err(fault) if fault.code != Code::Unavailable => {
                        // It stops no other.
                        tracing::error!(%fault, producer = self.producer, seq = letter.seq, "cannot read the change of a dead letter");
                        retried.refused += 1;
                        continue;
                    }
                    newest => newest?,
                };
                let mut transaction = pool.begin().await?;
                let outcome = self.apply_again(&mut transaction, projection, letter, newest);
                match outcome.await? {
                    Outcome::Gone => {
                        self.remove(&mut transaction, letter.number).await?;
                        retried.applied += 1;
                    }
                    Outcome::Refused(reason) => {
                        self.set_reason(&mut transaction, letter.number, &reason)
                            .await?;
                        retried.refused += 1;
                    }
                    Outcome::Waits => retried.refused += 1,
                }
                transaction.commit().await?;
                projection.committed();
            }
        }
        let mut connection = pool.acquire().await?;
        self.count(&mut connection).await?;
        Ok(retried)
    }

    /// Applies a change that was refused, unless the follower has gone on to a newer state of its entity.
    async fn apply_again<P: Projection>(
        self,
        connection: &mut PgConnection,
        projection: &P,
        letter: &DeadLetter,
        newest: NewestChange,
    ) -> Result<Outcome, sqlx::Error> {
        // The follower applies nothing meanwhile.
        let cursor = self.lock_cursor(&mut *connection).await?;
        let Some(change) = newest.change else {
            return Ok(Outcome::Gone);
        };
        if let Some(cursor) = &cursor
            && (cursor.epoch != newest.epoch || change.seq > cursor.seq)
        {
            return Ok(Outcome::Waits);
        }
        // It may be gone: the follower has applied a newer state, or another process has retried it.
        let is_there = self.lock(&mut *connection, letter.number).await?;
        if !is_there || change.seq != letter.seq {
            return Ok(Outcome::Gone);
        }
        let generation = cursor.map_or(Uuid::nil(), |cursor| cursor.generation);
        let items = [Item {
            change,
            message_due: letter.message_due,
        }];
        let refused = project::project(projection, connection, generation, &items).await?;
        let refused = refused.into_iter().next();
        Ok(refused.map_or(Outcome::Gone, |refused| Outcome::Refused(refused.reason)))
    }

    /// Locks the cursor; `None` when none is stored, as for a service that reads its own feed.
    async fn lock_cursor(
        self,
        connection: &mut PgConnection,
    ) -> Result<Option<LockedCursor>, sqlx::Error> {
        let sql =
            "select epoch, seq, generation from kit.feed_cursor where producer = $1 for update";
        self.schema
            .query_as(sql)
            .bind(self.producer)
            .fetch_optional(connection)
            .await
    }

    async fn letters(
        self,
        pool: &PgPool,
        numbers: &[i64],
        after: i64,
    ) -> Result<Vec<DeadLetter>, sqlx::Error> {
        let sql = format!("select * from kit.feed_dead_letter
             where producer = $1 and number > $2 and (cardinality($3::bigint[]) = 0 or number = any($3))
             order by number limit {BATCH}");
        self.schema
            .query_as(&sql)
            .bind(self.producer)
            .bind(after)
            .bind(numbers)
            .fetch_all(pool)
            .await
    }

    /// Locks a dead letter; returns whether it is still there.
    async fn lock(self, connection: &mut PgConnection, number: i64) -> Result<bool, sqlx::Error> {
        let sql = "select true from kit.feed_dead_letter where number = $1 for update";
        let found: Option<bool> = self
            .schema
            .query_scalar(sql)
            .bind(number)
            .fetch_optional(connection)
            .await?;
        Ok(found.is_some())
    }

    async fn remove(self, connection: &mut PgConnection, number: i64) -> Result<(), sqlx::Error> {
        let sql = "delete from kit.feed_dead_letter where number = $1";
        self.schema
            .query(sql)
            .bind(number)
            .execute(connection)
            .await?;
        Ok(())
    }

    async fn set_reason(
        self,
        connection: &mut PgConnection,
        number: i64,
        reason: &str,
    ) -> Result<(), sqlx::Error> {
        let sql = "update kit.feed_dead_letter set reason = $2 where number = $1";
        self.schema
            .query(sql)
            .bind(number)
            .bind(reason.replace('\0', "\u{FFFD}"))
            .execute(connection)
            .await?;
        Ok(())
    }
}

/// The oldest dead letters of a schema after the number `after`, of all producers.
pub(super) async fn list(
    pool: &PgPool,
    schema: Schema,
    after: i64,
    limit: i64,
) -> Result<Vec<DeadLetter>, sqlx::Error> {
    let sql = "select * from kit.feed_dead_letter where number > $1 order by number limit $2";
    schema
        .query_as(sql)
        .bind(after)
        .bind(limit)
        .fetch_all(pool)
        .await
}
