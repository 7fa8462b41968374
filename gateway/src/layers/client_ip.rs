//! Where a request comes from.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::ConnectInfo;
use http::{Extensions, HeaderMap};

use crate::app::Gateway;
use crate::domain::address::Network;

/// The network of whoever sent a request, by its connection and, where that comes from a proxy of ours, by the proxy's header.
pub fn network(app: &Gateway, headers: &HeaderMap, extensions: &Extensions) -> Network {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>();
    // A connection that has ended meanwhile has no address any more. All of them count as one.
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
    let header = app.proxy_header;
    let lines = headers.get_all(header.name()).iter().rev();
    // What is no text is no address either.
    let lines = lines.map(|line| line.to_str().unwrap_or_default());
    let hops = lines.flat_map(|line| header.hops(line));
    app.proxies.caller(peer, hops).into()
}
