//! Sends signed POSTs to endpoints.
//!
//! Each connection goes to an address that was checked just before ([`public_resolver`]). One deadline covers everything up to the end of the
//! response's head. Redirects are not followed, proxies of the environment are not used, and no request is repeated ([`client`]).

mod address_check;
mod client;
mod public_resolver;
mod reason;
pub mod resolver;
mod retry_after;
pub mod settings;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use kit::telemetry;
use reqwest_rustls::{Client, RequestBuilder, Response};
use time::OffsetDateTime;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use crate::domain::address::Address;
use crate::domain::signed_headers::{self, Secrets, UnsignedMessage};
use client::{ClientFactory, RotatingClient};
use public_resolver::PublicHosts;
use resolver::Resolve;

pub use address_check::AddressProblem;
pub use settings::Settings;

/// Maximum bytes of a response's body that are stored.
const EXCERPT_BYTES: usize = 1024;

/// One attempt of a delivery.
#[derive(Debug)]
pub struct AttemptRequest<'a> {
    pub address: &'a Address,
    pub event: &'a str,
    /// The id of the message, the same in each attempt.
    pub id: Uuid,
    /// The signed time of this attempt.
    pub at: OffsetDateTime,
    pub body: Bytes,
    pub secrets: Secrets<'a>,
}

/// The result of an attempt.
#[derive(Debug)]
pub struct AttemptResult {
    pub outcome: AttemptOutcome,
    /// `None`: there was no response.
    pub status: Option<u16>,
    /// Until the end of the response's head, or the failure.
    pub duration: Duration,
    /// The beginning of the response's body.
    pub excerpt: Vec<u8>,
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

/// Sends messages. Clones share connections.
#[derive(Clone, Debug)]
pub struct Sender {
    deliveries: Arc<RotatingClient>,
    address_checks: Client,
    hosts: Arc<PublicHosts>,
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
        let hosts = Arc::new(PublicHosts::new(settings.allow.clone()));
        let factory = ClientFactory::new(settings, resolver, Arc::clone(&hosts))?;
        let address_checks = factory.client(settings.address_check_timeout)?;
        let deliveries = RotatingClient::new(factory, settings.answer_timeout)?;
        Ok(Self {
            deliveries: Arc::new(deliveries),
            address_checks,
            hosts,
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
        self.hosts.parse(text)
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
        let client = self.deliveries.at(attempt.at);
        let mut request = client.post(attempt.address.as_str());
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let begun = Instant::now();
        let request = request.body(attempt.body);
        let response = self.send(attempt.address, request, self.timeout).await;
        let duration = begun.elapsed();
        let response = match response {
            Ok(response) => response,
            Err(reason) => return AttemptResult::no_response(reason, duration),
        };
        let (status, headers) = (response.status(), response.headers());
        let outcome = match status {
            status if status.is_success() => AttemptOutcome::Delivered,
            StatusCode::GONE => AttemptOutcome::Gone,
            _ => AttemptOutcome::Failed,
        };
        AttemptResult {
            outcome,
            status: Some(status.as_u16()),
            duration,
            reason: (outcome != AttemptOutcome::Delivered)
                .then(|| reason::for_status(status, headers)),
            retry_after: retry_after::from_response(status, headers, attempt.at),
            excerpt: self.excerpt(response).await,
        }
    }

    /// Sends a request; an error is a message for the owner of the endpoint.
    async fn send(
        &self,
        address: &Address,
        request: RequestBuilder,
        limit: Duration,
    ) -> Result<Response, String> {
        let checked = self.hosts.check_literal(address);
        checked.map_err(|error| error.to_string())?;
        match timeout(limit, request.send()).await {
            Ok(response) => response.map_err(reason::for_error),
            Err(_elapsed) => Err(reason::no_answer(limit)),
        }
    }

    /// The beginning of a body, as far as it arrives in time. Dropping an unfinished body closes the connection.
    async fn excerpt(&self, response: Response) -> Vec<u8> {
        let mut excerpt = Vec::new();
        // The status has decided; a slow body changes nothing.
        timeout(self.excerpt_timeout, fill(&mut excerpt, response)).await.ok();
        excerpt
    }
}

impl AttemptResult {
    /// A failed attempt without a response.
    pub fn no_response(reason: String, duration: Duration) -> Self {
        Self {
            outcome: AttemptOutcome::Failed,
            status: None,
            duration,
            excerpt: Vec::new(),
            reason: Some(reason),
            retry_after: None,
        }
    }
}

async fn fill(excerpt: &mut Vec<u8>, mut response: Response) {
    // The status has decided; an error in the body changes nothing.
    while let Ok(Some(piece)) = response.chunk().await {
        let capacity = EXCERPT_BYTES - excerpt.len();
        excerpt.extend_from_slice(&piece[..piece.len().min(capacity)]);
        if excerpt.len() == EXCERPT_BYTES {
            return;
        }
    }
}
