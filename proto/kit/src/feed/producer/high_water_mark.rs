//! The high-water mark of a feed: the newest position that a producer has committed, published in Redis before a write is answered.
//! A reader asks for data that have reached the mark (§1, read your writes). Without a mark, readers do not wait.

use std::sync::Arc;

use redis::Cmd;
use uuid::Uuid;

use crate::feed::Position;
use crate::redis::{Redis, Script, evaluate};
use crate::shared_read::SharedRead;

/// The high-water mark of one producer. Clones share it.
#[derive(Debug, Clone)]
pub struct HighWaterMark {
    redis: Redis,
    key: Arc<str>,
    script: Arc<Script>,
    get: Arc<Cmd>,
    reads: SharedRead<Option<Position>>,
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
            reads: SharedRead::default(),
        }
    }

    /// Publishes a position. The mark never goes back: not within an epoch, and not from a newer epoch to an ended one. While Redis is
    /// unavailable, nothing is published.
    pub async fn publish(&self, position: Position) {
        let mut call = evaluate(&self.script, 1);
        call.arg(&*self.key).arg(position.epoch.to_string()).arg(position.seq);
        let published = self.redis.invoke::<()>("publish position", &self.script, &call);
        // The breaker logs an outage.
        published.await.ok();
    }

    /// The mark; `None` when there is none or Redis cannot be reached. Concurrent calls share the commands that are sent after they began.
    pub async fn read(&self) -> Option<Position> {
        let (redis, get) = (self.redis.clone(), Arc::clone(&self.get));
        let read = async move || {
            let value: Option<String> = redis.query("read position", &get).await.ok()?;
            parse(&value?)
        };
        self.reads.get(read).await
    }
}

fn parse(value: &str) -> Option<Position> {
    let (epoch, seq) = value.split_once(':')?;
    Some(Position { epoch: epoch.parse::<Uuid>().ok()?, seq: seq.parse().ok()? })
}
