//! A connection to Redis that nobody waits for long: whatever is slow counts as away.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, ConnectionAddr, RedisResult};

use crate::config::Secret;

/// How long Redis may take, where no setting says otherwise.
pub const PATIENCE: Duration = Duration::from_millis(50);
/// The oldest version that is supported.
const OLDEST: (u32, u32) = (6, 2);
/// How long Redis is waited for at start.
const AT_START: Duration = Duration::from_secs(3);

/// A connection that calls share: what is asked at the same time travels together. Clones share it.
#[derive(Clone)]
pub struct Redis {
    connection: ConnectionManager,
    place: Arc<str>,
    patience: Duration,
    without: &'static str,
    /// Whether the last call found it away: the log tells of the change, not of every call.
    away: Arc<AtomicBool>,
}

impl Redis {
    /// Connects. A call that takes longer than `patience` finds Redis away; `without` says for the log what that means.
    ///
    /// # Errors
    /// One sentence: the address is none, nothing answers there, or it is older than 6.2.
    pub async fn connect(
        url: &Secret,
        patience: Duration,
        without: &'static str,
    ) -> anyhow::Result<Self> {
        let redis = Self::lazy(url, patience, without)?;
        redis.check().await?;
        Ok(redis)
    }

    /// The same without asking whether Redis is there: it may come later.
    ///
    /// # Errors
    /// The address is none.
    pub fn lazy(url: &Secret, patience: Duration, without: &'static str) -> anyhow::Result<Self> {
        let client = Client::open(url.expose())
            .ok()
            .context("redis_url is not an address such as redis://127.0.0.1:6379")?;
        let place = match client.get_connection_info().addr() {
            ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. } => {
                format!("{host}:{port}")
            }
            other => other.to_string(),
        };
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(Duration::from_secs(1)))
            .set_response_timeout(Some(patience))
            .set_max_delay(Duration::from_secs(1));
        Ok(Self {
            connection: ConnectionManager::new_lazy_with_config(client, config)?,
            place: place.into(),
            patience,
            without,
            away: Arc::default(),
        })
    }

    async fn check(&self) -> anyhow::Result<()> {
        let mut connection = self.connection();
        let mut info = redis::cmd("INFO");
        let info = info.arg("server").query_async::<String>(&mut connection);
        let info = tokio::time::timeout(AT_START, info)
            .await
            .ok()
            .with_context(|| format!("Redis at {} does not answer; check redis_url", self.place))?
            .with_context(|| format!("Redis at {} cannot be used; check redis_url", self.place))?;
        let version = info
            .lines()
            .find_map(|line| line.strip_prefix("redis_version:"))
            .context("Redis does not say its version")?
            .trim();
        anyhow::ensure!(
            parse_version(version) >= Some(OLDEST),
            "Redis at {} is version {version}; {}.{} or newer is needed",
            self.place,
            OLDEST.0,
            OLDEST.1
        );
        Ok(())
    }

    /// The connection, for a call that [`Redis::patiently`] waits for.
    pub fn connection(&self) -> ConnectionManager {
        self.connection.clone()
    }

    /// Waits no longer than Redis may take; `None` when it is away. `what` names the call in metrics and the log.
    pub async fn patiently<T>(
        &self,
        what: &'static str,
        call: impl Future<Output = RedisResult<T>>,
    ) -> Option<T> {
        let reason = match tokio::time::timeout(self.patience, call).await {
            Ok(Ok(answer)) => {
                if self.away.load(Ordering::Relaxed) && self.away.swap(false, Ordering::Relaxed) {
                    tracing::info!("Redis is back");
                }
                return Some(answer);
            }
            Ok(Err(error)) => error.to_string(),
            Err(_) => "no answer in time".to_owned(),
        };
        metrics::counter!("redis_errors_total", "call" => what).increment(1);
        if !self.away.swap(true, Ordering::Relaxed) {
            tracing::warn!(what, reason, "Redis is away; {}", self.without);
        }
        None
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(parse_version("6.0.16") < Some(OLDEST));
        assert!(parse_version("6.2.0") >= Some(OLDEST));
        assert!(parse_version("10.0") >= Some(OLDEST));
        assert!(parse_version("unstable") < Some(OLDEST));
    }

    #[tokio::test]
    async fn redis_that_is_not_there_is_said_in_one_sentence() {
        for (url, said) in [
            ("no address", "redis_url is not an address"),
            ("redis://127.0.0.1:1", "Redis at 127.0.0.1:1 "),
        ] {
            let url = Secret::from(url.to_owned());
            let refused = Redis::connect(&url, PATIENCE, "nobody minds").await;
            let refused = format!("{:#}", refused.unwrap_err());
            assert!(refused.starts_with(said), "{refused}");
        }
    }
}
