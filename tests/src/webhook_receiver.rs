//! A webhook receiver of a customer. It checks signatures and counts messages.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use bytes::Bytes;
use contracts::webhook::v1::AddEndpointRequest;
use contracts::webhook::v1::endpoints_service_client::EndpointsServiceClient;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{HeaderMap, StatusCode};
use kit::Clock;
use serde_json::Value;
use sha2::Sha256;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::{Fleet, NewAccount, Staff, eventually};

/// The received messages, with the secret and the clock to verify their signatures.
struct Received {
    secret: OnceLock<String>,
    clock: Clock,
    /// By message id: the body, and how often it arrived.
    messages: Mutex<HashMap<String, (Value, usize)>>,
    arrivals: AtomicUsize,
    first: OnceLock<HeaderMap>,
    /// The answer to a message with a valid signature.
    status: StatusCode,
    /// How many requests are answered. Later ones wait until the test raises the number.
    answered: watch::Sender<usize>,
}

pub struct Receiver {
    /// Such as `127.0.0.1:9500`.
    pub address: String,
    received: Arc<Received>,
    _server: JoinSet<()>,
}

impl Receiver {
    pub async fn start() -> Self {
        Self::that_answers(StatusCode::OK).await
    }

    /// Starts a receiver that answers each message with this status.
    pub async fn that_answers(status: StatusCode) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let received = Arc::new(Received {
            secret: OnceLock::new(),
            clock: Clock::system(),
            messages: Mutex::default(),
            arrivals: AtomicUsize::new(0),
            first: OnceLock::new(),
            status,
            answered: watch::Sender::new(usize::MAX),
        });
        let router = Router::new().fallback(post(take)).with_state(Arc::clone(&received));
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, received, _server: server }
    }

    /// Adds an endpoint that subscribes to these events, of a new account.
    pub async fn subscribe(&self, fleet: &Fleet, events: &[&str]) {
        let account = Staff::new(fleet).await.account("partner").await;
        self.expect(&add_endpoint(fleet, &account, &self.address, events).await);
    }

    /// Sets the secret that signs the messages.
    pub fn expect(&self, secret: &str) {
        self.received.secret.set(secret.to_owned()).unwrap();
    }

    /// Moves the clock of the receiver. The test moves the clock of the fleet.
    pub fn advance(&self, by: time::Duration) {
        self.received.clock.advance(by);
    }

    /// The headers of the first message, once it has arrived.
    pub async fn first(&self) -> HeaderMap {
        eventually("a message arrives", async || self.received.first.get().cloned()).await
    }

    /// `data` of all received messages.
    pub fn data(&self) -> Vec<Value> {
        let messages = self.received.messages.lock().unwrap();
        let bodies = messages.values().map(|(body, _)| body["data"].clone());
        bodies.collect()
    }

    /// The received events, each with the slug or handle of its listing, sorted.
    pub fn named(&self) -> Vec<(String, String)> {
        let messages = self.received.messages.lock().unwrap();
        let mut named: Vec<_> = messages
            .values()
            .map(|(body, _)| {
                let data = &body["data"];
                let name = data["slug"].as_str().or_else(|| data["handle"].as_str());
                let event = body["event"].as_str().unwrap();
                (event.to_owned(), name.unwrap().to_owned())
            })
            .collect();
        named.sort_unstable();
        named
    }

    /// The number of received messages, without repeats.
    pub fn count(&self) -> usize {
        self.received.messages.lock().unwrap().len()
    }

    /// Answers the first `arrivals` requests. Later ones wait until another call raises the number.
    pub fn answer_until(&self, arrivals: usize) {
        self.received.answered.send_replace(arrivals);
    }

    /// The number of received requests.
    pub fn arrivals(&self) -> usize {
        self.received.arrivals.load(Ordering::SeqCst)
    }

    pub fn repeats(&self) -> usize {
        let messages = self.received.messages.lock().unwrap();
        messages.values().map(|(_, times)| times - 1).sum()
    }

    /// How often each message arrived, of those about a listing whose slug begins with `prefix`.
    pub fn times(&self, prefix: &str) -> Vec<usize> {
        let messages = self.received.messages.lock().unwrap();
        let begins = |body: &Value| body["data"]["slug"].as_str().unwrap().starts_with(prefix);
        let times = messages.values().filter(|(body, _)| begins(body));
        times.map(|(_, times)| *times).collect()
    }

    /// The slugs of the listings in the messages, sorted. A slug occurs once per message id.
    pub fn slugs(&self) -> Vec<String> {
        let data = self.data().into_iter();
        let mut slugs: Vec<String> =
            data.map(|data| data["slug"].as_str().unwrap().to_owned()).collect();
        slugs.sort_unstable();
        slugs
    }
}

/// Adds an endpoint of an account at `place`, a host and a port; returns the secret that signs its messages.
pub async fn add_endpoint(
    fleet: &Fleet,
    account: &NewAccount,
    place: &str,
    events: &[&str],
) -> String {
    let endpoints = EndpointsServiceClient::new(fleet.rpc_client("webhook-svc").await);
    let added = eventually("webhook-svc knows the account", async || {
        let request = AddEndpointRequest {
            account_id: account.account.id.clone(),
            url: format!("http://{place}/hook"),
            events: events.iter().map(|&event| event.to_owned()).collect(),
            ..AddEndpointRequest::default()
        };
        endpoints.clone().add_endpoint(request).await.ok()
    })
    .await;
    added.into_inner().secret
}

async fn take(
    State(received): State<Arc<Received>>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let now = received.clock.now().unix_timestamp();
    let secret = received.secret.get().unwrap();
    if !is_signed(secret, &headers, &body, now) {
        return StatusCode::UNAUTHORIZED;
    }
    let _: &HeaderMap = received.first.get_or_init(|| headers.clone());
    let body: Value = serde_json::from_slice(&body).unwrap();
    let id = body["id"].as_str().unwrap().to_owned();
    assert_eq!(headers["x-service-delivery"], id);
    {
        let mut messages = received.messages.lock().unwrap();
        messages.entry(id).or_insert((body, 0)).1 += 1;
    }
    let arrival = received.arrivals.fetch_add(1, Ordering::SeqCst) + 1;
    let mut answered = received.answered.subscribe();
    answered.wait_for(|most| arrival <= *most).await.unwrap();
    received.status
}

/// Whether the timestamp is recent, and the whole secret signed the message (§6.6).
fn is_signed(secret: &str, headers: &HeaderMap, body: &[u8], now: i64) -> bool {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    let Some(timestamp) = text("x-service-timestamp") else {
        return false;
    };
    let is_near = |seconds: i64| now.abs_diff(seconds) <= 300;
    let mut code = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    code.update(format!("{timestamp}.").as_bytes());
    code.update(body);
    let signatures = ["x-service-signature", "x-service-signature-next"];
    let mut signatures = signatures.iter().filter_map(|name| text(name));
    let is_good = |signature: &str| {
        let signature = hex::decode(signature).unwrap_or_default();
        code.clone().verify_slice(&signature).is_ok()
    };
    timestamp.parse().is_ok_and(is_near) && signatures.any(is_good)
}
