//! A client of the public API, over HTTP like that of a customer, for the OpenAPI document.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use http::header::{ETAG, IF_NONE_MATCH};
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::{ClientConfig, RootCertStore};
use tokio::time::timeout;

/// The most bytes of the OpenAPI document. It has some hundred thousand.
const MAX_DOCUMENT: usize = 8 * 1024 * 1024;

#[derive(Debug)]
pub struct Api {
    /// The address of the API, with its version.
    url: String,
    client: Client<HttpsConnector<HttpConnector>, Empty<Bytes>>,
    deadline: Duration,
}

/// The OpenAPI document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiDocument {
    pub body: Bytes,
    /// The document's `ETag`, for conditional requests.
    pub etag: Option<String>,
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
        let client =
            Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector);
        Ok(Self { url, client, deadline })
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
        let call = async {
            let answer = self
                .client
                .request(request)
                .await
                .map_err(|error| format!("the API cannot be reached: {error}"))?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, MAX_DOCUMENT)
                .collect()
                .await
                .map_err(|error| format!("the answer broke off: {error}"))?;
            Ok::<_, String>((head, body.to_bytes()))
        };
        let answer = timeout(self.deadline, call).await;
        let (head, body) =
            answer.map_err(|_elapsed| "the API did not answer in time".to_owned())??;
        match head.status {
            StatusCode::OK => {
                let etag = head.headers.get(ETAG);
                let etag = etag.and_then(|etag| Some(etag.to_str().ok()?.to_owned()));
                Ok(Some(ApiDocument { body, etag }))
            }
            StatusCode::NOT_MODIFIED if etag.is_some() => Ok(None),
            status => Err(format!("the API answered with {status}")),
        }
    }
}
