//! The client of a request.

use std::net::IpAddr;

use http::HeaderMap;
use http::header::{ACCEPT_LANGUAGE, USER_AGENT};
use kit::network::Network;
use xxhash_rust::xxh3::xxh3_64;

use crate::domain::device::Devices;

/// The longest `User-Agent` that is stored, in characters.
const MAX_AGENT: usize = 200;

/// The client's IP address and browser.
#[derive(Debug, Clone)]
pub struct ClientInfo {
    pub ip: IpAddr,
    /// The `User-Agent`, without control characters; at most 200 characters.
    pub agent: String,
    /// The hash of the headers by which the browsers of a network differ.
    pub headers: u64,
    pub devices: Devices,
}

impl ClientInfo {
    pub fn new(ip: IpAddr, headers: &HeaderMap, devices: Devices) -> Self {
        let text = |name| headers.get(name).map_or(&b""[..], |value| value.as_bytes());
        let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok());
        let agent = agent.unwrap_or_default().chars().filter(|c| !c.is_control());
        Self {
            ip,
            agent: agent.take(MAX_AGENT).collect(),
            headers: xxh3_64(&[text(USER_AGENT), b"\n", text(ACCEPT_LANGUAGE)].concat()),
            devices,
        }
    }

    pub fn address(&self) -> String {
        self.ip.to_string()
    }

    /// The network, as limits count it.
    pub fn network(&self) -> Network {
        self.ip.into()
    }
}
