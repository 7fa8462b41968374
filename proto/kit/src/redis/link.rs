//! A connection to one server or to a cluster, and what is asked of Redis when it is made.

use std::time::Duration;

use anyhow::Context as _;
use redis::aio::MultiplexedConnection;
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{RoutingInfo, SingleNodeRoutingInfo};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, FromRedisValue as _, RedisError, RedisResult,
    ServerErrorKind, Value,
};
use tokio::time::timeout;

use super::address::Address;

/// The oldest version that is supported.
const OLDEST: (u32, u32) = (6, 2);
/// How long Redis is waited for at start: a machine that starts a fleet is busy.
const AT_START: Duration = Duration::from_secs(3);
/// How often a call is sent on to the node that has its keys now. Twice would do, unless keys are moved all the time.
const REDIRECTS: u32 = 3;

/// Which run of Redis a connection leads to: another after every restart, and after a replica took over.
///
/// It is the first half of what Redis calls `run_id`. A connection to a cluster leads to several, so that a script has to ask the node that it runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunId(Option<[u8; 20]>);

impl RunId {
    /// Its letters and digits; empty for a cluster.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], <[u8; 20]>::as_slice)
    }

    /// Where Redis does not tell, all runs are one.
    const UNTOLD: Self = Self(Some([b'0'; 20]));
    const OF_CLUSTER: Self = Self(None);

    fn of(info: &str) -> Self {
        let told = line(info, "run_id:").and_then(|id| id.as_bytes().first_chunk());
        told.copied().map_or(Self::UNTOLD, |run| Self(Some(run)))
    }
}

/// A connection.
pub(super) struct Link {
    pub(super) connection: Connection,
    pub(super) run: RunId,
}

#[derive(Clone)]
pub(super) enum Connection {
    Server(MultiplexedConnection),
    /// It finds the node of each call's keys by itself, and new nodes when keys have moved.
    Cluster(ClusterConnection),
}

impl Link {
    /// Connects. Whoever calls waits no longer than they like.
    pub(super) async fn open(address: &Address) -> Result<Self, RedisError> {
        let client = match address {
            Address::Server(client) => client,
            Address::Cluster(client) => {
                let connection = client.get_async_connection().await?;
                return Ok(Self {
                    connection: Connection::Cluster(connection),
                    run: RunId::OF_CLUSTER,
                });
            }
        };
        let mut connection = connect(client, None).await?;
        let info = ask_info(&mut connection).await;
        let run = match info {
            Ok(info) => RunId::of(&info),
            // Some hosts of Redis do not let everybody ask.
            Err(error) if error.code().is_some() => RunId::UNTOLD,
            Err(error) => return Err(error),
        };
        Ok(Self {
            connection: Connection::Server(connection),
            run,
        })
    }

    /// Whether Redis answers; of a cluster, whether any node does.
    pub(super) async fn ping(&self) -> Result<(), RedisError> {
        let ping = redis::cmd("PING");
        match self.connection.clone() {
            Connection::Server(mut connection) => ping.query_async(&mut connection).await,
            Connection::Cluster(mut connection) => {
                let any = RoutingInfo::SingleNode(SingleNodeRoutingInfo::Random);
                connection.route_command(ping, any).await.map(|_| ())
            }
        }
    }
}

impl Connection {
    /// Sends a command. In a cluster, one that reached a node which does not have its keys has done nothing, and is sent on.
    pub(super) async fn send(&self, command: &Cmd) -> RedisResult<Value> {
        let mut connection = match self.clone() {
            Self::Server(mut connection) => return command.query_async(&mut connection).await,
            Self::Cluster(connection) => connection,
        };
        let mut redirects = 0;
        loop {
            let answer = command.query_async(&mut connection).await;
            // By this answer the connection has begun to look where the keys are now; what is sent next waits for that.
            let elsewhere = answer.as_ref().is_err_and(|error: &RedisError| {
                matches!(
                    error.kind(),
                    ErrorKind::Server(ServerErrorKind::Moved | ServerErrorKind::ReadOnly)
                )
            });
            if !elsewhere || redirects == REDIRECTS {
                return answer;
            }
            redirects += 1;
        }
    }
}

async fn connect(
    client: &Client,
    patience: Option<Duration>,
) -> Result<MultiplexedConnection, RedisError> {
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(patience)
        .set_response_timeout(patience);
    client
        .get_multiplexed_async_connection_with_config(&config)
        .await
}

async fn ask_info(connection: &mut MultiplexedConnection) -> Result<String, RedisError> {
    let mut info = redis::cmd("INFO");
    info.arg("server").query_async(connection).await
}

/// What a node of a cluster says of itself.
async fn ask_node(client: &redis::cluster::ClusterClient) -> Result<String, RedisError> {
    let mut connection = client.get_async_connection().await?;
    let mut info = redis::cmd("INFO");
    info.arg("server");
    let any = RoutingInfo::SingleNode(SingleNodeRoutingInfo::Random);
    let info = connection.route_command(info, any).await?;
    Ok(String::from_redis_value(info)?)
}

/// Looks whether Redis is there, new enough, and what the address says that it is.
pub(super) async fn check(address: &Address, place: &str) -> anyhow::Result<()> {
    let info = async {
        match address {
            Address::Server(client) => ask_info(&mut connect(client, Some(AT_START)).await?).await,
            Address::Cluster(client) => ask_node(client).await,
        }
    };
    let info = timeout(AT_START, info)
        .await
        .with_context(|| format!("Redis at {place} does not answer; check redis_url"))?
        .with_context(|| format!("Redis at {place} cannot be used; check redis_url"))?;
    let version = line(&info, "redis_version:").context("Redis does not say its version")?;
    anyhow::ensure!(
        parse_version(version) >= Some(OLDEST),
        "Redis at {place} is version {version}; {}.{} or newer is needed",
        OLDEST.0,
        OLDEST.1
    );
    let is_cluster = line(&info, "redis_mode:") == Some("cluster");
    anyhow::ensure!(
        !is_cluster || matches!(address, Address::Cluster(_)),
        "Redis at {place} is a node of a Redis Cluster: write redis_url as redis+cluster://host:port,host:port"
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
    use crate::config::Secret;
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
        assert_eq!(RunId::OF_CLUSTER.as_bytes(), b"");
    }

    #[tokio::test]
    async fn redis_that_is_not_there_is_said_in_one_sentence() {
        for (url, said) in [
            ("no address", "redis_url is not an address"),
            ("redis://127.0.0.1:1", "Redis at 127.0.0.1:1 "),
            (
                "redis+cluster://127.0.0.1:1,127.0.0.1:2",
                "Redis at 127.0.0.1:1,127.0.0.1:2 ",
            ),
        ] {
            let url = Secret::from(url.to_owned());
            let refused = Redis::connect(&url, PATIENCE, "nobody minds").await;
            let refused = format!("{:#}", refused.unwrap_err());
            assert!(refused.starts_with(said), "{refused}");
        }
    }
}
