//! The change feed: each change that one service commits reaches the other services exactly once.
//!
//! A producer writes an outbox row in the transaction that makes the change ([`Transaction`]) and streams its rows ([`Producer`]). The
//! order of `seq` is the order of commit, without gaps: a reader that has seen n never later finds a row below n. A
//! follower ([`consume()`]) applies changes and stores its cursor in one transaction ([`PgConsumer`]). Each change therefore takes effect
//! exactly once, across restarts and kill -9 on either side. A producer begins a new epoch when its data are restored or a replica is
//! promoted. Followers then rebuild their rows, and send messages only for changes that are later than those they had seen.
//!
//! The tables are in `producer.sql` and `consumer.sql`; a service's migrations repeat them under its own schema.

mod arrival;
mod compact;
mod consume;
mod follow;
mod head;
mod high_water_mark;
mod lag;
mod list_changes;
mod pg_consumer;
mod producer;
mod project;
mod projection;
mod rows;
mod transaction;

pub use arrival::arrival;
pub use compact::Retention;
pub use consume::{Consumer, Rebuild, consume};
pub use contracts::common::v1::Change;
pub use high_water_mark::HighWaterMark;
pub use pg_consumer::{PgConsumer, ProjectionContext, Subscription, project_changes};
pub use producer::Producer;
pub use projection::{Projection, sweep};
pub use rows::{ChangeBatch, read_changes};
pub use transaction::Transaction;

use contracts::common::v1 as proto;
use uuid::Uuid;

/// The tables of a producer, for a schema named `kit`.
pub const PRODUCER_TABLES: &str = include_str!("producer.sql");
/// The tables of a service that follows a feed with a [`Projection`], for a schema named `kit`.
pub const CONSUMER_TABLES: &str = include_str!("consumer.sql");

/// A position in a producer's feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Identifies one history of the producer's data. A restore or the promotion of a replica begins a new epoch.
    pub epoch: Uuid,
    /// The newest change at this position.
    pub seq: i64,
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
        Self {
            epoch: position.epoch.to_string(),
            seq: position.seq,
        }
    }
}

impl TryFrom<&proto::Position> for Position {
    type Error = uuid::Error;

    fn try_from(position: &proto::Position) -> Result<Self, uuid::Error> {
        Ok(Self {
            epoch: position.epoch.parse()?,
            seq: position.seq,
        })
    }
}

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
