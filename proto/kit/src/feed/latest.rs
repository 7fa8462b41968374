//! How far a producer's feed has come, told in Redis before a write is answered: whoever reads afterwards can tell whether what they
//! got is behind, and ask again (§1, read your writes).

use std::sync::Arc;
use std::time::Duration;

use redis::{Cmd, FromRedisValue, ParsingError, Script, Value};
use uuid::Uuid;

use super::{Position, Producer};
use crate::redis::{Redis, evaluate};

/// How often the head is told without a write, for a Redis that was emptied and for a new epoch.
const AGAIN: Duration = Duration::from_secs(1);

/// The newest position of one producer. Clones share it.
#[derive(Debug, Clone)]
pub struct Latest {
    redis: Redis,
    key: Arc<str>,
    script: Arc<Script>,
    look: Arc<Cmd>,
}

/// What Redis answers to [`Latest::look`]; nothing when it was told nothing.
#[derive(Debug, Clone, Copy)]
pub struct Told(pub Option<Position>);

impl FromRedisValue for Told {
    fn from_redis_value(value: Value) -> Result<Self, ParsingError> {
        let held = Option::<String>::from_redis_value(value)?;
        Ok(Self(held.as_deref().and_then(parse)))
    }
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
        }
    }

    /// Tells that the feed has come as far as `position`. What was told of the same epoch is never lowered. Returns whether Redis
    /// took it.
    pub async fn raise(&self, position: Position) -> bool {
        let told = self
            .redis
            .invoke::<u8>("raise a position", &self.script, |_| {
                let mut call = evaluate(&self.script, 1);
                call.arg(&*self.key)
                    .arg(position.epoch.to_string())
                    .arg(position.seq);
                call
            });
        told.await.is_ok()
    }

    /// What was told; `None` also when Redis is away.
    pub async fn read(&self) -> Option<Position> {
        let held = self.redis.query::<Told>("read a position", &self.look);
        held.await.ok()?.0
    }

    /// The command that asks for what was told, for a round trip that is made anyway; its answer is read as [`Told`].
    pub fn look(&self) -> &Cmd {
        &self.look
    }

    /// Tells the head again and again.
    pub(super) async fn repeat(self, producer: Producer) -> anyhow::Result<()> {
        loop {
            match producer.position().await {
                Ok(position) => {
                    self.raise(position).await;
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
