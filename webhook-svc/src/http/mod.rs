//! The outgoing side: one signed POST to an endpoint, and what came of it.
//!
//! Each connection is made to an address that was checked a moment before ([`resolver`], [`connector`]); one deadline covers everything up
//! to the end of the answer's head; no redirect is followed, and no proxy of the environment is asked.

mod connector;
mod reason;
mod request;
pub mod resolver;
mod retry_after;
pub mod settings;

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use time::OffsetDateTime;
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use crate::domain::address::Address;
use crate::domain::signature::Secret;
use connector::{Connector, OPENED};
use resolver::Resolve;

pub use settings::Settings;

/// Bytes of an answer's body that are kept.
const EXCERPT: usize = 1024;
/// Bytes of an answer's head, at most.
const HEAD: u32 = 32 * 1024;
/// An idle connection is closed after this time: sooner than most servers close theirs, so that few requests are sent on a connection that
/// the server is closing.
const IDLE: Duration = Duration::from_secs(4);
/// Bytes that an HTTP/2 peer may send before they are read: an answer needs few.
const STREAM_WINDOW: u32 = 16 * 1024;
const CONNECTION_WINDOW: u32 = 256 * 1024;
/// An HTTP/2 connection with requests and without traffic is pinged after this time, and closed after the same time without a reply: later
/// tries then open a new one.
const PING: Duration = Duration::from_secs(3);

/// One try of a delivery.
#[derive(Debug)]
pub struct Attempt<'a> {
    pub address: &'a Address,
    /// The event's name.
    pub event: &'a str,
    /// The id of the message, the same in each try.
    pub id: Uuid,
    /// The time of this try, which is signed.
    pub at: OffsetDateTime,
    /// The message, exactly as it is sent in each try.
    pub body: Bytes,
    pub secret: &'a Secret,
    /// The secret that replaces `secret` soon.
    pub next_secret: Option<&'a Secret>,
}

/// The outcome of a try.
#[derive(Debug)]
pub struct Answer {
    pub outcome: Outcome,
    /// None: there was no answer.
    pub status: Option<u16>,
    /// From the start to the end of the answer's head, or to the failure.
    pub duration: Duration,
    /// The beginning of the answer's body.
    pub excerpt: Vec<u8>,
    /// Why it failed, for the owner of the endpoint.
    pub reason: Option<String>,
    /// How long a 429 or 503 asks to wait, at least.
    pub retry_after: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A 2xx in time.
    Delivered,
    Failed,
    /// A 410: the endpoint wants nothing any more.
    Gone,
}

/// Sends messages. Clones share connections.
#[derive(Clone, Debug)]
pub struct Sender {
    client: Client<Connector, Full<Bytes>>,
    timeout: Duration,
    excerpt_timeout: Duration,
}

impl Sender {
    /// A sender that asks the name servers of this machine.
    ///
    /// # Errors
    /// The file of extra authorities cannot be read.
    pub fn new(settings: &Settings) -> anyhow::Result<Self> {
        Self::with_resolver(settings, resolver::system())
    }

    /// A sender with a resolver of its own.
    ///
    /// # Errors
    /// The file of extra authorities cannot be read.
    pub fn with_resolver(settings: &Settings, resolver: Arc<dyn Resolve>) -> anyhow::Result<Self> {
        let resolver = settings.resolve.in_front_of(resolver);
        let connector = connector::new(settings, resolver)?;
        let head = usize::try_from(HEAD)?;
        let client = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(settings.idle_connections)
            .http1_max_buf_size(head)
            .http2_max_header_list_size(HEAD)
            .http2_initial_stream_window_size(STREAM_WINDOW)
            .http2_initial_connection_window_size(CONNECTION_WINDOW)
            .http2_keep_alive_interval(PING)
            .http2_keep_alive_timeout(PING)
            .build(connector);
        Ok(Self {
            client,
            timeout: settings.answer_timeout,
            excerpt_timeout: settings.excerpt_timeout,
        })
    }

    /// Makes one try. It never fails: every outcome is an [`Answer`].
    pub async fn post(&self, attempt: Attempt<'_>) -> Answer {
        let begun = Instant::now();
        let answered = timeout(self.timeout, self.request(&attempt)).await;
        let duration = begun.elapsed();
        let (head, body) = match answered {
            Ok(Ok(answer)) => answer.into_parts(),
            Ok(Err(reason)) => return Answer::none(reason, duration),
            Err(_elapsed) => return Answer::none(reason::too_late(self.timeout), duration),
        };
        let outcome = match head.status {
            status if status.is_success() => Outcome::Delivered,
            StatusCode::GONE => Outcome::Gone,
            _ => Outcome::Failed,
        };
        Answer {
            outcome,
            status: Some(head.status.as_u16()),
            duration,
            reason: (outcome != Outcome::Delivered)
                .then(|| reason::of_status(head.status, &head.headers)),
            retry_after: retry_after(head.status, &head.headers, attempt.at),
            excerpt: self.excerpt(body).await,
        }
    }

    /// Sends the request, and once again if a reused connection is closed before an answer: many receivers close idle connections, and may
    /// do so just as a request arrives.
    async fn request(&self, attempt: &Attempt<'_>) -> Result<Response<Incoming>, String> {
        let mut may_repeat = true;
        loop {
            let request = request::signed(attempt)
                .map_err(|error| format!("could not be called: {error}"))?;
            let requesting = async {
                let answered = self.client.request(request).await;
                (answered, OPENED.with(Cell::get))
            };
            match OPENED.scope(Cell::new(false), requesting).await {
                (Ok(answer), _) => return Ok(answer),
                (Err(error), false) if may_repeat && reason::is_closed(&error) => {
                    may_repeat = false;
                }
                (Err(error), _) => return Err(reason::of(&error)),
            }
        }
    }

    /// The beginning of a body, as far as it arrives in time. Dropping a body that has not ended closes its connection, or resets its
    /// stream.
    async fn excerpt(&self, body: Incoming) -> Vec<u8> {
        let mut excerpt = Vec::new();
        // The status has decided. Of a body that takes longer, keep what arrived.
        timeout(self.excerpt_timeout, fill(&mut excerpt, body))
            .await
            .ok();
        excerpt
    }
}

impl Answer {
    fn none(reason: String, duration: Duration) -> Self {
        Self {
            outcome: Outcome::Failed,
            status: None,
            duration,
            excerpt: Vec::new(),
            reason: Some(reason),
            retry_after: None,
        }
    }
}

async fn fill(excerpt: &mut Vec<u8>, mut body: Incoming) {
    // The status has decided; a body that breaks off changes nothing.
    while let Some(Ok(frame)) = body.frame().await {
        if let Some(data) = frame.data_ref() {
            let room = EXCERPT - excerpt.len();
            excerpt.extend_from_slice(&data[..data.len().min(room)]);
        }
        if excerpt.len() == EXCERPT {
            return;
        }
    }
}

fn retry_after(status: StatusCode, headers: &HeaderMap, now: OffsetDateTime) -> Option<Duration> {
    let asks = [
        StatusCode::TOO_MANY_REQUESTS,
        StatusCode::SERVICE_UNAVAILABLE,
    ];
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?;
    asks.contains(&status)
        .then(|| retry_after::parse(text, now))?
}
