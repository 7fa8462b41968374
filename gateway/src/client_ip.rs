//! The network address of a client.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::ConnectInfo;
use http::request::Parts;
use kit::client_address;
use kit::network::Network;

use crate::app::Gateway;

/// The network of the client: of the connection's peer or, if the peer is a trusted proxy, of the address in the proxy's header.
pub fn network(app: &Gateway, request: &Parts) -> Network {
    let peer = request.extensions.get::<ConnectInfo<SocketAddr>>();
    // A connection that has just been closed has no peer address. All such clients count as one.
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
    client_address::resolve(&app.proxies, app.proxy_header, peer, &request.headers).into()
}
