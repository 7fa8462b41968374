//! The URL of Redis, the setting `redis_url`, and what the redis crate makes of it.
//!
//! - `redis://user:password@host:port`: one server; `unix:///path` its Unix socket.
//! - `redis+cluster://user:password@host:port,host:port`: a Redis Cluster, by some of its nodes.
//! - `rediss://` and `rediss+cluster://`: the same over TLS. The server's certificate is checked against the system's certificate
//!   authorities, or against the PEM file that the parameter `sslrootcert` names, as in a PostgreSQL URL.

use std::time::Duration;

use anyhow::Context as _;
use http::uri::Authority;
use redis::cluster::ClusterClient;
use redis::{Client, TlsCertificates};

use crate::secret::Secret;

/// How long a node of a cluster may take to connect, unless a call may take longer. Calls to the other nodes wait in the meantime.
const NODE_CONNECT_TIMEOUT: Duration = Duration::from_millis(250);

/// A server or a cluster.
#[derive(Clone)]
pub(crate) enum Address {
    Server(Box<Client>),
    Cluster(Box<ClusterClient>),
}

/// Parses the setting `redis_url`; also returns the host and port for the log, without secrets. `timeout` is that of a call.
pub(crate) fn parse(url: &Secret, timeout: Duration) -> anyhow::Result<(Address, String)> {
    let parsed = RedisUrl::parse(url.expose()).context(
        "redis_url is not an address such as redis://127.0.0.1:6379, rediss://host:6379 (TLS) or \
         redis+cluster://host:6379,host:6380 (a Redis Cluster)",
    )?;
    let certificates = parsed.certificates()?;
    if parsed.has_tls() {
        // Fails when a provider is already installed, which works as well.
        let (Ok(()) | Err(_)) = rustls::crypto::ring::default_provider().install_default();
    }
    let urls = parsed.urls();
    let address = if parsed.cluster {
        let client = ClusterClient::builder(urls.iter().map(String::as_str))
            // A call that may have been carried out must not be sent twice. The kit retries the calls that can be.
            .retries(0)
            .connection_timeout(NODE_CONNECT_TIMEOUT.max(timeout));
        let client = match certificates {
            Some(certificates) => client.certs(certificates),
            None => client,
        };
        client.build().map(Box::new).map(Address::Cluster)
    } else {
        let client = match certificates {
            Some(certificates) => Client::build_with_tls(urls.concat(), certificates),
            None => Client::open(urls.concat()),
        };
        client.map(Box::new).map(Address::Server)
    };
    // The error of the library may show the password.
    let address = address.ok().context(
        "redis_url is not an address such as redis://127.0.0.1:6379; check its ports and its `sslrootcert`",
    )?;
    Ok((address, parsed.place()))
}

/// The hosts of a URL, without their ports, that are reached by TCP without TLS. An IPv6 address has no brackets, as that of PostgreSQL.
pub(crate) fn plaintext_hosts(url: &str) -> Vec<String> {
    let Some(url) = RedisUrl::parse(url).filter(|url| url.scheme == "redis") else {
        return Vec::new();
    };
    let name = |host: &&str| match host.parse::<Authority>() {
        Ok(authority) => authority.host().trim_matches(['[', ']']).to_owned(),
        Err(_) => (*host).to_owned(),
    };
    url.hosts.iter().map(name).collect()
}

/// The parts of a URL.
struct RedisUrl<'a> {
    /// The scheme for the redis crate.
    scheme: &'static str,
    cluster: bool,
    /// `user:password@`, or empty.
    user: &'a str,
    /// Each as `host:port`; of a Unix socket an empty one.
    hosts: Vec<&'a str>,
    path: &'a str,
    /// The parameters, without `sslrootcert`.
    parameters: Vec<&'a str>,
    /// The file with certificate authorities.
    authorities: Option<&'a str>,
}

impl<'a> RedisUrl<'a> {
    fn parse(url: &'a str) -> Option<Self> {
        let (scheme, after) = url.split_once("://")?;
        let (scheme, cluster) = match scheme {
            "redis" => ("redis", false),
            "rediss" => ("rediss", false),
            "redis+cluster" => ("redis", true),
            "rediss+cluster" => ("rediss", true),
            "redis+unix" | "unix" => ("unix", false),
            _ => return None,
        };
        let (before, parameters) = after.split_once('?').unwrap_or((after, ""));
        let (authority, path) = before.split_at(before.find('/').unwrap_or(before.len()));
        let (user, hosts) = authority.split_at(authority.rfind('@').map_or(0, |at| at + 1));
        let hosts = if cluster {
            hosts.split(',').filter(|host| !host.is_empty()).collect()
        } else {
            vec![hosts]
        };
        let (authorities, parameters): (Vec<&str>, Vec<&str>) = parameters
            .split('&')
            .filter(|parameter| !parameter.is_empty())
            .partition(|parameter| parameter.starts_with("sslrootcert="));
        let authorities = authorities.first();
        Some(Self {
            scheme,
            cluster,
            user,
            hosts,
            path,
            parameters,
            authorities: authorities.and_then(|it| it.strip_prefix("sslrootcert=")),
        })
    }

