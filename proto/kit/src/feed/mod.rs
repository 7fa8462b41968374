//! The change feed: each change that one service commits reaches the other services exactly once.
//!
//! A producer writes an outbox row in the transaction that makes the change ([`Transaction`]) and
//! streams its rows ([`Producer`]). The order of `seq` is the order of commit, without gaps: a
//! reader that has seen n never later finds a row below n. A follower ([`consume()`]) applies
//! changes and stores its cursor in one transaction ([`PgConsumer`]). Each change therefore takes
//! effect exactly once, across restarts and kill -9 on either side. A producer begins a new epoch
//! when its data are restored, a replica is promoted, or it lacks a change that a follower has.
//! Followers then rebuild their rows, and send messages only for changes that are later than those
//! they had seen.
//!
//! The tables are in `producer/producer.sql` and `consumer/consumer.sql`; a service's migrations repeat them under its own schema.

mod consumer;
mod lag;
mod producer;

pub use consumer::{
    Consumer, PgConsumer, Projection, ProjectionContext, Rebuild, Subscription,
    TABLES as CONSUMER_TABLES, arrival, consume, project_changes, record_refused_change, sweep,
};
pub use contracts::common::v1::Change;
pub use producer::{
    ChangeBatch, HighWaterMark, NewChange, Producer, Retention, TABLES as PRODUCER_TABLES,
    Transaction, read_changes, read_head,
};

use contracts::common::v1 as proto;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::api::timestamp;

/// A position in a producer's feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Identifies one history of the producer's data. A restore, the promotion of a replica or lost
    /// changes begin a new epoch.
    pub epoch: Uuid,
    /// The newest change at this position.
    pub seq: i64,
}

/// A position that a reader has reached, with the time of its change.
///
/// A database that has lost changes gives their numbers again, but not their times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The newest change that was read.
    pub position: Position,
    /// The time of the change at the position; 1970 at the beginning of the feed.
    pub at: OffsetDateTime,
}

impl Cursor {
    /// The beginning of the feed.
    pub const fn start(epoch: Uuid) -> Self {
        Self { position: Position { epoch, seq: 0 }, at: OffsetDateTime::UNIX_EPOCH }
    }

    /// The cursor after `change`; `None` if the change has no time.
    pub fn after(epoch: Uuid, change: &Change) -> Option<Self> {
        let at = change.at.and_then(timestamp::decode_exact)?;
        Some(Self { position: Position { epoch, seq: change.seq }, at })
    }
}

impl Position {
    /// Whether this position is in the same epoch as `other` and not below it.
    pub fn reaches(self, other: Self) -> bool {
        self.epoch == other.epoch && self.seq >= other.seq
    }

    /// Whether the epoch of this position began after that of `other`: epochs sort by time.
    pub fn is_of_newer_epoch(self, other: Self) -> bool {
        self.epoch > other.epoch
    }
}

impl From<Position> for proto::Position {
    fn from(position: Position) -> Self {
        Self { epoch: position.epoch.to_string(), seq: position.seq }
    }
}

impl TryFrom<&proto::Position> for Position {
    type Error = uuid::Error;

    fn try_from(position: &proto::Position) -> Result<Self, uuid::Error> {
        Ok(Self { epoch: position.epoch.parse()?, seq: position.seq })
    }
}
