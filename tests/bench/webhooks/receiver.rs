//! A receiver in its own process. It responds with 200 at once, or never at `/hang`.

use std::future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::extract::State;
use axum::routing::{any, get, post};
use bytes::Bytes;
use tokio::net::TcpListener;
use tokio::process::Child;

use crate::child;

/// The receiver. It listens on every address of this machine.
pub(super) struct Receiver {
    /// `127.0.0.1:port`. The bare loop calls it.
    pub(super) host: String,
    port: u16,
    client: reqwest::Client,
    _child: Child,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        let host = child::free_address();
        let port = host.parse::<SocketAddr>().unwrap().port();
        let listen = format!("0.0.0.0:{port}");
        Self {
            _child: child::own(&["webhook-receiver", &listen], &host).await,
            client: reqwest::Client::new(),
            host,
            port,
        }
    }

    /// The host of an endpoint. Each has another one, because the client pools connections per host.
    pub(super) fn host(&self, endpoint: usize) -> String {
        format!("127.0.1.{}:{}", endpoint + 1, self.port)
    }

    /// The setting with which webhook-svc may call all these hosts.
    pub(super) fn allowed(&self, endpoints: usize) -> String {
        let of_endpoints = (0..endpoints).map(|endpoint| self.host(endpoint));
        let hosts = of_endpoints.chain([self.host.clone()]);
        let hosts: Vec<String> = hosts.map(|host| format!("http://{host}")).collect();
        hosts.join(",")
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
    let app = Router::new()
        .route("/count", get(counted))
        .route("/hang", any(future::pending::<()>))
        .fallback(post(take))
        .with_state(count);
    axum::serve(listener, app).await.unwrap();
}

async fn counted(State(count): State<Arc<AtomicU64>>) -> String {
    count.load(Ordering::Relaxed).to_string()
}

async fn take(State(count): State<Arc<AtomicU64>>, _: Bytes) {
    count.fetch_add(1, Ordering::Relaxed);
}