    fn has_tls(&self) -> bool {
        self.scheme == "rediss"
    }

    /// One URL per host, for the redis crate.
    fn urls(&self) -> Vec<String> {
        let Self { scheme, user, path, .. } = self;
        let question = if self.parameters.is_empty() { "" } else { "?" };
        let parameters = self.parameters.join("&");
        let hosts = self.hosts.iter();
        hosts.map(|host| format!("{scheme}://{user}{host}{path}{question}{parameters}")).collect()
    }

    /// The hosts with their ports, or the path of the socket.
    fn place(&self) -> String {
        if self.scheme == "unix" {
            return self.path.to_owned();
        }
        self.hosts.join(",")
    }

    fn certificates(&self) -> anyhow::Result<Option<TlsCertificates>> {
        let Some(path) = self.authorities else {
            return Ok(None);
        };
        anyhow::ensure!(
            self.has_tls(),
            "redis_url: `sslrootcert` needs an address that begins with rediss:// or rediss+cluster://"
        );
        let root_cert = std::fs::read(path)
            .with_context(|| format!("redis_url: cannot read the file of `sslrootcert`, {path}"))?;
        Ok(Some(TlsCertificates { client_tls: None, root_cert: Some(root_cert) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redis::DEFAULT_TIMEOUT;

    fn parsed(url: &str) -> Option<(bool, bool, Vec<String>, Option<&str>)> {
        let parsed = RedisUrl::parse(url)?;
        Some((parsed.has_tls(), parsed.cluster, parsed.urls(), parsed.authorities))
    }

    #[test]
    fn addresses_of_servers_and_clusters_are_parsed() {
        let one = |url: &str| vec![url.to_owned()];
        let plain = "redis://u:p@h:1/2?protocol=resp3";
        assert_eq!(parsed(plain), Some((false, false, one(plain), None)));
        assert_eq!(
            parsed("rediss://h:1/?sslrootcert=/ca.pem&protocol=resp3"),
            Some((true, false, one("rediss://h:1/?protocol=resp3"), Some("/ca.pem")))
        );
        let both = ["redis://u:p,@h:1", "redis://u:p,@h:2"].map(str::to_owned);
        assert_eq!(
            parsed("redis+cluster://u:p,@h:1,h:2"),
            Some((false, true, both.to_vec(), None))
        );
        assert_eq!(
            parsed("rediss+cluster://h:1?sslrootcert=/ca.pem"),
            Some((true, true, one("rediss://h:1"), Some("/ca.pem")))
        );
        let socket = "unix:///run/redis.sock?db=1";
        assert_eq!(parsed(socket), Some((false, false, one(socket), None)));
        for none in ["", "no address", "http://h:1", "redis+sentinel://h:1"] {
            assert_eq!(parsed(none), None, "{none}");
        }
    }

    #[test]
    fn hosts_without_tls_are_named_without_ports() {
        for (url, expected) in [
            ("redis://:a@b@h:1/2", &["h"][..]),
            ("redis://h", &["h"]),
            ("redis://[::1]:6379", &["::1"]),
            ("redis+cluster://u:p@h:1,i:2", &["h", "i"]),
            ("rediss://h:1", &[]),
            ("rediss+cluster://h:1,i:2", &[]),
            ("unix:///run/redis.sock", &[]),
            ("no address", &[]),
        ] {
            assert_eq!(plaintext_hosts(url), expected);
        }
    }

    #[test]
    fn errors_do_not_show_the_password() {
        for (url, said) in [
            ("http://u:geheim@h:1", "redis_url is not an address"),
            ("redis://u:geheim@h:x", "redis_url is not an address"),
            ("redis+cluster://u:geheim@", "redis_url is not an address"),
            (
                "rediss://u:geheim@h:1?sslrootcert=/nowhere",
                "redis_url: cannot read the file of `sslrootcert`, /nowhere",
            ),
            ("redis://u:geheim@h:1?sslrootcert=/nowhere", "redis_url: `sslrootcert` needs"),
        ] {
            let refused = parse(&Secret::from(url.to_owned()), DEFAULT_TIMEOUT).err().unwrap();
            let refused = format!("{refused:#}");
            assert!(refused.starts_with(said), "{refused}");
            assert!(!refused.contains("geheim"), "{refused}");
        }
    }

    #[test]
    fn the_place_of_a_server_is_named_without_secrets() {
        for (url, expected) in [
            ("redis+cluster://u:geheim@h:1,h:2", "h:1,h:2"),
            ("redis://u:geheim@[::1]:6379/2", "[::1]:6379"),
            ("unix:///run/redis.sock", "/run/redis.sock"),
        ] {
            let (_, place) = parse(&Secret::from(url.to_owned()), DEFAULT_TIMEOUT).unwrap();
            assert_eq!(place, expected);
        }
    }
}
