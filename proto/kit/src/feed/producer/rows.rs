//! The stream of one follower: rows as they are committed.

use std::time::Duration;

use contracts::common::v1 as proto;
use contracts::common::v1::follow_response::{Batch, Message, Start};
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row as _};
use time::OffsetDateTime;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use uuid::Uuid;

use super::Producer;
use crate::api::fault::Fault;
use crate::feed::{Cursor, Position};
use crate::pg::{self, Schema};

/// The most rows in one message.
const BATCH: usize = 500;
/// No further row is read after this many bytes of states. One row is always read, however large it is.
const MAX_BYTES: usize = 4 << 20;

/// The stream of one follower.
pub(super) struct Rows {
    pub(super) producer: Producer,
    pub(super) wakeups: watch::Receiver<u64>,
    /// Whether there may be rows that were not read yet. Otherwise the stream waits for a wakeup.
    pub(super) has_more: bool,
    pub(super) draining: CancellationToken,
    pub(super) after: Cursor,
    pub(super) pause: Duration,
    /// Whether to pause before the next message.
    pub(super) must_pause: bool,
    pub(super) start: Option<Start>,
}

/// Changes of a feed and its head, from one snapshot.
#[derive(Debug)]
pub struct ChangeBatch {
    /// The newest change.
    pub head: Cursor,
    /// The time that the feed has for the change after which it was read; `None` at its beginning,
    /// and when compaction has deleted the change.
    pub after_at: Option<OffsetDateTime>,
    /// In the order of `seq`.
    pub changes: Vec<proto::Change>,
    /// Whether the changes reach the head. Otherwise more can be read above the last one.
    pub is_complete: bool,
}

impl ChangeBatch {
    /// Whether the batch continues what was read up to `after`. Otherwise the database was
    /// restored, or has lost changes.
    pub fn continues(&self, after: Cursor) -> bool {
        self.head.position.reaches(after.position) && self.after_at.is_none_or(|at| at == after.at)
    }

    /// Whether the feed lacks a change above `after`, up to the newest one of the batch: compaction has deleted it, or it was lost.
    pub fn has_gap(&self, after: i64) -> bool {
        let numbers = self.changes.iter().map(|change| change.seq);
        let last = if self.is_complete { self.head.position.seq } else { 0 };
        let last = self.changes.last().map_or(last, |change| change.seq.max(last));
        !numbers.eq(after + 1..=last)
    }
}

/// Reads which change is the newest. Replicas of the producer look with this whether there is a new
/// one; other services follow the feed over gRPC.
///
/// # Errors
/// The errors of PostgreSQL.
pub async fn read_head(
    connection: &mut PgConnection,
    schema: Schema,
) -> Result<Cursor, sqlx::Error> {
    let query =
        schema.query_as::<(Uuid, i64, OffsetDateTime)>("select epoch, seq, at from kit.feed_head");
    let (epoch, seq, at) = query.fetch_one(connection).await?;
    Ok(Cursor { position: Position { epoch, seq }, at })
}

/// Reads up to `limit` changes above `after`, of some 4 MiB together, and the head, in one snapshot.
///
/// # Errors
/// The errors of PostgreSQL.
pub async fn read_changes(
    connection: &mut PgConnection,
    schema: Schema,
    after: i64,
    limit: usize,
) -> Result<ChangeBatch, sqlx::Error> {
    // PostgreSQL knows the size of a large state without reading it.
    let sql = format!("select head.*, feed.* from (
             select epoch, seq as head_seq, at as head_at, (select at from kit.feed where seq = $1) as after_at
             from kit.feed_head limit 1
         ) head
         left join lateral (
             select * from (
                 select *, sum(octet_length(state)) over (order by seq) - octet_length(state) as bytes_before
                 from (select * from kit.feed where seq > $1 order by seq limit {limit}) next
             ) sized where bytes_before < {MAX_BYTES}
         ) feed on true
         order by feed.seq");
    let rows = schema
        .query(&sql)
        .bind(after)
        // A cached plan from the time when the feed was short would read the whole table later.
        .persistent(false)
        .fetch_all(connection)
        .await?;
    let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    let position = Position { epoch: first.try_get("epoch")?, seq: first.try_get("head_seq")? };
    let head = Cursor { position, at: first.try_get("head_at")? };
    let after_at = first.try_get("after_at")?;
    let mut changes = Vec::with_capacity(rows.len());
    let mut bytes = 0;
    for row in rows {
        let Some(seq) = row.try_get("seq")? else {
            continue;
        };
        let change = change(&row, seq)?;
        bytes += change.state.len();
        changes.push(change);
    }
    Ok(ChangeBatch {
        head,
        after_at,
        // With fewer bytes, none was left out because of its size.
        is_complete: changes.len() < limit && bytes < MAX_BYTES,
        changes,
    })
}

pub(super) fn change(row: &PgRow, seq: i64) -> Result<proto::Change, sqlx::Error> {
    let at: OffsetDateTime = row.try_get("at")?;
    let state: Vec<u8> = row.try_get("state")?;
    Ok(proto::Change {
        seq,
        entity: row.try_get("entity")?,
        id: row.try_get("id")?,
        revision: row.try_get("revision")?,
        event: row.try_get("event")?,
        announced: row.try_get("announced")?,
        happening: row.try_get("happening")?,
        at: Some(crate::api::timestamp::encode(at)),
        state: state.into(),
    })
}

impl Rows {
    /// The next message; `None` ends the stream, and the follower reconnects.
    pub(super) async fn next(&mut self) -> Result<Option<Message>, Status> {
        if let Some(start) = self.start.take() {
            return Ok(Some(Message::Start(start)));
        }
        if std::mem::take(&mut self.must_pause) {
            tokio::select! {
                () = self.draining.cancelled() => return Ok(None),
                () = tokio::time::sleep(self.pause) => {}
            }
        }
        loop {
            if !self.has_more {
                tokio::select! {
                    () = self.draining.cancelled() => return Ok(None),
                    changed = self.wakeups.changed() => if changed.is_err() { return Ok(None) },
                }
            }
            // Mark first, then query: a commit between the two is not missed.
            self.wakeups.mark_unchanged();
            let batch = self.query().await?;
            // The follower connects again with its cursor, and rebuilds.
            if !batch.continues(self.after) {
                return Ok(None);
            }
            self.has_more = !batch.is_complete;
            let epoch = batch.head.position.epoch;
            if let Some(last) = batch.changes.last().and_then(|it| Cursor::after(epoch, it)) {
                self.after = last;
                // A follower that is far behind gets the next rows at once.
                self.must_pause = !self.pause.is_zero() && batch.is_complete;
                return Ok(Some(Message::Batch(Batch {
                    changes: batch.changes,
                    head_seq: batch.head.position.seq,
                })));
            }
        }
    }

    async fn query(&self) -> Result<ChangeBatch, Fault> {
        // The stream has no deadline of its own. After an error it ends, and the follower reconnects.
        let reading = pg::in_time(&self.producer.pool, async |connection| {
            read_changes(connection, self.producer.schema, self.after.position.seq, BATCH).await
        });
        Ok(reading.await?)
    }
}
