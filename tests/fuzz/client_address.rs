//! The header in which proxies name the client.
#![no_main]

use std::net::{IpAddr, Ipv4Addr};

use http::{HeaderMap, HeaderValue};
use kit::client_address::{resolve, ProxyHeader, TrustedProxies};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| {
    let Ok(line) = HeaderValue::from_bytes(line) else {
        return;
    };
    let everybody: TrustedProxies = "0.0.0.0/0,::/0".parse().unwrap();
    let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
    for header in [ProxyHeader::Forwarded, ProxyHeader::XForwardedFor] {
        let mut headers = HeaderMap::new();
        headers.insert(header.name(), line.clone());
        resolve(&everybody, header, peer, &headers);
    }
});
