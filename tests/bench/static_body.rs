//! The simplest HTTP server, with a body in memory.

use axum::Router;
use bytes::Bytes;
use e2e::SmallFleet;
use tokio::net::TcpListener;
use tokio::process::Child;

use crate::child;

/// Responds to every request with the bytes in the file `body`.
pub(crate) async fn serve(listen: &str, body: &str) {
    let body = Bytes::from(std::fs::read(body).unwrap());
    let router = Router::new().fallback(async move || body.clone());
    let listener = TcpListener::bind(listen).await.unwrap();
    axum::serve(listener, router).await.unwrap();
}

/// Starts a process that serves these bytes; returns it with its URL.
pub(crate) async fn start(small: &SmallFleet, body: &[u8]) -> (Child, String) {
    let body = small.write("static-body", body);
    let address = child::free_address();
    let process = child::own(&["static-body", &address, &body], &address).await;
    (process, format!("http://{address}/"))
}
