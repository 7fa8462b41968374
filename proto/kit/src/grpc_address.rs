//! The address of a replica of a service: a scheme, a host and a port.

use std::net::IpAddr;

use anyhow::Context as _;
use http::Uri;

/// Parses `https://host:port`, or `http://host:port` for a port without TLS.
pub(crate) fn parse(text: &str) -> anyhow::Result<Uri> {
    text.parse::<Uri>()
        .ok()
        .filter(|uri| matches!(uri.scheme_str(), Some("http" | "https")) && uri.port().is_some())
        .with_context(|| {
            format!("`{text}` is not an address such as http://127.0.0.1:7000 or https://host:7000")
        })
}

/// Whether calls to the address use TLS.
pub(crate) fn has_tls(address: &Uri) -> bool {
    address.scheme_str() == Some("https")
}

/// Whether calls to the address would leave this machine without TLS.
pub(crate) fn is_exposed(address: &Uri) -> bool {
    !has_tls(address) && !is_loopback(address.host().unwrap_or_default())
}

/// Whether the host of a URL is this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    let ip = host.trim_start_matches('[').trim_end_matches(']').parse();
    host == "localhost" || ip.is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_tls_off_this_machine_is_exposed() {
        for (text, exposed) in [
            ("http://127.0.0.1:7000", false),
            ("http://[::1]:7000", false),
            ("http://localhost:7000", false),
            ("https://10.0.0.5:7000", false),
            ("http://10.0.0.5:7000", true),
            ("http://catalogue:7000", true),
            ("http://127.0.0.1.example:7000", true),
        ] {
            assert_eq!(is_exposed(&parse(text).unwrap()), exposed, "{text}");
        }
        for text in ["catalogue:7000", "ftp://a:1", "https://a", ""] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
