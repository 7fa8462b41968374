//! A client for receivers under development or test, and for the API, over HTTP or HTTPS.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use http::response::Parts;
use http::{HeaderMap, Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Collected, Full, Limited};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio::time::timeout;

/// As long as the service waits for a response.
const TIMEOUT: Duration = Duration::from_secs(8);
/// How long the body of a receiver's response is read after its head, which decides: as long as the service reads it.
const BODY_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum bytes of the body of a receiver's response.
const MAX_BODY: usize = 256 * 1024;
/// Maximum bytes of a response of the API: a page of the largest messages is far smaller.
const MAX_API_BODY: usize = 8 * 1024 * 1024;

/// Sends messages. Clones share connections.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    http: HttpClient<HttpsConnector<HttpConnector>, Full<Bytes>>,
    timeout: Duration,
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Client {
    /// A client that trusts the public certificate authorities and those in a PEM file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn new(ca_file: Option<&Path>) -> anyhow::Result<Self> {
        let mut roots: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
        if let Some(file) = ca_file {
            let context = || format!("{} holds no certificates in PEM", file.display());
            for certificate in CertificateDer::pem_file_iter(file).with_context(context)? {
                roots.add(certificate.with_context(context)?)?;
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls)
            .https_or_http()
            .enable_http1()
            .build();
        // No keep-alive: a check restarts the receiver, which closes its connections.
        let http =
            HttpClient::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector);
        Ok(Self { http, timeout: TIMEOUT })
    }

    /// The same client, which waits for a response for so long at least.
    #[must_use]
    pub(crate) fn with_timeout_of_at_least(mut self, timeout: Duration) -> Self {
        self.timeout = self.timeout.max(timeout);
        self
    }

    /// Posts a message.
    ///
    /// # Errors
    /// Why there is no response.
    pub(crate) async fn post(
        &self,
        url: &Uri,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response, String> {
        let begun = self.begin(Method::POST, url, headers, body);
        let (head, body) = self.in_time(begun).await?.into_parts();
        let reading = timeout(BODY_TIMEOUT, read(body, MAX_BODY)).await;
        // The status has decided; a late body or an error in it changes nothing.
        let body = reading.ok().and_then(Result::ok);
        Ok(response(head, body.unwrap_or_default()))
    }

    /// Gets something of the API.
    ///
    /// # Errors
    /// Why there is no response, or only a part of one.
    pub(crate) async fn get(&self, url: &Uri, headers: HeaderMap) -> Result<Response, String> {
        let call = async {
            let begun = self.begin(Method::GET, url, headers, Bytes::new()).await?;
            let (head, body) = begun.into_parts();
            let body = read(body, MAX_API_BODY)
                .await
                .map_err(|problem| format!("the response broke off: {problem}"))?;
            Ok(response(head, body))
        };
        self.in_time(call).await
    }

    /// Sends a request, and waits for the head of the response.
    async fn begin(
        &self,
        method: Method,
        url: &Uri,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<http::Response<Incoming>, String> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = url.clone();
        *request.headers_mut() = headers;
        let answer = self.http.request(request).await;
        answer.map_err(|error| innermost(&error))
    }

    async fn in_time<T>(&self, call: impl Future<Output = Result<T, String>>) -> Result<T, String> {
        let late = |_elapsed| format!("no answer within {} seconds", self.timeout.as_secs());
        timeout(self.timeout, call).await.map_err(late)?
    }
}

/// Reads a body of at most so many bytes.
async fn read(body: Incoming, limit: usize) -> Result<Bytes, String> {
    let collected = Limited::new(body, limit).collect().await;
    let bytes = collected.map(Collected::to_bytes);
    bytes.map_err(|error| error.to_string())
}

fn response(head: Parts, body: Bytes) -> Response {
    Response { status: head.status, headers: head.headers, body }
}

/// The innermost cause, which is the most specific.
fn innermost(error: &hyper_util::client::legacy::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}
