//! The network address of a client.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::ConnectInfo;
use http::{Extensions, HeaderMap};

use crate::app::Gateway;
use crate::domain::address::Network;

/// The network of the client: of the connection's peer or, if the peer is a trusted proxy, of the address in the proxy's header.
pub fn network(app: &Gateway, headers: &HeaderMap, extensions: &Extensions) -> Network {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>();
    // A connection that has just been closed has no peer address. All such clients count as one.
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
    let header = app.proxy_header;
    let lines = headers.get_all(header.name()).iter().rev();
    // A value that is not text is not an address; it ends the search.
    let lines = lines.map(|line| line.to_str().unwrap_or_default());
    let hops = lines.flat_map(|line| header.hops(line));
    app.proxies.client_ip(peer, hops).into()
}
