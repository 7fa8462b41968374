//! The high-water mark of a feed: the newest position that a producer has committed, published in Redis before a write is answered.
//! A reader asks for data that have reached the mark (§1, read your writes).
//!
//! A published mark expires after a short time, and the producer publishes it again before then. When Redis cannot be reached, a write
//! is answered only once every older mark has expired: readers then find no mark, and ask the producer. The clocks of producers and of
//! Redis may differ by [`CLOCK_SKEW`].

use std::sync::Arc;
use std::time::Duration;

use redis::Cmd;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Position, Producer};
use crate::clock::Clock;
use crate::redis::{Redis, Script, evaluate};
use crate::timestamp::unix_milliseconds;

/// How long a published mark is valid.
const TTL: Duration = Duration::from_millis(600);
/// How often the mark is published when nothing is written.
const REPUBLISH: Duration = Duration::from_millis(150);
/// The largest difference between the clocks of a producer and of Redis.
const CLOCK_SKEW: Duration = Duration::from_millis(200);

/// The high-water mark of one producer. Clones share it.
#[derive(Debug, Clone)]
pub struct HighWaterMark {
    redis: Redis,
    key: Arc<str>,
    script: Arc<Script>,
    get: Arc<Cmd>,
    ttl: Duration,
}

/// A position that a producer has committed.
#[derive(Debug, Clone, Copy)]
pub struct CommittedPosition {
    /// The newest change that is committed.
    pub position: Position,
    /// Every change above `position` was committed after this time of the machine's clock, which Redis uses as well.
    pub at: OffsetDateTime,
}

impl HighWaterMark {
    /// The mark of `producer`, in the key `feed:<producer>`.
    pub fn new(redis: Redis, producer: &str) -> Self {
        let key = format!("feed:{producer}");
        let mut get = redis::cmd("GET");
        get.arg(&key);
        Self {
            redis,
            get: Arc::new(get),
            key: key.into(),
            script: Arc::new(Script::new(include_str!("publish.lua"))),
            ttl: TTL,
        }
    }

    /// The same mark with another time to live, for tests that publish it once.
    #[must_use]
    pub fn with_ttl(self, ttl: Duration) -> Self {
        Self { ttl, ..self }
    }

    /// Publishes a position. Within an epoch the mark never goes down, and an ended epoch does not replace a newer one. Returns whether
    /// Redis stored the position or has a newer one of the same epoch.
    pub async fn publish(&self, committed: CommittedPosition) -> bool {
        let CommittedPosition { position, at } = committed;
        let expires_at = unix_milliseconds(at + self.ttl);
        let mut call = evaluate(&self.script, 1);
        call.arg(&*self.key)
            .arg(position.epoch.to_string())
            .arg(position.seq)
            .arg(expires_at);
        let published = self
            .redis
            .invoke::<u8>("publish position", &self.script, &call);
        published.await.is_ok_and(|accepted| accepted == 1)
    }

    /// Waits until every mark that was published before this call has expired.
    pub(super) async fn until_expired(&self) {
        tokio::time::sleep(self.ttl + CLOCK_SKEW).await;
    }

    /// The mark; `None` when there is none or Redis cannot be reached.
    pub async fn read(&self) -> Option<Position> {
        let value = self.redis.query("read position", &self.get).await;
        let value: Option<String> = value.ok()?;
        parse(&value?)
    }

    /// Publishes the head of the feed every [`REPUBLISH`].
    pub(super) async fn republish(self, producer: Producer) -> anyhow::Result<()> {
        loop {
            let at = Clock::system().now();
            match producer.position().await {
                Ok(position) => {
                    self.publish(CommittedPosition { position, at }).await;
                }
                Err(error) => {
                    tracing::debug!(%error, "cannot read the head of the feed to publish it");
                }
            }
            tokio::time::sleep(REPUBLISH).await;
        }
    }
}

fn parse(value: &str) -> Option<Position> {
    let (epoch, seq) = value.split_once(':')?;
    Some(Position {
        epoch: epoch.parse::<Uuid>().ok()?,
        seq: seq.parse().ok()?,
    })
}
