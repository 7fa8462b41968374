//! Sends signed POSTs to endpoints.
//!
//! Each connection goes to an address that was checked just before ([`resolver`], [`connector`]). One deadline covers everything up to the
//! end of the response's head ([`request`]). Redirects are not followed, and proxies of the environment are not used.

mod address_check;
mod answer_headers;
mod connector;
mod own_fault;
mod reason;
mod request;
pub mod resolver;
mod retry_after;
pub mod settings;
mod tcp_connection;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::{Builder, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use kit::telemetry;
use quick_cache::sync::Cache;
use time::OffsetDateTime;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use crate::domain::address::{Address, AllowList};
use crate::domain::signed_headers::{self, Headers, Secrets, UnsignedMessage};
use connector::Connector;
use resolver::Resolve;

pub use own_fault::OwnFault;
pub use settings::Settings;

/// Endpoints whose clients are kept; the client of the endpoint that was called longest ago goes first.
const MAX_CLIENTS: usize = 4_096;
/// Maximum bytes of a response's body that are stored.
const EXCERPT_BYTES: usize = 1024;
/// Maximum bytes and fields of a response's head.
const MAX_HEAD_BYTES: u32 = 32 * 1024;
const MAX_HEAD_FIELDS: usize = 256;
/// An idle connection is closed after this time: earlier than most servers close theirs, so that few requests go on a connection that the
/// server is closing.
const IDLE_TIMEOUT: Duration = Duration::from_secs(4);
/// Flow-control windows of HTTP/2 in bytes: a response needs few.
const STREAM_WINDOW: u32 = 16 * 1024;
const CONNECTION_WINDOW: u32 = 256 * 1024;
/// An HTTP/2 connection with requests but without traffic is pinged after this time, and closed after the same time without a reply.
const PING_INTERVAL: Duration = Duration::from_secs(3);

/// One attempt of a delivery.
#[derive(Debug)]
pub struct AttemptRequest<'a> {
    /// Connections are kept per endpoint.
    pub endpoint: Uuid,
    pub address: &'a Address,
    pub event: &'a str,
    /// The id of the message, the same in each attempt.
    pub id: Uuid,
    /// The signed time of this attempt.
    pub at: OffsetDateTime,
    pub body: Bytes,
    pub secrets: Secrets<'a>,
}

/// A POST with any headers.
#[derive(Debug)]
pub struct PostRequest<'a> {
    /// Connections are kept per endpoint.
    pub endpoint: Uuid,
    pub address: &'a Address,
    pub at: OffsetDateTime,
    pub headers: &'a Headers,
    pub body: Bytes,
}

impl PostRequest<'_> {
    fn to_http(&self) -> http::Result<Request<Full<Bytes>>> {
        let mut request = Request::post(Uri::try_from(self.address.as_str())?);
        for (name, value) in self.headers {
            request = request.header(*name, value.as_bytes());
        }
        request.body(Full::new(self.body.clone()))
    }
}

/// The result of an attempt.
#[derive(Debug)]
pub struct AttemptResult {
    pub outcome: AttemptOutcome,
    /// Our fault, if it is one, that there is no response.
    pub own_fault: Option<OwnFault>,
    /// `None`: there was no response.
    pub status: Option<u16>,
    /// Until the end of the response's head, or the failure.
    pub duration: Duration,
    /// The beginning of the response's body.
    pub excerpt: Vec<u8>,
    /// Fields of the response's head, a line each.
    pub headers: String,
    /// Why the attempt failed, for the owner of the endpoint.
    pub reason: Option<String>,
    /// `Retry-After` of a 429 or 503.
    pub retry_after: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// A 2xx within the deadline.
    Delivered,
    Failed,
    /// A 410: the endpoint asks for no more deliveries.
    Gone,
}

type HttpClient = Client<Connector, Full<Bytes>>;

/// Sends messages. Clones share connections.
#[derive(Clone, Debug)]
pub struct Sender {
    /// One client per endpoint: endpoints at one host do not share HTTP/2 connections, whose streams one of them could use up. A client closes
    /// its idle connections, and all of them when it goes.
    clients: Arc<Cache<Uuid, HttpClient>>,
    builder: Builder,
    connector: Connector,
    allowed: Arc<AllowList>,
    timeout: Duration,
    excerpt_timeout: Duration,
    address_check_timeout: Duration,
}

impl Sender {
    /// A sender that resolves names with the name servers of this machine.
    ///
    /// # Errors
    /// The file of additional certificate authorities cannot be read.
    pub fn new(settings: &Settings) -> anyhow::Result<Self> {
        Self::with_resolver(settings, resolver::system())
    }

