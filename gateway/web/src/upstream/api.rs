//! A client of the public API, over HTTP like that of a customer: for the first call of a new test key, and for the OpenAPI document.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use http::header::{AUTHORIZATION, ETAG, IF_NONE_MATCH};
use http::{HeaderValue, Request, StatusCode, response};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use pages::site::{Language, Texts};
use rustls::{ClientConfig, RootCertStore};
use tokio::time::timeout;

/// The most bytes of an answer to a first call that are read.
const MAX_BODY: usize = 64 * 1024;
/// The most bytes of the OpenAPI document. It has some hundred thousand.
const MAX_DOCUMENT: usize = 8 * 1024 * 1024;

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

/// The OpenAPI document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiDocument {
    pub body: Bytes,
    /// The document's `ETag`, for conditional requests.
    pub etag: Option<String>,
}

/// Why there is no answer of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAnswer {
    /// The key or the address cannot be sent.
    Unsendable,
    Unreachable,
    /// The answer broke off, or it is too long.
    BrokeOff,
    TimedOut {
        seconds: u64,
    },
}

impl NoAnswer {
    /// The reason as a sentence for a person.
    pub fn sentence(self, texts: &Texts) -> String {
        let key = match self {
            Self::Unsendable => "key-no-answer-unsendable",
            Self::Unreachable => "key-no-answer-unreachable",
            Self::BrokeOff => "key-no-answer-broke-off",
            Self::TimedOut { seconds } => return texts.count("key-no-answer-slow", seconds),
        };
        texts.say(key).to_owned()
    }
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
        // Calls are rare, so no idle connection is held.
        let client = Client::builder(TokioExecutor::new())
            .pool_max_idle_per_host(0)
            .build(connector);
        Ok(Self {
            url,
            client,
            deadline,
        })
    }

    /// Reads a path with a key. The key is not logged.
    ///
    /// # Errors
    /// The reason why there is no answer.
    pub async fn get(&self, path: &str, key: &str) -> Result<ApiAnswer, NoAnswer> {
        let mut key = HeaderValue::try_from(format!("Bearer {key}"))
            .map_err(|_not_a_header| NoAnswer::Unsendable)?;
        key.set_sensitive(true);
        let request = Request::get(format!("{}{path}", self.url))
            .header(AUTHORIZATION, key)
            .body(Empty::new())
            .map_err(|_not_an_address| NoAnswer::Unsendable)?;
        let (head, body) = self.send(request, MAX_BODY).await?;
        Ok(ApiAnswer {
            status: head.status,
            body: String::from_utf8_lossy(&body).into_owned(),
        })
    }

    /// Reads the OpenAPI document, or `None` if it is still the one with this tag.
    ///
    /// # Errors
    /// The reason why there is no document, as a sentence.
    pub async fn openapi(&self, etag: Option<&str>) -> Result<Option<ApiDocument>, String> {
        let mut request = Request::get(format!("{}/openapi.json", self.url));
        if let Some(etag) = etag {
            request = request.header(IF_NONE_MATCH, etag);
        }
        let request = request.body(Empty::new());
        let request = request.map_err(|error| format!("the request cannot be made: {error}"))?;
        let answer = self.send(request, MAX_DOCUMENT).await;
        let in_english = |reason: NoAnswer| reason.sentence(Texts::of(Language::English));
        let (head, body) = answer.map_err(in_english)?;
        match head.status {
            StatusCode::OK => {
                let etag = head.headers.get(ETAG);
                let etag = etag.and_then(|etag| Some(etag.to_str().ok()?.to_owned()));
                Ok(Some(ApiDocument { body, etag }))
            }
            StatusCode::NOT_MODIFIED if etag.is_some() => Ok(None),
            status => Err(format!("the API answered with {status}.")),
        }
    }

    /// Sends a request, and reads up to `most` bytes of the answer's body.
    async fn send(
        &self,
        request: Request<Empty<Bytes>>,
        most: usize,
    ) -> Result<(response::Parts, Bytes), NoAnswer> {
        let call = async {
            let answer = self.client.request(request).await.map_err(|error| {
                tracing::warn!(%error, "the API cannot be reached");
                NoAnswer::Unreachable
            })?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, most).collect().await;
            let body = body.map_err(|error| {
                tracing::warn!(error, "the answer of the API broke off");
                NoAnswer::BrokeOff
            })?;
            Ok((head, body.to_bytes()))
        };
        match timeout(self.deadline, call).await {
            Ok(answer) => answer,
            Err(_elapsed) => Err(NoAnswer::TimedOut {
                seconds: self.deadline.as_secs(),
            }),
        }
    }
}
