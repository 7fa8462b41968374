//! The address of an endpoint: a public https URL (§6).

use std::fmt::{self, Debug, Formatter};
use std::net::IpAddr;
use std::str::FromStr;

use url::{Host, ParseError, Url};

/// Characters of an address.
const LENGTH: usize = 2_048;
/// Characters of a host name and of one of its labels (RFC 1035).
const NAME_LENGTH: usize = 253;
const LABEL_LENGTH: usize = 63;

/// Endings of names that no public name server answers for, or that lead into one's own network or cluster.
const LOCAL: [&str; 17] = [
    "alt",
    "arpa",
    "consul",
    "corp",
    "docker",
    "home",
    "internal",
    "intranet",
    "invalid",
    "lan",
    "local",
    "localdomain",
    "localhost",
    "mail",
    "onion",
    "private",
    "svc",
];

const SHAPE: &str = "Give a public https address such as https://hooks.example/mchezo.";
const NAME: &str = "Give the public name of the host, such as hooks.example.";

/// A public https URL, as it is called: host in lower case and in ASCII, without a dot at its end.
///
/// The name says nothing about where it leads: the addresses that it resolves to are checked at each connection.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Address {
    url: String,
    host: String,
    port: u16,
}

/// Exact pairs of host and port that may be called although they are not public: for local runs and tests.
///
/// Written as `localhost:9400,127.0.0.1:9443,http://localhost:9500`. A pair is reached over TLS, unless it begins with `http://`. It is
/// compared with the URL, which may then have this host and port, and with the addresses that a name resolves to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowList(Vec<Pair>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pair {
    scheme: String,
    host: String,
    port: u16,
}

impl Address {
    /// Reads what an owner entered.
    ///
    /// # Errors
    /// A sentence that says what to do.
    pub fn parse(text: &str, allowed: &AllowList) -> Result<Self, String> {
        as_typed(text)?;
        let mut url = Url::parse(text).map_err(unreadable)?;
        // `hooks.example.` is the same host; TLS and many servers know it without the dot only.
        if let Some(name) = url.host_str().and_then(|host| host.strip_suffix('.')) {
            let name = name.to_owned();
            url.set_host(Some(&name)).map_err(unreadable)?;
        }
        let address = Self {
            host: url.host_str().unwrap_or_default().to_owned(),
            port: url.port_or_known_default().unwrap_or_default(),
            url: url.as_str().to_owned(),
        };
        let pair = Pair {
            scheme: url.scheme().to_owned(),
            host: address.host.clone(),
            port: address.port,
        };
        if !allowed.0.contains(&pair) {
            is_public(&url)?;
        }
        // Encoding what is not ASCII makes it longer.
        if address.url.len() > LENGTH {
            return Err(too_long());
        }
        Ok(address)
    }

    /// The whole URL. Its path may hold what only its owner should know: it is not for logs.
    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// The host's name.
    pub fn host(&self) -> &str {
        &self.host
    }

    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Debug for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}/…", self.host, self.port)
    }
}

fn too_long() -> String {
    format!("Give an address of at most {LENGTH} characters.")
}

