//! The client of a request.

use std::net::IpAddr;

use kit::network::Network;

/// The client's address and browser.
#[derive(Debug, Clone)]
pub struct ClientInfo {
    pub ip: IpAddr,
    /// The `User-Agent`, without control characters; at most 200 characters.
    pub agent: String,
}

impl ClientInfo {
    pub fn address(&self) -> String {
        self.ip.to_string()
    }

    /// The network, as limits count it: an IPv4 address or the /64 of an IPv6 address.
    pub fn network(&self) -> String {
        Network::from(self.ip).to_string()
    }
}
