//! The baseline: a bare loop of the HTTP client of webhook-svc, without signatures, address rules and records.

use bytes::Bytes;
use http::{Request, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::side::rate;

const AT_ONCE: usize = 64;

/// As long as a real body.
pub(super) const BODY: &str = r#"{"id":"00000000-0000-0000-0000-000000000007","event":"listing.updated","created_at":"2026-11-22T08:49:37.000Z","data":{"kind":"game","slug":"adventures-of-nyangi","name":"Adventures of Nyangi","url":"https://mchezo.example/games/adventures-of-nyangi","api":"/games/adventures-of-nyangi"}}"#;

#[derive(Clone)]
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

    /// Calls per second.
    pub(super) async fn rate(&self, seconds: u32) -> f64 {
        let bare = self.clone();
        rate(AT_ONCE, seconds, move |_, _| bare.clone().call()).await
    }

    async fn call(self) {
        let body = Full::new(Bytes::from_static(BODY.as_bytes()));
        let request = Request::post(self.uri).body(body).unwrap();
        let answer = self.client.request(request).await.unwrap();
        assert!(answer.status().is_success());
        answer.into_body().collect().await.unwrap();
    }
}
