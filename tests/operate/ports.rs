//! Ports for servers of the tests.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use rand::RngExt as _;

/// A port that was free a moment ago. It is so low that the kernel does not give it to an outgoing connection.
pub(crate) fn free_port() -> SocketAddr {
    loop {
        let port: u16 = rand::rng().random_range(10_000..19_000);
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
}
