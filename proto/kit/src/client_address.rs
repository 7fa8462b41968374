//! The network address of a client, also behind trusted proxies.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use http::HeaderMap;
use ipnet::IpNet;

use crate::throttle::Throttle;

/// Warnings that a peer which is not trusted sends the header.
static WARNINGS: Throttle = Throttle::new();

/// Proxies whose header about clients is trusted. Without any, the client's address is that of the connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

/// The header that the proxies write. The other header is ignored, since clients can set it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ProxyHeader {
    /// `X-Forwarded-For: 192.0.2.1, 198.51.100.7`
    #[default]
    XForwardedFor,
    /// RFC 7239: `Forwarded: for=192.0.2.1;proto=https, for="[2001:db8::1]:4711"`
    Forwarded,
}

impl FromStr for TrustedProxies {
    type Err = String;

    /// Parses a comma-separated list of addresses and CIDR blocks.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim).filter(|it| !it.is_empty());
        parts.map(parse_network).collect::<Result<_, _>>().map(Self)
    }
}

fn parse_network(text: &str) -> Result<IpNet, String> {
    let single = || {
        let address: IpAddr = text.parse().ok()?;
        Some(IpNet::from(address.to_canonical()))
    };
    single().or_else(|| text.parse().ok()).ok_or_else(|| {
        format!("`{text}` is neither an IP address nor a CIDR block such as 10.0.0.0/8")
    })
}

impl TrustedProxies {
    /// Whether this is the address of a trusted proxy.
    pub fn contain(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The address of the client: the rightmost hop that is not a trusted proxy. `hops` come from the header, last one first. A
    /// hop that is not an address ends the search, so whatever a client has put in front of it is ignored.
    pub fn client_ip<'a>(&self, peer: IpAddr, hops: impl IntoIterator<Item = &'a str>) -> IpAddr {
        let mut caller = peer.to_canonical();
        let mut hops = hops.into_iter();
        while self.contain(caller) {
            let Some(address) = hops.next().and_then(parse_hop) else {
                break;
            };
            caller = address;
        }
        caller
    }
}

/// The address of a client that has sent `headers` over a connection from `peer`.
pub fn resolve(
    proxies: &TrustedProxies,
    header: ProxyHeader,
    peer: IpAddr,
    headers: &HeaderMap,
) -> IpAddr {
    // Behind a proxy that `trusted_proxies` lacks, all clients count as one.
    if headers.contains_key(header.name()) && !proxies.contain(peer) && WARNINGS.admits() {
        tracing::warn!(
            %peer,
            header = header.name(),
            "ignoring the header about the client: its sender is not among trusted_proxies. If this is your proxy, name it there; without that, all its clients share the limits of one"
        );
    }
    let lines = headers.get_all(header.name()).iter().rev();
    // A value that is not text is not an address; it ends the search.
    let lines = lines.map(|line| line.to_str().unwrap_or_default());
    let hops = lines.flat_map(|line| header.hops(line));
    proxies.client_ip(peer, hops)
}

impl ProxyHeader {
    /// The name of the header, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::XForwardedFor => "x-forwarded-for",
            Self::Forwarded => "forwarded",
        }
    }

    /// The hops in one line of the header, last one first.
    pub fn hops(self, line: &str) -> impl Iterator<Item = &str> {
        line.rsplit(',').map(move |element| match self {
            Self::XForwardedFor => element,
            Self::Forwarded => element.split(';').find_map(for_value).unwrap_or_default(),
        })
    }
}

/// The value of `for=…`.
fn for_value(pair: &str) -> Option<&str> {
    let (name, value) = pair.split_once('=')?;
    name.trim().eq_ignore_ascii_case("for").then(|| value.trim().trim_matches('"'))
}

