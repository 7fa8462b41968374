//! Calls of one side after the other, many at once; and the side that every other is compared with: a bare loop of the HTTP client that
//! webhook-svc uses, without signatures, rules for addresses and records.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use e2e::Process;
use http::{Request, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

/// Calls that are under way at once.
pub(super) const AT_ONCE: usize = 64;

/// As long as a real one.
pub(super) const BODY: &str = r#"{"id":"00000000-0000-0000-0000-000000000007","event":"listing.updated","created_at":"2026-11-22T08:49:37.000Z","data":{"kind":"game","slug":"adventures-of-nyangi","name":"Adventures of Nyangi","url":"https://mchezo.example/games/adventures-of-nyangi","api":"/games/adventures-of-nyangi"}}"#;

/// One side.
pub(super) trait Calls: Send + Sync + 'static {
    /// Makes one call.
    fn call(&self) -> impl Future<Output = ()> + Send;
}

pub(super) struct Bare {
    client: Client<HttpConnector, Full<Bytes>>,
    uri: Uri,
}

impl Bare {
    pub(super) fn new(host: &str) -> Self {
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

/// What a side came to.
pub(super) struct Round {
    /// Calls in a second.
    pub(super) rate: f64,
    /// Microseconds of CPU for a call, of the caller only.
    pub(super) cpu: f64,
}

/// Lets `side` call again and again, for so long.
pub(super) async fn load(side: &Arc<impl Calls>, seconds: u32) -> Round {
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
