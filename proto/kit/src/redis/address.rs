//! The address of Redis: parses the setting `redis_url`.
//!
//! - `redis://user:password@host:port`: one server.
//! - `redis+cluster://user:password@host:port,host:port`: a Redis Cluster, by some of its nodes.
//! - `rediss://` and `rediss+cluster://`: the same over TLS. The server's certificate is checked against the system's certificate
//!   authorities, or against the PEM file that the parameter `sslrootcert` names, as in a PostgreSQL URL.

use std::time::Duration;

use anyhow::Context as _;
use redis::cluster::ClusterClient;
use redis::{Client, ConnectionAddr, TlsCertificates};

use crate::config::Secret;

/// How long a node of a cluster may take to connect, unless a call may take longer. Calls to the other nodes wait in the meantime.
const NODE_CONNECT_TIMEOUT: Duration = Duration::from_millis(250);

/// A server or a cluster.
#[derive(Clone)]
pub(super) enum Address {
    Server(Box<Client>),
    Cluster(Box<ClusterClient>),
}

/// Parses an address; also returns the host and port for the log, without secrets. `timeout` is that of a call.
pub(super) fn parse(url: &Secret, timeout: Duration) -> anyhow::Result<(Address, String)> {
    let parsed = RedisUrl::parse(url.expose()).context(
        "redis_url is not an address such as redis://127.0.0.1:6379, rediss://host:6379 (TLS) or \
         redis+cluster://host:6379,host:6380 (a Redis Cluster)",
    )?;
    let certificates = parsed.certificates()?;
    if parsed.tls {
        // Fails when a provider is already installed, which works as well.
        let (Ok(()) | Err(_)) = rustls::crypto::ring::default_provider().install_default();
    }
    let urls: Vec<String> = parsed.urls();
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
        let url = urls.first().map_or("", String::as_str);
        match certificates {
            Some(certificates) => Client::build_with_tls(url, certificates),
            None => Client::open(url),
        }
        .map(Box::new)
        .map(Address::Server)
    };
    // The error of the library may show the password.
    let address = address.ok().context(
        "redis_url is not an address such as redis://127.0.0.1:6379; check its ports and its `sslrootcert`",
    )?;
    let place = match &address {
        Address::Server(client) => server_place(client),
        Address::Cluster(_) => parsed.hosts.join(","),
    };
    Ok((address, place))
}

fn server_place(client: &Client) -> String {
    match client.get_connection_info().addr() {
        ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. } => {
            format!("{host}:{port}")
        }
        other => other.to_string(),
    }
}

/// A Redis URL, parsed.
struct RedisUrl<'a> {
    tls: bool,
    cluster: bool,
    /// `user:password@`, or empty.
    user: &'a str,
    hosts: Vec<&'a str>,
    /// The path and the parameters, without `sslrootcert`.
    rest: String,
    authorities: Option<&'a str>,
}

impl<'a> RedisUrl<'a> {
    fn parse(url: &'a str) -> Option<Self> {
        let (scheme, after) = url.split_once("://")?;
        let (tls, cluster) = match scheme {
            "redis" | "redis+unix" | "unix" => (false, false),
            "rediss" => (true, false),
            "redis+cluster" => (false, true),
            "rediss+cluster" => (true, true),
            _ => return None,
        };
        let (before, parameters) = after.split_once('?').unwrap_or((after, ""));
        let end = before.find('/').unwrap_or(before.len());
        let (authority, path) = before.split_at(end);
        let (user, hosts) = match authority.rfind('@') {
            Some(at) => authority.split_at(at + 1),
            None => ("", authority),
        };
        let (own, others): (Vec<&str>, Vec<&str>) = parameters
            .split('&')
            .filter(|parameter| !parameter.is_empty())
            .partition(|parameter| parameter.starts_with("sslrootcert="));
        let rest = match others.as_slice() {
            [] => path.to_owned(),
            others => format!("{path}?{}", others.join("&")),
        };
        let hosts = if cluster {
            hosts.split(',').filter(|host| !host.is_empty()).collect()
        } else {
            vec![hosts]
        };
        let authorities = own.first().and_then(|it| it.strip_prefix("sslrootcert="));
        Some(Self {
            tls,
            cluster,
            user,
            hosts,
            rest,
            authorities,
        })
    }

    /// One URL per host, for the redis crate.
    fn urls(&self) -> Vec<String> {
        let scheme = if self.tls { "rediss" } else { "redis" };
        let Self { user, rest, .. } = self;
        let hosts = self.hosts.iter();
        hosts
            .map(|host| format!("{scheme}://{user}{host}{rest}"))
            .collect()
    }

    fn certificates(&self) -> anyhow::Result<Option<TlsCertificates>> {
        let Some(path) = self.authorities else {
            return Ok(None);
        };
        anyhow::ensure!(
            self.tls,
            "redis_url: `sslrootcert` needs an address that begins with rediss:// or rediss+cluster://"
        );
        let root_cert = std::fs::read(path)
            .with_context(|| format!("redis_url: cannot read the file of `sslrootcert`, {path}"))?;
        Ok(Some(TlsCertificates {
            client_tls: None,
            root_cert: Some(root_cert),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redis::DEFAULT_TIMEOUT;

    fn parsed(url: &str) -> Option<(bool, bool, Vec<String>, Option<&str>)> {
        let parsed = RedisUrl::parse(url)?;
        Some((
            parsed.tls,
            parsed.cluster,
            parsed.urls(),
            parsed.authorities,
        ))
    }

    #[test]
    fn addresses_of_servers_and_clusters_are_parsed() {
        let one = |url: &str| vec![url.to_owned()];
        let plain = "redis://u:p@h:1/2?protocol=resp3";
        assert_eq!(parsed(plain), Some((false, false, one(plain), None)));
        assert_eq!(
            parsed("rediss://h:1/?sslrootcert=/ca.pem&protocol=resp3"),
            Some((
                true,
                false,
                one("rediss://h:1/?protocol=resp3"),
                Some("/ca.pem")
            ))
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
        for none in ["", "no address", "http://h:1", "redis+sentinel://h:1"] {
            assert_eq!(parsed(none), None, "{none}");
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
            (
                "redis://u:geheim@h:1?sslrootcert=/nowhere",
                "redis_url: `sslrootcert` needs",
            ),
        ] {
            let refused = parse(&Secret::from(url.to_owned()), DEFAULT_TIMEOUT)
                .err()
                .unwrap();
            let refused = format!("{refused:#}");
            assert!(refused.starts_with(said), "{refused}");
            assert!(!refused.contains("geheim"), "{refused}");
        }
        let (_, place) = parse(
            &Secret::from("redis+cluster://u:geheim@h:1,h:2".to_owned()),
            DEFAULT_TIMEOUT,
        )
        .unwrap();
        assert_eq!(place, "h:1,h:2");
    }
}
