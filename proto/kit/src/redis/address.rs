//! The address of Redis: what the redis crate makes of the setting `redis_url`.

use std::time::Duration;

use anyhow::Context as _;
use redis::cluster::ClusterClient;
use redis::{Client, ConnectionAddr, TlsCertificates};

use crate::config::Secret;
use crate::redis_url::RedisUrl;

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
    let certificates = certificates(&parsed)?;
    if parsed.has_tls() {
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

fn certificates(url: &RedisUrl<'_>) -> anyhow::Result<Option<TlsCertificates>> {
    let Some(path) = url.authorities else {
        return Ok(None);
    };
    anyhow::ensure!(
        url.has_tls(),
        "redis_url: `sslrootcert` needs an address that begins with rediss:// or rediss+cluster://"
    );
    let root_cert = std::fs::read(path)
        .with_context(|| format!("redis_url: cannot read the file of `sslrootcert`, {path}"))?;
    Ok(Some(TlsCertificates {
        client_tls: None,
        root_cert: Some(root_cert),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redis::DEFAULT_TIMEOUT;

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

    #[test]
    fn a_unix_socket_is_an_address() {
        let url = Secret::from("unix:///run/redis.sock".to_owned());
        let (_, place) = parse(&url, DEFAULT_TIMEOUT).unwrap();
        assert_eq!(place, "/run/redis.sock");
    }
}
