//! The HTTP client for a bucket: hyper with rustls on ring, as in the whole fleet. The client of the `object_store` crate needs a TLS
//! provider that is installed for the whole process.

use std::time::Duration;

use anyhow::Context as _;
use http_body_util::BodyExt as _;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector as TcpConnector;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::TokioExecutor;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody,
    HttpResponse, HttpResponseBody, HttpService,
};
use tokio::time::timeout;

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);

/// Creates the client that the object store uses.
#[derive(Debug, Clone)]
pub(super) struct Connector(ObjectStoreClient);

#[derive(Debug, Clone)]
struct ObjectStoreClient {
    client: Client<HttpsConnector<TcpConnector>, HttpRequestBody>,
    /// How long it may take until a response begins.
    response_timeout: Duration,
}

impl Connector {
    /// Trusts the root certificates of the machine.
    pub(super) fn new(response_timeout: Duration) -> anyhow::Result<Self> {
        let mut tcp = TcpConnector::new();
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        tcp.set_nodelay(true);
        tcp.enforce_http(false);
        let provider = rustls::crypto::ring::default_provider();
        let https = HttpsConnectorBuilder::new()
            .with_provider_and_native_roots(provider)
            .context("pictures: this machine has no root certificates; install ca-certificates")?
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_timer(hyper_util::rt::TokioTimer::new())
            .build(https);
        Ok(Self(ObjectStoreClient { client, response_timeout }))
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}

#[tonic::async_trait]
impl HttpService for ObjectStoreClient {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let response = timeout(self.response_timeout, self.client.request(request))
            .await
            .map_err(|late| HttpError::new(HttpErrorKind::Timeout, late))?
            .map_err(|error| HttpError::new(error_kind(&error), error))?;
        let broken = |error| HttpError::new(HttpErrorKind::Interrupted, error);
        Ok(response.map(|body| HttpResponseBody::new(body.map_err(broken))))
    }
}

/// Classifies an error; the `object_store` crate retries by kind.
fn error_kind(error: &Error) -> HttpErrorKind {
    if error.is_connect() { HttpErrorKind::Connect } else { HttpErrorKind::Interrupted }
}