/// An address, with or without a port.
fn parse_hop(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let with_port = || bare.parse().map(|address: SocketAddr| address.ip());
    let address: IpAddr = bare.parse().or_else(|_| with_port()).ok()?;
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};
    use proptest::prelude::*;

    use super::*;

    fn caller(proxies: &str, header: ProxyHeader, peer: &str, lines: &[&str]) -> String {
        let proxies: TrustedProxies = proxies.parse().unwrap();
        let hops = lines.iter().rev().flat_map(|line| header.hops(line));
        proxies.client_ip(peer.parse().unwrap(), hops).to_string()
    }

    #[test]
    fn only_proxies_are_trusted_and_the_rightmost_other_hop_is_the_client() {
        let ours = "10.0.0.0/8, 192.0.2.1,2001:db8:1::/48";
        for (peer, lines, expected) in [
            // The header of a client that is not a proxy is ignored.
            ("198.51.100.7", &["1.1.1.1"][..], "198.51.100.7"),
            ("10.1.2.3", &["1.1.1.1, 198.51.100.7"], "198.51.100.7"),
            ("10.1.2.3", &["1.1.1.1", "198.51.100.7 , 192.0.2.1"], "198.51.100.7"),
            ("::ffff:10.1.2.3", &["::ffff:198.51.100.7"], "198.51.100.7"),
            ("2001:db8:1::5", &["[2001:db8:2::9]:4711"], "2001:db8:2::9"),
            ("192.0.2.1", &["198.51.100.7:4711"], "198.51.100.7"),
            // All hops are proxies, or one is unreadable: the last readable hop, from right to left, is the client.
            ("10.1.2.3", &["10.0.0.9, 10.0.0.8"], "10.0.0.9"),
            ("10.1.2.3", &["1.1.1.1, unknown"], "10.1.2.3"),
            ("10.1.2.3", &["1.1.1.1, unknown, 10.0.0.8"], "10.0.0.8"),
            ("10.1.2.3", &[""], "10.1.2.3"),
            ("10.1.2.3", &[], "10.1.2.3"),
        ] {
            let found = caller(ours, ProxyHeader::XForwardedFor, peer, lines);
            assert_eq!(found, expected, "{peer} {lines:?}");
        }
        let found = caller("", ProxyHeader::XForwardedFor, "10.1.2.3", &["1.1.1.1"]);
        assert_eq!(found, "10.1.2.3", "without proxies no header counts");
    }

    #[test]
    fn forwarded_is_parsed() {
        for (lines, expected) in [
            (&["for=1.1.1.1, For=198.51.100.7;proto=https"][..], "198.51.100.7"),
            (&["by=10.0.0.1; for=\"[2001:db8::1]:47\""], "2001:db8::1"),
            (&["for=1.1.1.1", "for=10.0.0.9"], "1.1.1.1"),
            // An unclosed quotation mark from the client does not hide the hop that the proxy adds.
            (&["for=\"1.1.1.1, for=198.51.100.7"], "198.51.100.7"),
            (&["for=1.1.1.1, for=_hidden"], "10.1.2.3"),
            (&["for=1.1.1.1, proto=https"], "10.1.2.3"),
        ] {
            let found = caller("10.0.0.0/8", ProxyHeader::Forwarded, "10.1.2.3", lines);
            assert_eq!(found, expected, "{lines:?}");
        }
    }

    #[test]
    fn an_invalid_proxy_is_reported() {
        let problem = "10.0.0.0/8,balancer".parse::<TrustedProxies>().unwrap_err();
        assert!(problem.contains("`balancer`"), "{problem}");
        assert_eq!("".parse(), Ok(TrustedProxies::default()));
    }

    proptest! {
        #[test]
        fn any_header_can_be_parsed(line: String, forwarded: bool) {
            let header = if forwarded { ProxyHeader::Forwarded } else { ProxyHeader::XForwardedFor };
            caller("0.0.0.0/0", header, "10.1.2.3", &[&line]);
        }
    }

    #[test]
    fn a_header_that_is_no_text_names_no_client() {
        let proxies: TrustedProxies = "10.0.0.0/8".parse().unwrap();
        let peer = "10.1.2.3".parse().unwrap();
        for header in [ProxyHeader::Forwarded, ProxyHeader::XForwardedFor] {
            let bytes = HeaderValue::from_bytes(b"for=\", \xFF\x80[::").unwrap();
            let name = HeaderName::from_static(header.name());
            let headers = HeaderMap::from_iter([(name, bytes)]);
            assert_eq!(resolve(&proxies, header, peer, &headers), peer);
        }
    }
}
