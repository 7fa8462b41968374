//! How far a producer's feed has come, told in Redis before a write is answered: whoever reads afterwards can tell whether what they
//! got is behind, and ask again (§1, read your writes).
//!
//! What is told holds only for a moment, and is told again before it ends. So a write that Redis could not be told of is answered when
//! nothing older can be found there any more: readers find nothing then, and ask the producer. Clocks of producers and of Redis may
//! differ by [`APART`].

use std::sync::Arc;
use std::time::Duration;

use redis::Cmd;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Position, Producer};
use crate::clock::Clock;
use crate::redis::{Redis, Script, evaluate};

/// How long what was told holds.
const HOLDS: Duration = Duration::from_millis(600);
/// How often the head is told without a write.
const AGAIN: Duration = Duration::from_millis(150);
/// How far clocks may be apart.
const APART: Duration = Duration::from_millis(200);

/// The newest position of one producer. Clones share it.
#[derive(Debug, Clone)]
pub struct Latest {
    redis: Redis,
    key: Arc<str>,
    script: Arc<Script>,
    look: Arc<Cmd>,
    holds: Duration,
}

/// How far a feed has come.
#[derive(Debug, Clone, Copy)]
pub struct Reached {
    /// So far.
    pub position: Position,
    /// Whatever is beyond it was committed later than this, by the real clock, as Redis has it.
    pub at: OffsetDateTime,
}

impl Latest {
    /// The position of `producer`.
    pub fn new(redis: Redis, producer: &str) -> Self {
        let key = format!("feed:{producer}");
        let mut look = redis::cmd("GET");
        look.arg(&key);
        Self {
            redis,
            look: Arc::new(look),
            key: key.into(),
            script: Arc::new(Script::new(include_str!("raise.lua"))),
            holds: HOLDS,
        }
    }

    /// The same, which holds for so long: for tests, which tell it once.
    #[must_use]
    pub fn holding(self, holds: Duration) -> Self {
        Self { holds, ..self }
    }

    /// Tells how far the feed has come. What was told of the same epoch is never lowered, and an epoch that has ended does not replace
    /// a newer one. Returns whether Redis took it.
    pub async fn raise(&self, reached: Reached) -> bool {
        let Reached { position, at } = reached;
        let until = (at + self.holds).unix_timestamp_nanos() / 1_000_000;
        let until = until.to_string();
        let told = self
            .redis
            .invoke::<u8>("raise a position", &self.script, |_| {
                let mut call = evaluate(&self.script, 1);
                call.arg(&*self.key)
                    .arg(position.epoch.to_string())
                    .arg(position.seq)
                    .arg(&until);
                call
            });
        told.await.is_ok_and(|taken| taken == 1)
    }

    /// Returns when nothing that was told before can be found any more.
    pub(super) async fn is_over(&self) {
        tokio::time::sleep(self.holds + APART).await;
    }

    /// What was told; `None` also when Redis is away.
    pub async fn read(&self) -> Option<Position> {
        let held = self.redis.query("read a position", &self.look).await;
        let held: Option<String> = held.ok()?;
        parse(&held?)
    }

    /// Tells the head again and again.
    pub(super) async fn repeat(self, producer: Producer) -> anyhow::Result<()> {
        loop {
            let at = Clock::system().now();
            match producer.position().await {
                Ok(position) => {
                    self.raise(Reached { position, at }).await;
                }
                Err(error) => tracing::debug!(%error, "the head cannot be read to be told"),
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}

fn parse(held: &str) -> Option<Position> {
    let (epoch, seq) = held.split_once(':')?;
    Some(Position {
        epoch: epoch.parse::<Uuid>().ok()?,
        seq: seq.parse().ok()?,
    })
}
