//! Finds the client's IP address and browser.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use kit::client_address;

use crate::app::App;
use crate::client_info::ClientInfo;
use crate::domain::device::{self, Devices};

/// Adds the [`ClientInfo`] to the request.
pub async fn identify(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
    let headers = request.headers();
    let ip = client_address::resolve(&app.proxies, app.proxy_header, peer, headers);
    let cookie = app.cookie.value(headers, device::COOKIE);
    let devices = cookie.map_or_else(Devices::default, |value| {
        Devices::read(&app.key_ring, value, app.clock.now())
    });
    let client = ClientInfo::new(ip, headers, devices);
    request.extensions_mut().insert(client);
    next.run(request).await
}
