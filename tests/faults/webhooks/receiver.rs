//! A customer's receiver, which checks signatures and counts what comes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use kit::Clock;
use receiver::signature::Secret;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// What came, and how to check it.
struct Came {
    secret: OnceLock<Secret>,
    clock: Clock,
    /// By id: what it says, and how often it came.
    messages: Mutex<HashMap<String, (Value, usize)>>,
    arrivals: AtomicUsize,
    /// It answers this many at once, and the others when the test raises it.
    answered: watch::Sender<usize>,
}

/// A receiver at an address of this machine.
pub(crate) struct Receiver {
    /// `127.0.0.1:port`.
    pub(crate) address: String,
    came: Arc<Came>,
    _server: JoinSet<()>,
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let came = Arc::new(Came {
            secret: OnceLock::new(),
            clock: Clock::system(),
            messages: Mutex::default(),
            arrivals: AtomicUsize::new(0),
            answered: watch::Sender::new(usize::MAX),
        });
        let router = Router::new()
            .fallback(post(take))
            .with_state(Arc::clone(&came));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            address,
            came,
            _server: server,
        }
    }

    /// The secret that messages are signed with.
    pub(crate) fn expect(&self, secret: &str) {
        self.came.secret.set(secret.parse().unwrap()).unwrap();
    }

    /// Its clock goes on, as that of the fleet does.
    pub(crate) fn advance(&self, by: time::Duration) {
        self.came.clock.advance(by);
    }

    /// `data` of all messages that came.
    pub(crate) fn data(&self) -> Vec<Value> {
        let messages = self.came.messages.lock().unwrap();
        let bodies = messages.values().map(|(body, _)| body["data"].clone());
        bodies.collect()
    }

    /// The events that came, each with the slug or handle of its listing, in order.
    pub(crate) fn named(&self) -> Vec<(String, String)> {
        let messages = self.came.messages.lock().unwrap();
        let named = messages.values().map(|(body, _)| {
            let data = &body["data"];
            let name = data["slug"].as_str().or_else(|| data["handle"].as_str());
            let event = body["event"].as_str().unwrap();
            (event.to_owned(), name.unwrap().to_owned())
        });
        let mut named: Vec<_> = named.collect();
        named.sort_unstable();
        named
    }

    /// How many messages came.
    pub(crate) fn count(&self) -> usize {
        self.came.messages.lock().unwrap().len()
    }

    /// Answers this many requests at once, and the others when it is called again.
    pub(crate) fn answer_until(&self, arrivals: usize) {
        self.came.answered.send_replace(arrivals);
    }

    /// How many requests came.
    pub(crate) fn arrivals(&self) -> usize {
        self.came.arrivals.load(Ordering::SeqCst)
    }

    /// How many came again.
    pub(crate) fn repeats(&self) -> usize {
        let messages = self.came.messages.lock().unwrap();
        messages.values().map(|(_, times)| times - 1).sum()
    }

    /// The slugs of the listings that were told of, in order, each as often as there were ids for it.
    pub(crate) fn slugs(&self) -> Vec<String> {
        let data = self.data().into_iter();
        let slugs = data.map(|data| data["slug"].as_str().unwrap().to_owned());
        let mut slugs: Vec<String> = slugs.collect();
        slugs.sort_unstable();
        slugs
    }
}

async fn take(State(came): State<Arc<Came>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let now = came.clock.now().unix_timestamp();
    let secret = came.secret.get().unwrap();
    if secret.verify(&headers, &body, now).is_err() {
        return StatusCode::UNAUTHORIZED;
    }
    let body: Value = serde_json::from_slice(&body).unwrap();
    let id = body["id"].as_str().unwrap().to_owned();
    assert_eq!(headers["x-service-delivery"], id);
    {
        let mut messages = came.messages.lock().unwrap();
        messages.entry(id).or_insert((body, 0)).1 += 1;
    }
    let arrival = came.arrivals.fetch_add(1, Ordering::SeqCst) + 1;
    let mut answered = came.answered.subscribe();
    answered.wait_for(|most| arrival <= *most).await.unwrap();
    StatusCode::OK
}
