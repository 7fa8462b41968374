//! A receiver of webhooks that records the headers of each request.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use e2e::{Fleet, NewAccount, add_endpoint, eventually};
use http::{HeaderMap, StatusCode};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

#[derive(Clone)]
struct Requests {
    status: StatusCode,
    headers: Arc<Mutex<Vec<HeaderMap>>>,
}

/// A receiver at an address of this machine, which answers each request with one status.
pub(crate) struct Hook {
    /// `127.0.0.1:port`.
    pub(crate) address: String,
    requests: Requests,
    _server: JoinSet<()>,
}

impl Hook {
    pub(crate) async fn start(status: StatusCode) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let requests = Requests {
            status,
            headers: Arc::default(),
        };
        let router = Router::new()
            .fallback(post(record))
            .with_state(requests.clone());
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            requests,
            _server: server,
        }
    }

    /// Adds an endpoint of `account` with this address, which gets events of listings; returns its signing secret.
    pub(crate) async fn subscribe(&self, fleet: &Fleet, account: &NewAccount) -> String {
        let events = ["listing.published", "listing.updated"];
        add_endpoint(fleet, account, &self.address, &events).await
    }

    /// The headers of the first delivery, once it has come. The check of the address sends a HEAD request, which is no delivery.
    pub(crate) async fn first(&self) -> HeaderMap {
        eventually("a delivery arrives", async || {
            let headers = self.requests.headers.lock().unwrap();
            headers.first().cloned()
        })
        .await
    }
}

async fn record(State(requests): State<Requests>, headers: HeaderMap) -> StatusCode {
    requests.headers.lock().unwrap().push(headers);
    requests.status
}
