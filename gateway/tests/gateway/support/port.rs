//! The public port.

use std::net::SocketAddr;

use axum::Router;
use kit::http_server::{Limits, serve};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::LONG;

/// A public port in this process, until this is dropped.
pub(crate) struct Port {
    pub(crate) address: SocketAddr,
    _server: JoinSet<()>,
}

impl Port {
    pub(crate) async fn open(router: Router) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let limits = Limits {
            http_connections: 100,
            http_head: LONG,
            http_idle: LONG,
        };
        let mut server = JoinSet::new();
        server.spawn(serve(listener, limits, CancellationToken::new(), router));
        Self {
            address,
            _server: server,
        }
    }
}
