//! The addresses that may be called. The client connects to the addresses that are checked here, and to no others.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use kit::throttle::Throttle;
use reqwest_rustls::dns;
use tokio::time::timeout;

use super::resolver::{Resolve, ResolveError};
use crate::domain::address::{Address, AllowList};
use crate::domain::network::special_purpose;

/// Maximum addresses of a name to connect to.
const MAX_ADDRESSES: usize = 4;
/// The port of URLs that are not on the allow-list.
const PUBLIC_PORT: u16 = 443;

/// Resolves a name for each connection, and checks every address.
#[derive(Debug)]
pub(super) struct PublicResolver {
    pub(super) resolver: Arc<dyn Resolve>,
    pub(super) timeout: Duration,
    pub(super) hosts: Arc<PublicHosts>,
}

/// Which hosts may be called.
#[derive(Debug)]
pub(super) struct PublicHosts {
    allowed: AllowList,
    // Logged once a minute: customers choose the names, and an outage of the name servers fails every look-up.
    unanswered: Throttle,
    not_public: Throttle,
}

/// Why a host is not called.
#[derive(Debug, thiserror::Error)]
pub(super) enum HostError {
    /// The name servers of this machine do not say. Their words are in the log only.
    #[error("could not resolve the name {host}")]
    Unresolved { host: String },
    /// There is no such name.
    #[error("the name {host} does not exist")]
    NoName { host: String },
    /// The name has no address, or one that is not public. Only the log says which: a stranger who enters names must not learn what our name
    /// servers know of internal names.
    #[error("{host} does not resolve to a public address")]
    NotPublic { host: String },
}

impl dns::Resolve for PublicResolver {
    fn resolve(&self, name: dns::Name) -> dns::Resolving {
        let (resolver, hosts) = (Arc::clone(&self.resolver), Arc::clone(&self.hosts));
        let limit = self.timeout;
        Box::pin(async move {
            let host = name.as_str();
            let addresses = hosts.look_up(&*resolver, host, limit).await?;
            if !hosts.allowed.permits_name(host) {
                hosts.check(host, &addresses)?;
            }
            Ok(Box::new(of_both_families(addresses).into_iter()) as dns::Addrs)
        })
    }
}

/// The addresses to connect to: half of them of each family, since this machine may reach only one,
/// and more where the other has fewer.
fn of_both_families(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let (v4, v6): (Vec<_>, Vec<_>) = addresses.into_iter().partition(SocketAddr::is_ipv4);
    let most_v4 = MAX_ADDRESSES - v6.len().min(MAX_ADDRESSES / 2);
    let most_v6 = MAX_ADDRESSES - v4.len().min(MAX_ADDRESSES / 2);
    v4.into_iter().take(most_v4).chain(v6.into_iter().take(most_v6)).collect()
}

impl PublicHosts {
    pub(super) fn new(allowed: AllowList) -> Self {
        Self { allowed, unanswered: Throttle::new(), not_public: Throttle::new() }
    }

    /// Parses the URL of an endpoint. Its host may be checked later: a name by the resolver, an IP address by [`check_literal`].
    ///
    /// [`check_literal`]: Self::check_literal
    pub(super) fn parse(&self, url: &str) -> Result<Address, String> {
        Address::parse(url, &self.allowed)
    }

    async fn look_up(
        &self,
        resolver: &dyn Resolve,
        host: &str,
        limit: Duration,
    ) -> Result<Vec<SocketAddr>, HostError> {
        let found =
            timeout(limit, resolver.resolve(host, limit)).await.unwrap_or_else(|_elapsed| {
                let why = "the name servers did not answer in time";
                Err(ResolveError::Unanswered(why.to_owned()))
            });
        let host_name = host.to_owned();
        match found {
            Ok(addresses) if !addresses.is_empty() => Ok(addresses),
            Ok(_) | Err(ResolveError::NoAddress) => Err(HostError::NotPublic { host: host_name }),
            Err(ResolveError::NoName) => Err(HostError::NoName { host: host_name }),
            Err(ResolveError::Unanswered(why)) => {
                if self.unanswered.admits() {
                    tracing::warn!(host, %why, "cannot look up the name of an endpoint");
                }
                Err(HostError::Unresolved { host: host_name })
            }
        }
    }

    /// Checks a URL whose host is an IP address: the client asks no resolver for it.
    pub(super) fn check_literal(&self, address: &Address) -> Result<(), HostError> {
        let Some(ip) = address.ip() else {
            return Ok(());
        };
        self.check(&ip.to_string(), &[SocketAddr::new(ip, address.port())])
    }

    /// One address that is not public rejects them all, since the owner of the name chooses their order.
    fn check(&self, host: &str, addresses: &[SocketAddr]) -> Result<(), HostError> {
        for address in addresses {
            let ip = address.ip();
            // The client replaces 0 by the port of the URL, whose name is not on the allow-list.
            let port = match address.port() {
                0 => PUBLIC_PORT,
                port => port,
            };
            if let Some(what) = special_purpose(ip)
                && !self.allowed.permits(ip, port)
            {
                if self.not_public.admits() {
                    tracing::warn!(host, %ip, what, "an endpoint resolves to an address that is not public");
                }
                return Err(HostError::NotPublic { host: host.to_owned() });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_many_addresses_of_one_family_keeps_those_of_the_other() {
        let address = |family: &str, host: usize| -> SocketAddr {
            let text = match family {
                "v4" => format!("192.0.2.{host}:443"),
                _ => format!("[2001:db8::{host}]:443"),
            };
            text.parse().unwrap()
        };
        for (v4, v6, expected) in [
            (6, 6, (2, 2)),
            (6, 1, (3, 1)),
            (6, 0, (4, 0)),
            (1, 6, (1, 3)),
            (0, 6, (0, 4)),
            (1, 1, (1, 1)),
        ] {
            let all = (1..=v4).map(|host| address("v4", host));
            let all = all.chain((1..=v6).map(|host| address("v6", host)));
            let kept = of_both_families(all.collect());
            let kept_v4 = kept.iter().filter(|it| it.is_ipv4()).count();
            assert_eq!((kept_v4, kept.len() - kept_v4), expected, "{v4} and {v6}");
        }
    }
}
