//! How a bucket is reached: hyper with rustls on ring, like all else in the fleet. The client that the library brings along wants a
//! provider of TLS installed in the whole process, and in every other process that has a client of that kind.

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

/// How long a connection may take to come about, and an answer to begin.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a connection that rests is kept.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);

/// Gives the object store its connections.
#[derive(Debug, Clone)]
pub(super) struct Connector(ObjectStoreClient);

#[derive(Debug, Clone)]
struct ObjectStoreClient(Client<HttpsConnector<TcpConnector>, HttpRequestBody>);

impl Connector {
    /// Trusts whom the machine trusts.
    pub(super) fn new() -> anyhow::Result<Self> {
        let mut tcp = TcpConnector::new();
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        tcp.set_nodelay(true);
        tcp.enforce_http(false);
        let provider = rustls::crypto::ring::default_provider();
        let https = HttpsConnectorBuilder::new()
            .with_provider_and_native_roots(provider)
            .context("pictures: this machine trusts nobody; install ca-certificates")?
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_timer(hyper_util::rt::TokioTimer::new())
            .build(https);
        Ok(Self(ObjectStoreClient(client)))
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
        let response = timeout(RESPONSE_TIMEOUT, self.0.request(request)).await;
        let response = response.map_err(|late| HttpError::new(HttpErrorKind::Timeout, late))?;
        let response = response.map_err(|error| HttpError::new(error_kind(&error), error))?;
        let broken = |error| HttpError::new(HttpErrorKind::Interrupted, error);
        Ok(response.map(|body| HttpResponseBody::new(body.map_err(broken))))
    }
}

/// Whether a request that failed may be tried again: the library asks for that.
fn error_kind(error: &Error) -> HttpErrorKind {
    if error.is_connect() {
        HttpErrorKind::Connect
    } else {
        HttpErrorKind::Interrupted
    }
}
