//! An open connection to one server or to a cluster, and the checks when it is opened.

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

use super::Shared;
use crate::redis_url::Address;

/// The oldest supported version.
const MIN_VERSION: (u32, u32) = (6, 2);
/// The timeout of the check at start, unless a call may take longer. It is long, because a machine that starts a fleet is busy.
const CHECK_TIMEOUT: Duration = Duration::from_secs(3);
/// How often a call follows a redirection to another node. Two would do unless slots move all the time.
const MAX_REDIRECTS: u32 = 3;

/// An open connection.
#[derive(Clone)]
pub(super) enum Connection {
    Server(MultiplexedConnection),
    /// Finds the node of each call's keys, and new nodes when slots have moved.
    Cluster(ClusterConnection),
}

impl Connection {
    /// Connects. The caller sets the timeout.
    pub(super) async fn open(address: &Address) -> Result<Self, RedisError> {
        let client = match address {
            Address::Server(client) => client,
            Address::Cluster(client) => {
                return client.get_async_connection().await.map(Self::Cluster);
            }
        };
        let mut connection = connect(client, None).await?;
        match server_info(&mut connection).await {
            // It was demoted, and its successor will have the address. Replicas refuse writes, and their data are late.
            Ok(info) if line(&info, "role:") == Some("slave") => {
                let kind = ErrorKind::Server(ServerErrorKind::ReadOnly);
                Err(RedisError::from((kind, "this Redis is a replica")))
            }
            // Some hosted Redis services do not allow INFO.
            Err(error) if error.code().is_none() => Err(error),
            Ok(_) | Err(_) => Ok(Self::Server(connection)),
        }
    }

    /// Sends a PING to the server, or to any node of the cluster.
    pub(super) async fn ping(&self) -> Result<(), RedisError> {
        let ping = redis::cmd("PING");
        match self.clone() {
            Self::Server(mut connection) => ping.query_async(&mut connection).await,
            Self::Cluster(mut connection) => {
                let any = RoutingInfo::SingleNode(SingleNodeRoutingInfo::Random);
                connection.route_command(ping, any).await.map(|_| ())
            }
        }
    }

    /// Sends a command. In a cluster, a node that does not have the keys of a command has not carried it out; the command is then sent again.
    pub(super) async fn send(&self, command: &Cmd) -> RedisResult<Value> {
        let mut connection = match self.clone() {
            Self::Server(mut connection) => return command.query_async(&mut connection).await,
            Self::Cluster(connection) => connection,
        };
        let mut redirects = 0;
        loop {
            let answer = command.query_async(&mut connection).await;
            // After this response the connection refreshes its slots; the next command waits for that.
            let is_redirect = answer.as_ref().is_err_and(|error: &RedisError| {
                matches!(
                    error.kind(),
                    ErrorKind::Server(ServerErrorKind::Moved | ServerErrorKind::ReadOnly)
                )
            });
            if !is_redirect || redirects == MAX_REDIRECTS {
                return answer;
            }
            redirects += 1;
        }
    }
}

async fn connect(
    client: &Client,
    timeout: Option<Duration>,
) -> Result<MultiplexedConnection, RedisError> {
    let config =
        AsyncConnectionConfig::new().set_connection_timeout(timeout).set_response_timeout(timeout);
    client.get_multiplexed_async_connection_with_config(&config).await
}

async fn server_info(connection: &mut MultiplexedConnection) -> Result<String, RedisError> {
    redis::cmd("INFO").query_async(connection).await
}

/// The `INFO` of any node of a cluster.
async fn node_info(client: &redis::cluster::ClusterClient) -> Result<String, RedisError> {
    let mut connection = client.get_async_connection().await?;
    let any = RoutingInfo::SingleNode(SingleNodeRoutingInfo::Random);
    let info = connection.route_command(redis::cmd("INFO"), any).await?;
    Ok(String::from_redis_value(info)?)
}

/// What Redis says of itself at start, with a longer timeout than that of a call.
pub(super) async fn info(redis: &Shared) -> anyhow::Result<String> {
    let (address, place) = (&redis.address, &redis.place);
    let limit = CHECK_TIMEOUT.max(redis.timeout);
    let info = async {
        match address {
            Address::Server(client) => server_info(&mut connect(client, Some(limit)).await?).await,
            Address::Cluster(client) => node_info(client).await,
        }
    };
    timeout(limit, info)
        .await
        .with_context(|| format!("Redis at {place} does not answer; check redis_url"))?
        .with_context(|| format!("cannot connect to Redis at {place}; check redis_url"))
}

/// Checks that Redis is new enough, and is a cluster if the address says so.
pub(super) fn check(redis: &Shared, info: &str) -> anyhow::Result<()> {
    let (address, place) = (&redis.address, &redis.place);
    let version = line(info, "redis_version:").context("Redis did not report its version")?;
    anyhow::ensure!(
        parse_version(version) >= Some(MIN_VERSION),
        "Redis at {place} is version {version}; install {}.{} or newer",
        MIN_VERSION.0,
        MIN_VERSION.1
    );
    let is_cluster = line(info, "redis_mode:") == Some("cluster");
    anyhow::ensure!(
        !is_cluster || matches!(address, Address::Cluster(_)),
        "Redis at {place} is a node of a Redis Cluster: write redis_url as redis+cluster://host:port,host:port"
    );
    Ok(())
}

fn line<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    let value = info.lines().find_map(|line| line.strip_prefix(name))?;
    Some(value.trim())
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redis::{DEFAULT_TIMEOUT, Redis};
    use crate::secret::Secret;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(parse_version("6.0.16") < Some(MIN_VERSION));
        assert!(parse_version("6.2.0") >= Some(MIN_VERSION));
        assert!(parse_version("10.0") >= Some(MIN_VERSION));
        assert!(parse_version("unstable") < Some(MIN_VERSION));
    }

    #[tokio::test]
    async fn an_unreachable_redis_is_reported_in_one_sentence() {
        for (url, said) in [
            ("redis://127.0.0.1:1", "cannot connect to Redis at 127.0.0.1:1;"),
            (
                "redis+cluster://127.0.0.1:1,127.0.0.1:2",
                "cannot connect to Redis at 127.0.0.1:1,127.0.0.1:2;",
            ),
        ] {
            let url = Secret::from(url.to_owned());
            let redis = Redis::lazy(&url, DEFAULT_TIMEOUT, "tests go on").unwrap();
            let refused = format!("{:#}", info(&redis.0).await.unwrap_err());
            assert!(refused.starts_with(said), "{refused}");
        }
    }
}
