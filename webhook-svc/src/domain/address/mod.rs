//! The URL of an endpoint: public and https (§6).

use std::fmt::{self, Debug, Formatter};
use std::net::IpAddr;
use std::str::FromStr;

use url::{Host, ParseError, Url};

/// Maximum length of a URL.
const MAX_LENGTH: usize = 2_048;
/// Maximum lengths of a host name and of one of its labels (RFC 1035).
const MAX_NAME_LENGTH: usize = 253;
const MAX_LABEL_LENGTH: usize = 63;

/// Top-level names that are not in public DNS (RFC 6761 and others), that distributions put into their hosts files, or that resolve within
/// a local network or cluster.
const LOCAL_SUFFIXES: [&str; 26] = [
    "alt",
    "arpa",
    "cluster",
    "consul",
    "corp",
    "default",
    "docker",
    "home",
    "internal",
    "intranet",
    "invalid",
    "lan",
    "local",
    "localdomain",
    "localdomain4",
    "localdomain6",
    "localhost",
    "localhost4",
    "localhost6",
    "mail",
    "onion",
    "pod",
    "private",
    "svc",
    "test",
    "workgroup",
];

const URL_HELP: &str = "Give a public https address such as https://hooks.example/mchezo.";
const HOST_HELP: &str = "Give the public name of the host, such as hooks.example.";

/// A public https URL in normal form: the host is lowercase ASCII without a final dot.
///
/// The addresses that the host resolves to are checked at each connection.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Address {
    url: String,
    host: String,
    port: u16,
}

/// Origins that may be called although they are not public: for local runs and tests.
///
/// Written as `localhost:9400,127.0.0.1:9443,http://localhost:9500`. The scheme is https unless an entry begins with `http://`. Entries
/// are compared with the URL, which may then have this host and port, and with the addresses that a name resolves to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowList(Vec<Origin>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}:{}", self.scheme, self.host, self.port)
    }
}

impl Address {
    /// Parses the URL that an owner entered.
    ///
    /// # Errors
    /// A message for the owner.
    pub fn parse(text: &str, allowed: &AllowList) -> Result<Self, String> {
        check_syntax(text)?;
        let mut url = Url::parse(text).map_err(parse_error)?;
        // `hooks.example.` is the same host, but TLS and many servers accept only the name without the dot.
        if let Some(name) = url.host_str().and_then(|host| host.strip_suffix('.')) {
            let name = name.to_owned();
            url.set_host(Some(&name)).map_err(parse_error)?;
        }
        let address = Self {
            host: url.host_str().unwrap_or_default().to_owned(),
            port: url.port_or_known_default().unwrap_or_default(),
            url: url.as_str().to_owned(),
        };
        let origin = Origin {
            scheme: url.scheme().to_owned(),
            host: address.host.clone(),
            port: address.port,
        };
        if !allowed.0.contains(&origin) {
            check_public(&url).map_err(|reason| format!("{reason}{}", allowed.hint()))?;
        }
        // Percent-encoding makes a URL longer.
        if address.url.len() > MAX_LENGTH {
            return Err(too_long());
        }
        Ok(address)
    }

    /// The whole URL. Its path may contain a secret: do not log it.
    pub fn as_str(&self) -> &str {
        &self.url
    }

    /// The host, if it is an IP address.
    pub fn ip(&self) -> Option<IpAddr> {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        host.parse().ok()
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
    format!("Give an address of at most {MAX_LENGTH} characters.")
}

/// Rejects text that URL parsers read in different ways, before parsing.
fn check_syntax(text: &str) -> Result<(), String> {
    if text.chars().count() > MAX_LENGTH {
        return Err(too_long());
    }
    let odd = |c: char| c.is_control() || c.is_whitespace() || c == '\\';
    if text.contains(odd) {
        return Err(
            "Give an address without spaces, backslashes and control characters.".to_owned()
        );
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        return Err(URL_HELP.to_owned());
    };
    if !["https", "http"].contains(&scheme.to_ascii_lowercase().as_str()) {
        return Err(URL_HELP.to_owned());
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() {
        return Err(URL_HELP.to_owned());
    }
    if authority.contains('@') {
        return Err(
            "Remove the user name and the password: the signature authenticates the sender."
                .to_owned(),
        );
    }
    if rest.contains('#') {
        return Err("Remove the `#` and everything after it: a fragment is never sent.".to_owned());
    }
    Ok(())
}

fn parse_error(error: ParseError) -> String {
    match error {
        ParseError::InvalidIpv4Address | ParseError::InvalidIpv6Address => {
            format!("{HOST_HELP} IP addresses are not allowed.")
        }
        ParseError::InvalidPort => {
            "Remove the port: only the default port 443 is allowed.".to_owned()
        }
        error => format!("{URL_HELP} This one is not valid: {error}."),
    }
}

/// Checks a URL that is not on the allow-list by the rules of §6.
fn check_public(url: &Url) -> Result<(), String> {
    if url.scheme() != "https" {
        return Err("Begin the address with https://: messages are always encrypted.".to_owned());
    }
    let name = match url.host() {
        Some(Host::Domain(name)) => name,
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => {
            return Err(format!("{HOST_HELP} IP addresses are not allowed."));
        }
        None => return Err(URL_HELP.to_owned()),
    };
    let labels: Vec<&str> = name.split('.').collect();
    if name.len() > MAX_NAME_LENGTH || !labels.iter().all(|label| is_label(label)) {
        return Err(format!("{HOST_HELP} `{name}` is not a valid host name."));
    }
    let top = labels.last().copied().unwrap_or_default();
    if labels.len() < 2 || LOCAL_SUFFIXES.contains(&top) {
        return Err(format!("{HOST_HELP} `{name}` is a local name."));
    }
    if url.port().is_some() {
        return Err("Remove the port: only the default port 443 is allowed.".to_owned());
    }
    Ok(())
}

/// Allows letters, digits, inner hyphens, and underscores, which many names have. URLs would allow more.
fn is_label(label: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !label.is_empty()
        && label.len() <= MAX_LABEL_LENGTH
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
        let named = |origin: &Origin| origin.host == host && origin.port == port;
        self.0.iter().any(named)
    }

    /// Whether this name is on the list, with any port: it may then resolve to any address.
    pub fn permits_name(&self, name: &str) -> bool {
        self.0.iter().any(|origin| origin.host == name)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A sentence for the error of an address that is not public. Empty in production, where the list is empty.
    fn hint(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let origins: Vec<String> = self.0.iter().map(Origin::to_string).collect();
        format!(" Also permitted here: {}.", origins.join(", "))
    }
}

impl FromStr for AllowList {
    type Err = String;

    /// Parses origins separated by commas.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim).filter(|it| !it.is_empty());
        parts.map(origin).collect::<Result<_, _>>().map(Self)
    }
}

fn origin(text: &str) -> Result<Origin, String> {
    let help =
        || format!("`{text}` is not host:port, such as localhost:9400 or http://localhost:9400");
    let (scheme, host_and_port) = text.split_once("://").unwrap_or(("https", text));
    let has_port =
        host_and_port.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let url = Url::parse(&format!("{scheme}://{host_and_port}")).map_err(|error| {
        let help = help();
        format!("{help}: {error}")
    })?;
    let bare = url.path() == "/" && url.query().is_none() && url.username().is_empty();
    match (url.host_str(), url.port_or_known_default()) {
        (Some(host), Some(port)) if has_port && bare && ["https", "http"].contains(&scheme) => {
            Ok(Origin { scheme: scheme.to_owned(), host: host.to_owned(), port })
        }
        _ => Err(help()),
    }
}

#[cfg(test)]
mod tests;
