//! The plainest HTTP server that has a body ready.

use axum::Router;
use bytes::Bytes;
use tokio::net::TcpListener;

/// Answers everything with the bytes in the file `body`.
pub(crate) async fn serve(listen: &str, body: &str) {
    let body = Bytes::from(std::fs::read(body).unwrap());
    let router = Router::new().fallback(async move || body.clone());
    let listener = TcpListener::bind(listen).await.unwrap();
    axum::serve(listener, router).await.unwrap();
}
