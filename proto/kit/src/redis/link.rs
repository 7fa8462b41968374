//! One connection, and what is asked of Redis when it is made.

use std::time::Duration;

use anyhow::Context as _;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, ConnectionAddr, RedisError};

use crate::config::Secret;

/// The oldest version that is supported.
const OLDEST: (u32, u32) = (6, 2);
/// How long Redis is waited for at start: a machine that starts a fleet is busy.
const AT_START: Duration = Duration::from_secs(3);

/// Which run of Redis a connection leads to: another after every restart, and after a replica took over. The first half of what Redis
/// calls `run_id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunId([u8; 20]);

impl RunId {
    /// Its letters and digits.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Where Redis does not tell, all runs are one.
    const UNTOLD: Self = Self([b'0'; 20]);

    fn of(info: &str) -> Self {
        let told = line(info, "run_id:").and_then(|id| id.as_bytes().first_chunk());
        told.copied().map_or(Self::UNTOLD, Self)
    }
}

/// A connection.
pub(super) struct Link {
    pub(super) connection: MultiplexedConnection,
    pub(super) run: RunId,
}

impl Link {
    /// Connects. Whoever calls waits no longer than they like.
    pub(super) async fn open(client: &Client) -> Result<Self, RedisError> {
        let unhurried = AsyncConnectionConfig::new()
            .set_connection_timeout(None)
            .set_response_timeout(None);
        let connecting = client.get_multiplexed_async_connection_with_config(&unhurried);
        let mut connection = connecting.await?;
        let info = ask_info(&mut connection).await;
        let run = match info {
            Ok(info) => RunId::of(&info),
            // Some hosts of Redis do not let everybody ask.
            Err(error) if error.code().is_some() => RunId::UNTOLD,
            Err(error) => return Err(error),
        };
        Ok(Self { connection, run })
    }

    /// Whether Redis answers.
    pub(super) async fn ping(&self) -> Result<(), RedisError> {
        let mut connection = self.connection.clone();
        redis::cmd("PING").query_async(&mut connection).await
    }
}

async fn ask_info(connection: &mut MultiplexedConnection) -> Result<String, RedisError> {
    let mut info = redis::cmd("INFO");
    info.arg("server").query_async(connection).await
}

pub(super) fn client(url: &Secret) -> anyhow::Result<Client> {
    Client::open(url.expose())
        .ok()
        .context("redis_url is not an address such as redis://127.0.0.1:6379")
}

/// Where it is, without what is secret in its address.
pub(super) fn place(client: &Client) -> String {
    match client.get_connection_info().addr() {
        ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. } => {
            format!("{host}:{port}")
        }
        other => other.to_string(),
    }
}

/// Looks whether Redis is there, and new enough.
pub(super) async fn check(client: &Client, place: &str) -> anyhow::Result<()> {
    let patient = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(AT_START))
        .set_response_timeout(Some(AT_START));
    let info = async {
        let connecting = client.get_multiplexed_async_connection_with_config(&patient);
        ask_info(&mut connecting.await?).await
    };
    let info = info
        .await
        .with_context(|| format!("Redis at {place} cannot be used; check redis_url"))?;
    let version = line(&info, "redis_version:").context("Redis does not say its version")?;
    anyhow::ensure!(
        parse_version(version) >= Some(OLDEST),
        "Redis at {place} is version {version}; {}.{} or newer is needed",
        OLDEST.0,
        OLDEST.1
    );
    Ok(())
}

fn line<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    let found = info.lines().find_map(|line| line.strip_prefix(name))?;
    Some(found.trim())
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redis::{PATIENCE, Redis};

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(parse_version("6.0.16") < Some(OLDEST));
        assert!(parse_version("6.2.0") >= Some(OLDEST));
        assert!(parse_version("10.0") >= Some(OLDEST));
        assert!(parse_version("unstable") < Some(OLDEST));
    }

    #[test]
    fn a_run_that_is_not_told_is_always_the_same() {
        let told = "# Server\r\nrun_id:0f1e2d3c4b5a69788796a5b4c3d2e1f001020304\r\n";
        assert_eq!(RunId::of(told).as_bytes(), b"0f1e2d3c4b5a69788796");
        for untold in ["", "run_id:\r\n", "run_id:short"] {
            assert_eq!(RunId::of(untold), RunId::UNTOLD, "{untold}");
        }
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