    /// A sender with another resolver.
    ///
    /// # Errors
    /// The file of additional certificate authorities cannot be read.
    pub fn with_resolver(settings: &Settings, resolver: Arc<dyn Resolve>) -> anyhow::Result<Self> {
        let allowed = Arc::new(settings.allow.clone());
        let connector = connector::new(settings, Arc::clone(&allowed), resolver)?;
        let head = usize::try_from(MAX_HEAD_BYTES)?;
        let mut builder = Client::builder(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(settings.idle_connections)
            .http1_max_buf_size(head)
            .http1_max_headers(MAX_HEAD_FIELDS)
            // The status line decides: old servers fold fields, and write spaces before colons.
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .http1_allow_spaces_after_header_name_in_responses(true)
            .http1_ignore_invalid_headers_in_responses(true)
            .http2_max_header_list_size(MAX_HEAD_BYTES)
            .http2_initial_stream_window_size(STREAM_WINDOW)
            .http2_initial_connection_window_size(CONNECTION_WINDOW)
            .http2_keep_alive_interval(PING_INTERVAL)
            .http2_keep_alive_timeout(PING_INTERVAL);
        Ok(Self {
            clients: Arc::new(Cache::new(MAX_CLIENTS)),
            builder,
            connector,
            allowed,
            timeout: settings.answer_timeout,
            excerpt_timeout: settings.excerpt_timeout,
            address_check_timeout: settings.address_check_timeout,
        })
    }

    /// Parses the URL of an endpoint, which may be public or one of those that the settings allow.
    ///
    /// # Errors
    /// A message for the owner.
    pub fn parse_address(&self, text: &str) -> Result<Address, String> {
        Address::parse(text, &self.allowed)
    }

    fn client(&self, endpoint: Uuid) -> HttpClient {
        let build = || Ok::<_, Infallible>(self.builder.build(self.connector.clone()));
        match self.clients.get_or_insert_with(&endpoint, build) {
            Ok(client) => client,
            Err(never) => match never {},
        }
    }

    /// A client that opens a connection for each request.
    fn new_connection(&self) -> HttpClient {
        let mut builder = self.builder.clone();
        builder.pool_max_idle_per_host(0);
        builder.build(self.connector.clone())
    }

    /// Makes one attempt: signs the message, and posts it. Every outcome, failures included, is an [`AttemptResult`].
    pub async fn attempt(&self, attempt: AttemptRequest<'_>) -> AttemptResult {
        let timestamp = attempt.at.unix_timestamp().to_string();
        let message = UnsignedMessage {
            event: attempt.event,
            id: attempt.id,
            timestamp: &timestamp,
            body: &attempt.body,
        };
        let mut headers = signed_headers::sign(message, attempt.secrets);
        headers.extend(telemetry::traceparent().map(|trace| ("traceparent", trace)));
        let request = PostRequest {
            endpoint: attempt.endpoint,
            address: attempt.address,
            at: attempt.at,
            headers: &headers,
            body: attempt.body,
        };
        self.post(&request).await
    }

    /// Sends a POST under the rules of attempts.
    pub async fn post(&self, post: &PostRequest<'_>) -> AttemptResult {
        let begun = Instant::now();
        let response = self.request(post).await;
        let duration = begun.elapsed();
        let (head, body) = match response {
            Ok(response) => response.into_parts(),
            Err((own_fault, reason)) => {
                return AttemptResult::no_response(own_fault, reason, duration);
            }
        };
        let outcome = match head.status {
            status if status.is_success() => AttemptOutcome::Delivered,
            StatusCode::GONE => AttemptOutcome::Gone,
            _ => AttemptOutcome::Failed,
        };
        AttemptResult {
            outcome,
            own_fault: None,
            status: Some(head.status.as_u16()),
            duration,
            reason: (outcome != AttemptOutcome::Delivered)
                .then(|| reason::of_status(head.status, &head.headers)),
            retry_after: retry_after::of_response(head.status, &head.headers, post.at),
            headers: answer_headers::lines(&head.headers),
            excerpt: self.excerpt(body).await,
        }
    }

    /// The beginning of a body, as far as it arrives in time. Dropping an unfinished body closes the connection, or resets the stream.
    async fn excerpt(&self, body: Incoming) -> Vec<u8> {
        let mut excerpt = Vec::new();
        // The status has decided; a slow body changes nothing.
        timeout(self.excerpt_timeout, fill(&mut excerpt, body))
            .await
            .ok();
        excerpt
    }
}

impl AttemptResult {
    /// A failed attempt without a response.
    pub fn no_response(own_fault: Option<OwnFault>, reason: String, duration: Duration) -> Self {
        Self {
            outcome: AttemptOutcome::Failed,
            own_fault,
            status: None,
            duration,
            excerpt: Vec::new(),
            headers: String::new(),
            reason: Some(reason),
            retry_after: None,
        }
    }
}

async fn fill(excerpt: &mut Vec<u8>, mut body: Incoming) {
    // The status has decided; an error in the body changes nothing.
    while let Some(Ok(frame)) = body.frame().await {
        if let Some(data) = frame.data_ref() {
            let capacity = EXCERPT_BYTES - excerpt.len();
            excerpt.extend_from_slice(&data[..data.len().min(capacity)]);
        }
        if excerpt.len() == EXCERPT_BYTES {
            return;
        }
    }
}
