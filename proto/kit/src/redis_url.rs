//! The URL of Redis, the setting `redis_url`.
//!
//! - `redis://user:password@host:port`: one server; `unix:///path` its Unix socket.
//! - `redis+cluster://user:password@host:port,host:port`: a Redis Cluster, by some of its nodes.
//! - `rediss://` and `rediss+cluster://`: the same over TLS. The server's certificate is checked against the system's certificate
//!   authorities, or against the PEM file that the parameter `sslrootcert` names, as in a PostgreSQL URL.

use http::uri::Authority;

/// A Redis URL, parsed.
pub(crate) struct RedisUrl<'a> {
    /// The scheme for the redis crate.
    scheme: &'static str,
    pub(crate) cluster: bool,
    /// `user:password@`, or empty.
    user: &'a str,
    /// Each as `host:port`; of a Unix socket an empty one.
    pub(crate) hosts: Vec<&'a str>,
    /// The path and the parameters, without `sslrootcert`.
    rest: String,
    /// The file with certificate authorities.
    pub(crate) authorities: Option<&'a str>,
}

impl<'a> RedisUrl<'a> {
    pub(crate) fn parse(url: &'a str) -> Option<Self> {
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
            scheme,
            cluster,
            user,
            hosts,
            rest,
            authorities,
        })
    }

    pub(crate) fn has_tls(&self) -> bool {
        self.scheme == "rediss"
    }

    /// One URL per host, for the redis crate.
    pub(crate) fn urls(&self) -> Vec<String> {
        let (scheme, user, rest) = (self.scheme, self.user, &self.rest);
        let hosts = self.hosts.iter();
        hosts
            .map(|host| format!("{scheme}://{user}{host}{rest}"))
            .collect()
    }

    /// The hosts, without their ports, that are reached by TCP without TLS. An IPv6 address has no brackets, as that of PostgreSQL.
    pub(crate) fn plaintext_hosts(&self) -> Vec<String> {
        if self.scheme != "redis" {
            return Vec::new();
        }
        let name = |host: &&str| match host.parse::<Authority>() {
            Ok(authority) => authority.host().trim_matches(['[', ']']).to_owned(),
            Err(_) => (*host).to_owned(),
        };
        self.hosts.iter().map(name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> Option<(bool, bool, Vec<String>, Option<&str>)> {
        let parsed = RedisUrl::parse(url)?;
        Some((
            parsed.has_tls(),
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
        ] {
            let url = RedisUrl::parse(url).unwrap();
            assert_eq!(url.plaintext_hosts(), expected);
        }
    }
}
