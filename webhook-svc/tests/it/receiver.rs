//! A receiver over plain HTTP that responds as a test sets it, and records requests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use uuid::Uuid;
use webhook::http::resolver::{Resolve, ResolveError};

/// A resolver that finds no name.
#[derive(Debug)]
pub(crate) struct NoNames;

impl Resolve for NoNames {
    fn resolve<'a>(
        &'a self,
        _: &'a str,
        _: Duration,
    ) -> BoxFuture<'a, Result<Vec<SocketAddr>, ResolveError>> {
        async { Err(ResolveError::NoAddress) }.boxed()
    }
}

/// How the receiver responds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    Status(u16),
    /// 308 to another address, for POST and HEAD.
    Redirect,
    /// 503 with `Retry-After` in seconds.
    RetryAfter(u32),
    /// No response until the test sets another behaviour.
    Hang,
}

/// A recorded request.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) headers: HeaderMap,
    pub(crate) body: serde_json::Value,
}

impl Received {
    pub(crate) fn id(&self) -> Uuid {
        self.body["id"].as_str().unwrap().parse().unwrap()
    }

    pub(crate) fn event(&self) -> &str {
        self.body["event"].as_str().unwrap()
    }
}

#[derive(Debug)]
struct Shared {
    behaviour: watch::Sender<Behaviour>,
    received: Mutex<Vec<Received>>,
    arrived: Notify,
}

#[derive(Debug)]
pub(crate) struct Receiver {
    /// `http://127.0.0.1:port`.
    pub(crate) origin: String,
    shared: Arc<Shared>,
    _server: JoinSet<()>,
}

impl Receiver {
    pub(crate) async fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            behaviour: watch::Sender::new(behaviour),
            received: Mutex::default(),
            arrived: Notify::new(),
        });
        let router =
            Router::new().fallback(post(receive).head(head)).with_state(Arc::clone(&shared));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { origin, shared, _server: server }
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/hook", self.origin)
    }

    pub(crate) fn set_behaviour(&self, behaviour: Behaviour) {
        self.shared.behaviour.send_replace(behaviour);
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.shared.received.lock().unwrap().clone()
    }

    /// Waits for that many requests, and returns all so far.
    pub(crate) async fn wait_for(&self, count: usize) -> Vec<Received> {
        let waited = tokio::time::timeout(super::support::PATIENCE, async {
            loop {
                let arrived = self.shared.arrived.notified();
                let received = self.received();
                if received.len() >= count {
                    return received;
                }
                arrived.await;
            }
        });
        let received = waited.await;
        received.unwrap_or_else(|_| unreachable!("{} of {count} arrived", self.received().len()))
    }
}

/// Responds to the address check, which is not recorded.
async fn head(State(shared): State<Arc<Shared>>) -> Response {
    match *shared.behaviour.borrow() {
        Behaviour::Redirect => redirect(),
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

fn redirect() -> Response {
    let headers = [("location", "https://moved.example/hook")];
    (StatusCode::PERMANENT_REDIRECT, headers).into_response()
}

async fn receive(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    // `webhook check` also sends bodies that are not JSON.
    let body = serde_json::from_slice(&body).unwrap_or_default();
    shared.received.lock().unwrap().push(Received { headers, body });
    shared.arrived.notify_waiters();
    let mut behaviours = shared.behaviour.subscribe();
    let changed = behaviours.wait_for(|behaviour| *behaviour != Behaviour::Hang);
    let behaviour = *changed.await.unwrap();
    match behaviour {
        Behaviour::Status(status) => {
            (StatusCode::from_u16(status).unwrap(), "noted").into_response()
        }
        Behaviour::Redirect => redirect(),
        Behaviour::RetryAfter(seconds) => {
            let headers = [("retry-after", seconds.to_string())];
            (StatusCode::SERVICE_UNAVAILABLE, headers, "later").into_response()
        }
        Behaviour::Hang => StatusCode::OK.into_response(),
    }
}
