//! Finds the client's address and browser.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::USER_AGENT;
use kit::client_address;

use crate::app::App;
use crate::client_info::ClientInfo;

/// The longest `User-Agent` that is stored, in characters.
const MAX_AGENT: usize = 200;

/// Adds the [`ClientInfo`] to the request.
pub async fn identify(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
    let headers = request.headers();
    let ip = client_address::resolve(&app.proxies, app.proxy_header, peer, headers);
    let agent = headers
        .get(USER_AGENT)
        .and_then(|agent| agent.to_str().ok())
        .unwrap_or_default()
        .chars()
        .filter(|c| !c.is_control())
        .take(MAX_AGENT)
        .collect();
    request.extensions_mut().insert(ClientInfo { ip, agent });
    next.run(request).await
}
