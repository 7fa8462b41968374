//! The networks whose requests limits count together.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::{IpNet, Ipv6Net};

/// The prefix of the IPv6 network of a household or a server, which usually has a whole /64.
const IPV6_NETWORK: u8 = 64;
/// The prefix of an IPv6 site: providers assign a /48 to a customer, who can send from each /64 of
/// it (RFC 6177).
const IPV6_SITE: u8 = 48;
/// The limit of a site, as a multiple of the limit of a network.
const NETWORKS_PER_SITE: u32 = 5;

/// The addresses of one client: an IPv4 address or an IPv6 /64; or those of one customer of a
/// provider, their [site](Self::site).
///
/// Its text is `192.0.2.1`, `2001:db8:1:2::/64` or `2001:db8:1::/48`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network(IpNet);

impl Network {
    /// The site: the /48 of an IPv6 network, and an IPv4 address itself.
    #[must_use]
    pub fn site(self) -> Self {
        match self.0 {
            IpNet::V4(_) => self,
            IpNet::V6(network) => Self(ipv6(network, IPV6_SITE)),
        }
    }

    /// What a limit of this many per network counts, and the limit of each: the network and, with
    /// five times the limit, its site.
    pub fn counted(self, limit: u32) -> impl Iterator<Item = (Self, u32)> + Clone {
        let site = self.site();
        let site = (site != self).then(|| (site, limit.saturating_mul(NETWORKS_PER_SITE)));
        std::iter::once((self, limit)).chain(site)
    }

    /// Whether it is the IPv4 address of a client.
    pub const fn is_ipv4(self) -> bool {
        matches!(self.0, IpNet::V4(_))
    }
}

impl From<IpAddr> for Network {
    fn from(address: IpAddr) -> Self {
        Self(match IpNet::from(address.to_canonical()) {
            IpNet::V6(address) => ipv6(address, IPV6_NETWORK),
            address @ IpNet::V4(_) => address,
        })
    }
}

/// The network with this prefix, which is one of the two above.
fn ipv6(network: Ipv6Net, prefix: u8) -> IpNet {
    Ipv6Net::new_assert(network.network(), prefix).trunc().into()
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpNet::V4(network) => network.addr().fmt(f),
            IpNet::V6(network) => network.fmt(f),
        }
    }
}

impl FromStr for Network {
    type Err = String;

    /// Parses an IP address, which stands for its network, or a network as its text is.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(address.into());
        }
        let network = text.parse().ok().and_then(|network| match network {
            IpNet::V4(network) => {
                (network.prefix_len() == network.max_prefix_len()).then_some(network.into())
            }
            IpNet::V6(network) => {
                let prefix = network.prefix_len();
                matches!(prefix, IPV6_NETWORK | IPV6_SITE).then(|| ipv6(network, prefix))
            }
        });
        network.map(Self).ok_or_else(|| {
            format!("Must be an IP address, or an IPv6 network /64 or /48, such as 192.0.2.1 or 2001:db8:1::/48; not `{text}`.")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> Network {
        Network::from(text.parse::<IpAddr>().unwrap())
    }

    #[test]
    fn an_ipv6_client_is_identified_by_its_64_prefix() {
        assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:1"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_eq!(network("192.0.2.1"), network("::ffff:192.0.2.1"));
    }

    #[test]
    fn a_site_has_five_times_the_limit_of_a_network() {
        let counted = |text: &str| {
            let counted = network(text).counted(10);
            counted.map(|(network, limit)| (network.to_string(), limit)).collect::<Vec<_>>()
        };
        let site = ("2001:db8:1::/48".to_owned(), 50);
        assert_eq!(
            counted("2001:db8:1:2::7"),
            [("2001:db8:1:2::/64".to_owned(), 10), site.clone()]
        );
        assert_eq!(counted("2001:db8:1:ffff::7")[1], site);
        assert_eq!(counted("192.0.2.1"), [("192.0.2.1".to_owned(), 10)]);
        // The first /64 of a site is not the site.
        assert_eq!(counted("2001:db8:1::7").len(), 2);
    }

    #[test]
    fn a_network_is_parsed_from_its_text() {
        for (text, parsed) in [
            ("192.0.2.7", "192.0.2.7"),
            ("192.0.2.7/32", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
            ("2001:db8:1:2:3::4/64", "2001:db8:1:2::/64"),
            ("2001:db8:1:2::/48", "2001:db8:1::/48"),
        ] {
            let network: Network = text.parse().unwrap();
            assert_eq!(network.to_string(), parsed, "{text}");
            assert_eq!(network.to_string().parse(), Ok(network), "{text}");
        }
        for text in ["", "here", "192.0.2.0/24", "2001:db8::/32", "2001:db8::/129"] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
    }
}
