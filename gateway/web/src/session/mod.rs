//! The data in Redis: sessions and counts of tries.
//!
//! Every key begins with a prefix, `web` in a service, so that tests can share a Redis. Expiries only clean up: the clock decides.

mod cookie;
pub mod limits;
mod networks;
pub mod sessions;

pub use cookie::CookieStyle;

use kit::Fault;
use kit::redis::{Redis, Unavailable};

/// A Redis, and the prefix of its keys.
#[derive(Clone)]
pub struct Keyspace {
    pub redis: Redis,
    pub prefix: String,
}

impl Keyspace {
    fn key(&self, kind: &str, name: &str) -> String {
        format!("{}:{kind}:{name}", self.prefix)
    }

    async fn query<T: redis::FromRedisValue>(
        &self,
        what: &'static str,
        command: &redis::Cmd,
    ) -> Result<T, Fault> {
        let answer = self.redis.query(what, command).await;
        answer.map_err(|_unavailable: Unavailable| Fault::unavailable("Redis"))
    }
}