/// Refuses what URL parsers read in different ways, before one of them has read it.
fn as_typed(text: &str) -> Result<(), String> {
    if text.chars().count() > LENGTH {
        return Err(too_long());
    }
    let odd = |c: char| c.is_control() || c.is_whitespace() || c == '\\';
    if text.contains(odd) {
        return Err(
            "Give an address without spaces, backslashes and control characters.".to_owned(),
        );
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        return Err(SHAPE.to_owned());
    };
    if !["https", "http"].contains(&scheme.to_ascii_lowercase().as_str()) {
        return Err(SHAPE.to_owned());
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() {
        return Err(SHAPE.to_owned());
    }
    if authority.contains('@') {
        return Err(
            "Take the user name and the password off: the signature says who calls.".to_owned(),
        );
    }
    if rest.contains('#') {
        return Err("Take off the `#` and what follows it: it is never sent.".to_owned());
    }
    Ok(())
}

fn unreadable(error: ParseError) -> String {
    match error {
        ParseError::InvalidIpv4Address | ParseError::InvalidIpv6Address => {
            format!("{NAME} An IP address is refused.")
        }
        ParseError::InvalidPort => {
            "Use the usual port, 443: take the port off the address.".to_owned()
        }
        error => format!("{SHAPE} This one cannot be read: {error}."),
    }
}

/// Holds a URL that is not on the allow-list to the rules of §6.
fn is_public(url: &Url) -> Result<(), String> {
    if url.scheme() != "https" {
        return Err(
            "Begin the address with https://: messages are sent encrypted only.".to_owned(),
        );
    }
    let name = match url.host() {
        Some(Host::Domain(name)) => name,
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => {
            return Err(format!("{NAME} An IP address is refused."));
        }
        None => return Err(SHAPE.to_owned()),
    };
    let labels: Vec<&str> = name.split('.').collect();
    if name.len() > NAME_LENGTH || !labels.iter().all(|label| is_label(label)) {
        return Err(format!("{NAME} `{name}` cannot be one."));
    }
    let top = labels.last().copied().unwrap_or_default();
    if labels.len() < 2 || LOCAL.contains(&top) {
        return Err(format!("{NAME} `{name}` is a local name."));
    }
    if url.port().is_some() {
        return Err("Use the usual port, 443: take the port off the address.".to_owned());
    }
    Ok(())
}

/// Letters, digits, hyphens within, and the underscore that many names have; URLs would allow more.
fn is_label(label: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !label.is_empty()
        && label.len() <= LABEL_LENGTH
        && label.bytes().all(known)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

impl AllowList {
    /// Whether a connection to `port` of this IP address is allowed although the address is not public.
    pub fn permits(&self, address: IpAddr, port: u16) -> bool {
        let host = match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        self.permits_host(&host, port)
    }

    /// Whether a name of this list may lead anywhere.
    pub fn permits_host(&self, host: &str, port: u16) -> bool {
        let named = |pair: &Pair| pair.host == host && pair.port == port;
        self.0.iter().any(named)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for AllowList {
    type Err = String;

    /// Reads pairs with commas between them.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim).filter(|it| !it.is_empty());
        parts.map(pair).collect::<Result<_, _>>().map(Self)
    }
}

fn pair(text: &str) -> Result<Pair, String> {
    let wanted =
        || format!("`{text}` is not host:port, such as localhost:9400 or http://localhost:9400");
    let (scheme, host_and_port) = text.split_once("://").unwrap_or(("https", text));
    let has_port = host_and_port
        .rsplit_once(':')
        .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let url = Url::parse(&format!("{scheme}://{host_and_port}")).map_err(|error| {
        let wanted = wanted();
        format!("{wanted}: {error}")
    })?;
    let bare = url.path() == "/" && url.query().is_none() && url.username().is_empty();
    match (url.host_str(), url.port_or_known_default()) {
        (Some(host), Some(port)) if has_port && bare && ["https", "http"].contains(&scheme) => {
            Ok(Pair {
                scheme: scheme.to_owned(),
                host: host.to_owned(),
                port,
            })
        }
        _ => Err(wanted()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<Address, String> {
        Address::parse(text, &AllowList::default())
    }

    #[test]
    fn an_address_is_at_most_so_long() {
        let of = |length: usize| {
            let base = "https://hooks.example/";
            format!("{base}{}", "a".repeat(length - base.len()))
        };
        assert_eq!(parse(&of(LENGTH)).unwrap().as_str().len(), LENGTH);
        assert!(parse(&of(LENGTH + 1)).unwrap_err().contains("2048"));
        let grows = format!("https://hooks.example/{}", "é".repeat(1_000));
        assert!(parse(&grows).unwrap_err().contains("2048"));
    }

    #[test]
    fn the_allow_list_is_of_exact_pairs() {
        let allowed: AllowList =
            "localhost:9400, 127.0.0.1:9443,[::1]:9443,http://localhost:9500,hooks.example:443"
                .parse()
                .unwrap();
        for good in [
            "https://localhost:9400/a",
            "https://127.0.0.1:9443/",
            "https://[::1]:9443/",
            "http://localhost:9500/",
            "https://hooks.example/",
            "https://public.example/",
        ] {
            assert!(Address::parse(good, &allowed).is_ok(), "{good}");
        }
        for bad in [
            "http://localhost:9400/",
            "https://localhost:9500/",
            "https://localhost:9401/",
            "https://127.0.0.2:9443/",
            "http://hooks.example/",
            "https://user@localhost:9400/",
        ] {
            assert!(Address::parse(bad, &allowed).is_err(), "{bad}");
        }
        let local = [127, 0, 0, 1].into();
        assert!(allowed.permits(local, 9443));
        assert!(!allowed.permits(local, 9400));
        assert!(allowed.permits_host("localhost", 9400));
        for bad in [
            "localhost",
            "localhost:",
            "localhost:x",
            "ftp://a:1",
            "a:1/b",
            "u@a:1",
        ] {
            assert!(bad.parse::<AllowList>().unwrap_err().contains(bad), "{bad}");
        }
        assert!("".parse::<AllowList>().unwrap().is_empty());
    }

    #[test]
    fn the_path_is_not_shown_in_a_log() {
        let address = parse("https://hooks.example/in/geheim?key=geheim").unwrap();
        assert_eq!(format!("{address:?}"), "hooks.example:443/…");
    }

    /// Everything that makes a URL odd, in any order.
    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("https://"),
            Just("http://"),
            Just("//"),
            Just("@"),
            Just(":"),
            Just("443"),
            Just("8443"),
            Just("#"),
            Just("?"),
            Just("/"),
            Just("\\"),
            Just("."),
            Just("hooks.example"),
            Just("localhost"),
            Just("127.0.0.1"),
            Just("0x7f"),
            Just("1"),
            Just("[::1]"),
            Just("%31"),
            Just("１"),
            Just("。"),
            Just("ü"),
            Just("\u{ad}"),
            Just("\t"),
            Just("xn--"),
            Just("-"),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_text_is_accepted_or_refused_with_a_sentence(text: String) {
            if let Err(sentence) = parse(&text) {
                prop_assert!(sentence.ends_with('.'), "{}", sentence);
            }
        }

        #[test]
        fn an_accepted_address_is_public_and_reads_back_as_itself(tail in pieces()) {
            for text in [tail.clone(), format!("https://{tail}"), format!("https://hooks.example{tail}")] {
                let Ok(address) = parse(&text) else { continue };
                prop_assert_eq!(address.port(), 443);
                prop_assert!(address.as_str().starts_with("https://"));
                prop_assert!(address.host().contains('.') && !address.host().ends_with('.'), "{:?}", address);
                prop_assert!(address.host().parse::<IpAddr>().is_err());
                prop_assert_eq!(parse(address.as_str()), Ok(address));
            }
        }
    }
}
