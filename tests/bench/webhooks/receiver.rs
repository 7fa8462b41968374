//! A receiver in its own process. It responds with 200 at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::extract::State;
use axum::routing::{get, post};
use bytes::Bytes;
use tokio::net::TcpListener;
use tokio::process::Child;

use crate::child;

pub(super) struct Receiver {
    /// `127.0.0.1:port`.
    pub(super) host: String,
    client: reqwest::Client,
    _child: Child,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        let host = child::free_address();
        Self {
            _child: child::own(&["webhook-receiver", &host], &host).await,
            client: reqwest::Client::new(),
            host,
        }
    }

    /// The number of requests that the receiver has answered.
    pub(super) async fn count(&self) -> u64 {
        let url = format!("http://{}/count", self.host);
        let answer = self.client.get(url).send().await.unwrap();
        answer.text().await.unwrap().parse().unwrap()
    }
}

pub(crate) async fn serve(listen: &str) {
    let listener = TcpListener::bind(listen).await.unwrap();
    let count = Arc::new(AtomicU64::new(0));
    let app = Router::new().route("/count", get(counted)).fallback(post(take)).with_state(count);
    axum::serve(listener, app).await.unwrap();
}

async fn counted(State(count): State<Arc<AtomicU64>>) -> String {
    count.load(Ordering::Relaxed).to_string()
}

async fn take(State(count): State<Arc<AtomicU64>>, _: Bytes) {
    count.fetch_add(1, Ordering::Relaxed);
}
