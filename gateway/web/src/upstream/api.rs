//! A client of the public API. It makes the first call of a new test key, over HTTP as customers do.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{HeaderValue, Request, StatusCode};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::{ClientConfig, RootCertStore};
use tokio::time::timeout;

/// The most bytes of an answer that are read.
const MAX_BODY: usize = 64 * 1024;

#[derive(Debug, Clone)]
pub struct Api {
    /// The address of the API, with its version.
    url: String,
    client: Client<HttpsConnector<HttpConnector>, Empty<Bytes>>,
    deadline: Duration,
}

/// An answer of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiAnswer {
    pub status: StatusCode,
    pub body: String,
}

impl Api {
    /// A client of the API at `url`. A call takes at most `deadline`.
    ///
    /// # Errors
    /// rustls refuses its own defaults.
    pub fn new(url: String, deadline: Duration) -> anyhow::Result<Self> {
        let roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .context("TLS for calls of the API")?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .build();
        // The calls are few and far between.
        let client = Client::builder(TokioExecutor::new())
            .pool_max_idle_per_host(0)
            .build(connector);
        Ok(Self {
            url,
            client,
            deadline,
        })
    }

    /// Reads a path with a key, which no log has.
    ///
    /// # Errors
    /// Why there is no answer, as a sentence for a person.
    pub async fn get(&self, path: &str, key: &str) -> Result<ApiAnswer, String> {
        let unsendable = "the key or the address cannot be sent.";
        let mut key = HeaderValue::try_from(format!("Bearer {key}"))
            .map_err(|_not_a_header| unsendable.to_owned())?;
        key.set_sensitive(true);
        let request = Request::get(format!("{}{path}", self.url))
            .header(AUTHORIZATION, key)
            .body(Empty::new())
            .map_err(|_not_an_address| unsendable.to_owned())?;
        let call = async {
            let answer = self.client.request(request).await.map_err(|error| {
                tracing::warn!(%error, "the API cannot be reached for a first call");
                "the dashboard cannot reach the API now.".to_owned()
            })?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, MAX_BODY).collect().await;
            let body = body.map_err(|error| {
                tracing::warn!(error, "the answer to a first call broke off");
                "the answer broke off, or it is longer than this page shows.".to_owned()
            })?;
            Ok(ApiAnswer {
                status: head.status,
                body: String::from_utf8_lossy(&body.to_bytes()).into_owned(),
            })
        };
        match timeout(self.deadline, call).await {
            Ok(answer) => answer,
            Err(_elapsed) => Err(format!(
                "the API did not answer within {} seconds.",
                self.deadline.as_secs()
            )),
        }
    }
}
