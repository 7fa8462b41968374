//! The change feed: how what one service decides becomes known to the others, each change exactly once.
//!
//! A producer writes an outbox row in the transaction that makes the change ([`Writer`]) and streams its rows ([`Producer`]). The
//! order of `seq` is the order of commit, without gaps: whoever has seen n never later meets a row below n. A follower
//! ([`consume()`]) applies changes and stores its cursor in one transaction ([`Stored`]), so that each takes effect exactly once,
//! across restarts and kill -9 on either side. A producer whose data become those of another server begins a new epoch; followers that
//! have seen nothing that is missing there go on, the others rebuild what they hold.
//!
//! The tables are in the `producer*.sql` and `consumer*.sql` of this folder; a service's migrations repeat them under its own schema.

mod answer;
mod apply;
mod commit;
mod compact;
mod consume;
mod cursor;
mod follow;
mod head;
mod lag;
mod latest;
mod lineage;
mod lookup;
mod metadata;
mod producer;
mod queue;
mod registered;
mod resume;
mod rows;
mod session;
mod stored;
mod tail;
mod transaction;
mod writer;

pub use apply::{Applied, Apply, Explained, Stop};
pub use compact::Retention;
pub use consume::{Consumer, consume};
pub use contracts::common::v1::Change;
pub use cursor::{Cursor, Fingerprint};
pub use latest::{Latest, Reached};
pub use producer::Producer;
pub use rows::{Found, changes};
pub use stored::{Store, Stored, Taken};
pub use writer::Writer;

use contracts::common::v1 as proto;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::fault::Fault;

/// The migrations of a producer, in their order, written for a schema named `kit`.
pub const PRODUCER_TABLES: [&str; 2] = [
    include_str!("producer.sql"),
    include_str!("producer_lineage.sql"),
];
/// The migrations of a follower, likewise.
pub const CONSUMER_TABLES: [&str; 2] = [
    include_str!("consumer.sql"),
    include_str!("consumer_resume.sql"),
];

/// A place in a producer's feed. Places of different epochs cannot be compared without their lineage, which only the producer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Which life of the producer's data; new after a restore, or when a replica was promoted.
    pub epoch: Uuid,
    /// The newest change that is included.
    pub seq: i64,
}

impl Position {
    /// Whether it includes all that `other` does.
    pub fn reaches(self, other: Self) -> bool {
        self.epoch == other.epoch && self.seq >= other.seq
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

/// What a caller is told of a write: what came of it, and where its last row stands on the feed (`None` when nothing changed).
type Outcome<D> = Result<(D, Option<Position>), Fault>;

/// A change that a write has made, on its way to the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChange {
    /// Kind of entity, for example `game`.
    pub entity: &'static str,
    /// Which one, unique within its kind.
    pub id: String,
    /// The entity's revision after the change.
    pub revision: i64,
    /// What happened, for example `published`.
    pub event: &'static str,
    /// Whether the world is to be told.
    pub announced: bool,
    /// Nobody's state: no newer row replaces it.
    pub happening: bool,
    /// The entity's whole state, as the producer's message for this kind, encoded.
    pub state: Vec<u8>,
}

impl NewChange {
    /// As followers see it, once it stands on the feed.
    fn told(&self, seq: i64, at: OffsetDateTime) -> Change {
        Change {
            seq,
            entity: self.entity.to_owned(),
            id: self.id.clone(),
            revision: self.revision,
            event: self.event.to_owned(),
            announced: self.announced,
            happening: self.happening,
            at: Some(crate::timestamp::encode(at)),
            state: self.state.clone().into(),
        }
    }
}
