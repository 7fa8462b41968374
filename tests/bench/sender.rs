//! Tries of webhook-svc's sender beside a bare loop of the same HTTP client, both to one receiver that answers 200 at once, without TLS.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use axum::Router;
use axum::routing::post;
use bytes::Bytes;
use e2e::Process;
use http::{Request, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kit::Clock;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use uuid::Uuid;
use webhook::domain::address::Address;
use webhook::domain::signature::Secret;
use webhook::http::{Attempt, Outcome, Sender, Settings};

use crate::child;
use crate::side::{ROUNDS, SECONDS, WARM_UP, median, print_ratio};

/// Tries that are under way at once.
const AT_ONCE: usize = 64;

/// As long as a real one.
const BODY: &str = r#"{"id":"00000000-0000-0000-0000-000000000007","event":"listing.updated","created_at":"2026-11-22T08:49:37.000Z","data":{"kind":"game","slug":"adventures-of-nyangi","name":"Adventures of Nyangi","url":"https://mchezo.example/games/adventures-of-nyangi","api":"/games/adventures-of-nyangi"}}"#;

/// The receiver.
pub(crate) async fn receive(listen: &str) {
    let listener = TcpListener::bind(listen).await.unwrap();
    let app = Router::new().fallback(post(async |_: Bytes| ()));
    axum::serve(listener, app).await.unwrap();
}

pub(crate) async fn run() {
    let host = child::free_address();
    let receiver = child::own(&["webhook-receiver", &host], &host).await;
    let (bare, sender) = (Arc::new(Bare::new(&host)), Arc::new(Tries::new(&host)));
    load(&bare, WARM_UP).await;
    load(&sender, WARM_UP).await;
    let (mut bares, mut senders) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bares.push(load(&bare, SECONDS).await);
        senders.push(load(&sender, SECONDS).await);
    }
    for (name, rounds) in [("bare client", &bares), ("sender", &senders)] {
        let (rate, cpu) = (median(rounds, |it| it.rate), median(rounds, |it| it.cpu));
        println!("{name}: {rate:.0} tries/s, {cpu:.1} µs of CPU a try");
    }
    let rates = senders.iter().zip(&bares);
    let ratios: Vec<f64> = rates
        .map(|(sender, bare)| sender.rate / bare.rate)
        .collect();
    print_ratio("sender / bare client", &ratios);
    drop(receiver);
}

/// One side.
trait Calls: Send + Sync + 'static {
    /// Makes one call.
    fn call(&self) -> impl Future<Output = ()> + Send;
}

struct Bare {
    client: Client<HttpConnector, Full<Bytes>>,
    uri: Uri,
}

impl Bare {
    fn new(host: &str) -> Self {
        Self {
            client: Client::builder(TokioExecutor::new()).build_http(),
            uri: format!("http://{host}/in").parse().unwrap(),
        }
    }
}

impl Calls for Bare {
    async fn call(&self) {
        let body = Full::new(Bytes::from_static(BODY.as_bytes()));
        let request = Request::post(self.uri.clone()).body(body).unwrap();
        let answer = self.client.request(request).await.unwrap();
        assert!(answer.status().is_success());
        answer.into_body().collect().await.unwrap();
    }
}

struct Tries {
    sender: Sender,
    address: Address,
    secret: Secret,
    clock: Clock,
}

impl Tries {
    fn new(host: &str) -> Self {
        let settings = Settings {
            allow: format!("http://{host}").parse().unwrap(),
            idle_connections: AT_ONCE,
            ..Settings::default()
        };
        Self {
            sender: Sender::new(&settings).unwrap(),
            address: Address::parse(&format!("http://{host}/in"), &settings.allow).unwrap(),
            secret: Secret::generate(),
            clock: Clock::system(),
        }
    }
}

impl Calls for Tries {
    async fn call(&self) {
        let attempt = Attempt {
            address: &self.address,
            event: "listing.updated",
            id: Uuid::from_u128(7),
            at: self.clock.now(),
            body: Bytes::from_static(BODY.as_bytes()),
            secret: &self.secret,
            next_secret: None,
        };
        let answer = self.sender.post(attempt).await;
        assert_eq!(answer.outcome, Outcome::Delivered, "{answer:?}");
    }
}

/// What a side came to.
struct Round {
    /// Calls in a second.
    rate: f64,
    /// Microseconds of CPU for a call, of the caller only.
    cpu: f64,
}

/// Lets `side` call again and again, for so long.
async fn load(side: &Arc<impl Calls>, seconds: u32) -> Round {
    let own = Process::new("own", std::process::id().try_into().unwrap());
    let (begun, before) = (Instant::now(), own.cpu());
    let (count, ended) = (
        Arc::new(AtomicU32::new(0)),
        Arc::new(AtomicBool::new(false)),
    );
    let mut tasks = JoinSet::new();
    for _ in 0..AT_ONCE {
        let (side, count, ended) = (Arc::clone(side), Arc::clone(&count), Arc::clone(&ended));
        tasks.spawn(async move {
            while !ended.load(Ordering::Relaxed) {
                side.call().await;
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    sleep(Duration::from_secs(seconds.into())).await;
    ended.store(true, Ordering::Relaxed);
    tasks.join_all().await;
    let count: f64 = count.load(Ordering::Relaxed).into();
    Round {
        rate: count / begun.elapsed().as_secs_f64(),
        cpu: (own.cpu() - before) / count,
    }
}
