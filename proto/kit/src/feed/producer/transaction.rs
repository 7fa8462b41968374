//! A transaction that publishes its changes. Every change of a producer is made in one.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use sqlx::{AssertSqlSafe, PgConnection, Postgres, Row as _};
use time::OffsetDateTime;
use uuid::Uuid;

use super::Producer;
use super::head::Head;
use crate::api::fault::Fault;
use crate::feed::Position;
use crate::pg::{self, Schema, statement};

/// A change that a [`Transaction`] publishes on the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChange {
    /// The type of the entity, for example `game`.
    pub entity: &'static str,
    /// The entity's id, unique within its type.
    pub id: String,
    /// The entity's revision after the change.
    pub revision: i64,
    /// What happened, for example `published`.
    pub event: &'static str,
    /// Whether to announce the change outside, for example by webhooks.
    pub announced: bool,
    /// Whether this is a one-off event, which no newer row of the entity replaces.
    pub happening: bool,
    /// The entity's whole state, as an encoded protobuf message of the producer.
    pub state: Vec<u8>,
}

/// A transaction of a [`Producer`]: a connection for the caller, who locks rows, decides and saves; then [`commit`](Self::commit) publishes.
/// Dropping it rolls it back.
#[derive(Debug)]
pub struct Transaction {
    inner: sqlx::Transaction<'static, Postgres>,
    producer: Producer,
    /// The epoch of the feed. It does not change while a connection is open, unless a follower
    /// shows that the database has lost changes.
    epoch: Uuid,
    /// The time of the transaction.
    pub now: OffsetDateTime,
}

impl Deref for Transaction {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.inner
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.inner
    }
}

impl Transaction {
    pub(super) fn new(
        inner: sqlx::Transaction<'static, Postgres>,
        producer: Producer,
        epoch: Uuid,
        now: OffsetDateTime,
    ) -> Self {
        Self { inner, producer, epoch, now }
    }

    /// Reads PostgreSQL's time again, for a transaction that has waited for a lock, and makes it
    /// the time of the transaction: what the lock's last holder stored is earlier.
    pub async fn read_time(&mut self) -> Result<OffsetDateTime, Fault> {
        let reading =
            statement::query_scalar("select clock_timestamp()").fetch_one(&mut *self.inner);
        let at: OffsetDateTime = pg::with_timeout(self.producer.deadline(), reading).await?;
        self.now = self.producer.clock.moved(at);
        Ok(self.now)
    }

    /// Appends the changes to the feed and commits; then publishes the position and wakes the followers. Reads that begin after this call see
    /// the change.
    ///
    /// A transaction without changes only commits, unless the producer has a high-water mark. It then publishes the position as well: its
    /// outcome may rely on a change that another process has committed and not published.
    ///
    /// # Errors
    /// `outcome_unknown` when PostgreSQL does not answer the commit. After any other error, nothing is changed.
    pub async fn commit(self, changes: &[NewChange]) -> Result<(), Fault> {
        // Every command contains this future, which is large.
        Box::pin(self.append_and_publish(changes)).await
    }

    /// Ends the transaction without its changes. A dropped transaction holds its locks a little
    /// longer.
    ///
    /// # Errors
    /// PostgreSQL is unavailable.
    pub async fn rollback(self) -> Result<(), Fault> {
        let deadline = self.producer.deadline();
        Ok(pg::with_timeout(deadline, self.inner.rollback()).await?)
    }

    async fn append_and_publish(self, changes: &[NewChange]) -> Result<(), Fault> {
        let Self { mut inner, producer, epoch, now } = self;
        let (schema, deadline) = (producer.schema, producer.deadline());
        if changes.is_empty() && producer.high_water_mark.is_none() {
            // Followers have nothing to read, and nobody waits for a position.
            return pg::with_timeout(deadline, inner.commit()).await.map_err(commit_fault);
        }
        let position = if changes.is_empty() {
            let head = pg::with_timeout(deadline, Head::read(&mut inner, schema)).await?;
            pg::with_timeout(deadline, inner.commit()).await.map(|()| head.position())
        } else {
            let appending = append_and_commit(inner, schema, changes, now, deadline);
            appending.await.map(|seq| Position { epoch, seq })
        };
        producer.publish(position.map_err(commit_fault)?).await;
        Ok(())
    }
}

/// Ends a transaction with one message, which locks the head, numbers the changes and commits. The lock orders the commits of all
/// processes, and no round trip to this process is made while it is held. Returns the `seq` of the last change.
async fn append_and_commit(
    mut transaction: sqlx::Transaction<'static, Postgres>,
    schema: Schema,
    changes: &[NewChange],
    now: OffsetDateTime,
    deadline: Duration,
) -> Result<i64, sqlx::Error> {
    let message = message(schema, changes, now);
    let sending = statement::raw_sql(AssertSqlSafe(message)).fetch_all(&mut *transaction);
    let rows = pg::with_timeout(deadline, sending).await?;
    // The transaction that `and chain` has begun is empty. It ends when the connection returns to the pool.
    drop(transaction);
    let mut last = 0;
    for row in rows {
        last = last.max(row.try_get(0)?);
    }
    Ok(last)
}

/// A message of several statements has no bound parameters. Its texts are literals in hexadecimal, in which nothing needs quotes.
fn message(schema: Schema, changes: &[NewChange], now: OffsetDateTime) -> String {
    let text = |value: &str| format!("convert_from('\\x{}', 'UTF8')", hex::encode(value));
    let row = |(place, change): (usize, &NewChange)| {
        format!(
            "({place}, {entity}, {id}, {revision}::bigint, {event}, {announced}, {happening}, '\\x{state}'::bytea)",
            entity = text(change.entity),
            id = text(&change.id),
            revision = change.revision,
            event = text(change.event),
            announced = change.announced,
            happening = change.happening,
            state = hex::encode(&change.state),
        )
    };
    let rows: Vec<String> = (1..).zip(changes).map(row).collect();
    format!(
        // Times are in the order of `seq`, whatever the clocks of the replicas say.
        "with head as (
             update {schema}.feed_head set seq = seq + {count},
                 at = greatest(at, 'epoch'::timestamptz + ({microseconds} - 1) * {microsecond}) + {count} * {microsecond}
             returning seq - {count} as base, at - {count} * {microsecond} as before
         )
         insert into {schema}.feed (seq, at, entity, id, revision, event, announced, happening, state)
         select head.base + change.place, head.before + change.place * {microsecond},
             change.entity, change.id, change.revision, change.event, change.announced, change.happening, change.state
         from head, (values {rows}) as change (place, entity, id, revision, event, announced, happening, state)
         returning seq;
         commit and chain",
        count = changes.len(),
        microseconds = now.unix_timestamp_nanos() / 1_000,
        microsecond = "interval '1 microsecond'",
        rows = rows.join(", "),
    )
}

/// The fault of a commit that failed: PostgreSQL has refused it, or has not answered it.
fn commit_fault(error: sqlx::Error) -> Fault {
    if pg::is_unavailable(&error) {
        tracing::warn!(%error, "the connection to PostgreSQL was lost at a commit");
        return Fault::outcome_unknown("PostgreSQL did not answer a commit");
    }
    error.into()
}
