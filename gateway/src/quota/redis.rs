//! The counters in Redis.
//!
//! All keys of an account share the hash tag `{account}`, so that the script works on a Redis Cluster as well.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use kit::config::Secret;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, ConnectionAddr, RedisResult, Script};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::key::Caller;
use crate::domain::quota::{self, Limits, Standing};

/// The oldest version that is supported.
const OLDEST: (u32, u32) = (6, 2);
/// How long Redis is waited for at start.
const AT_START: Duration = Duration::from_secs(3);
/// A tombstone is needed until every gateway has met the revocation on the feed; a day is far more than that.
const TOMBSTONE_SECONDS: u64 = 24 * 60 * 60;

pub(super) struct Redis {
    connection: ConnectionManager,
    place: String,
    patience: Duration,
    take: Script,
    give_back: Script,
    /// Whether the last call found it away: the log tells of the change, not of every call.
    away: AtomicBool,
}

/// What the script answered.
pub(super) struct Counted {
    pub(super) verdict: Verdict,
    pub(super) start: OffsetDateTime,
    pub(super) used: u32,
    pub(super) month_used: u64,
}

pub(super) enum Verdict {
    GoOn,
    Revoked,
    Minute,
    Month,
}

impl Redis {
    pub(super) fn new(url: &Secret, patience: Duration) -> anyhow::Result<Self> {
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
            place,
            patience,
            take: Script::new(include_str!("quota.lua")),
            give_back: Script::new(include_str!("give_back.lua")),
            away: AtomicBool::new(false),
        })
    }

    /// Whether Redis is there and new enough.
    pub(super) async fn check(&self) -> anyhow::Result<()> {
        let mut connection = self.connection.clone();
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

    /// Counts a call; `None` when Redis is away.
    pub(super) async fn take(
        &self,
        caller: &Caller,
        limits: Limits,
        now: OffsetDateTime,
    ) -> Option<Counted> {
        let mut call = self.take.prepare_invoke();
        call.key(tombstone(caller.key.account, caller.key.id))
            .key(minute(caller))
            .key(month(caller, now))
            .arg(milliseconds(now))
            .arg(limits.minute.map_or(-1, i64::from))
            .arg(limits.month.map_or(-1, u64::cast_signed))
            .arg(u8::from(limits.uses_month));
        let mut connection = self.connection.clone();
        let (verdict, start, used, month_used): (u8, i64, u32, u64) = self
            .patiently("take", call.invoke_async(&mut connection))
            .await?;
        Some(Counted {
            verdict: match verdict {
                0 => Verdict::GoOn,
                1 => Verdict::Revoked,
                2 => Verdict::Minute,
                _ => Verdict::Month,
            },
            start: from_milliseconds(start).unwrap_or(now),
            used,
            month_used,
        })
    }

    pub(super) async fn give_back(&self, caller: &Caller, standing: &Standing) {
        let mut call = self.give_back.prepare_invoke();
        call.key(minute(caller))
            .key(month(caller, standing.now))
            .arg(milliseconds(standing.window.start))
            .arg(u8::from(standing.limits.uses_month));
        let mut connection = self.connection.clone();
        self.patiently::<u8>("give back", call.invoke_async(&mut connection))
            .await;
    }

    pub(super) async fn bury(&self, account: Uuid, key: Uuid) -> bool {
        let mut command = redis::cmd("SET");
        command
            .arg(tombstone(account, key))
            .arg(1)
            .arg("EX")
            .arg(TOMBSTONE_SECONDS);
        let mut connection = self.connection.clone();
        self.patiently::<()>("bury", command.query_async(&mut connection))
            .await
            .is_some()
    }

    pub(super) async fn is_buried(&self, caller: &Caller) -> bool {
        let mut command = redis::cmd("EXISTS");
        command.arg(tombstone(caller.key.account, caller.key.id));
        let mut connection = self.connection.clone();
        self.patiently("look for a tombstone", command.query_async(&mut connection))
            .await
            .unwrap_or(false)
    }

    /// Waits no longer than Redis may take; `None` when it is away.
    async fn patiently<T>(
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
            tracing::warn!(
                what,
                reason,
                "Redis is away; calls are counted by each gateway alone"
            );
        }
        None
    }
}

impl std::fmt::Debug for Redis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redis")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

fn tombstone(account: Uuid, key: Uuid) -> String {
    format!("gateway:{{{account}}}:revoked:{key}")
}

fn minute(caller: &Caller) -> String {
    format!(
        "gateway:{{{}}}:minute:{}",
        caller.key.account, caller.key.id
    )
}

fn month(caller: &Caller, now: OffsetDateTime) -> String {
    format!(
        "gateway:{{{}}}:month:{}",
        caller.key.account,
        quota::month(now)
    )
}

fn milliseconds(at: OffsetDateTime) -> i64 {
    at.unix_timestamp() * 1_000 + i64::from(at.millisecond())
}

fn from_milliseconds(at: i64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(at) * 1_000_000).ok()
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
}
