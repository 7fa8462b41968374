//! Clients of other services: load-balanced over all replicas, with token, trace, request id and deadline. A call that fails in transport is
//! retried on another replica when the retry is safe.

mod addresses;
mod balancer;
mod connection;
mod request_body;
mod request_headers;
mod response_body;
mod transport;
mod transport_error;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::{FutureExt as _, StreamExt as _, stream};
use http::request::Parts;
use http::{HeaderMap, Request, Response, Uri};
use http_body::Frame;
use http_body_util::{BodyStream, Full, StreamBody};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tonic::Status;
use tonic::body::Body;
use tower::Service;
use tower::retry::budget::{Budget as _, TpsBudget};

use super::failover;
use crate::config::Secret;
pub(crate) use addresses::Resolvers;
pub use addresses::{Addresses, Resolver};
use balancer::{Balancer, InFlightGuard, Pick, Replica};
use request_body::RequestBody;
use request_headers::{Caller, RequestHeaders, set_deadline};
pub use response_body::ResponseBody;
pub use transport::Transport;
use transport_error::TransportError;
pub use transport_error::was_not_sent;

/// A request extension for calls that change nothing. Such a call may be retried even if the service has processed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idempotent {
    /// The response is one message. The call may be retried until the response has ended, within the deadline.
    Unary,
    /// The response is a stream. The call may be retried until its first message arrives. The deadline bounds the time until then, and then
    /// the time between two frames.
    ServerStreaming,
}

impl Idempotent {
    /// A request with this extension and a deadline.
    #[must_use]
    pub fn request<M>(self, message: M, deadline: Duration) -> tonic::Request<M> {
        let mut request = tonic::Request::new(message);
        request.set_timeout(deadline);
        request.extensions_mut().insert(self);
        request
    }
}

/// A request extension for calls that are not idempotent, and that the caller itself makes again when they fail.
///
/// Such a call may probe an ejected replica: a client without idempotent calls, such as that of a follower, would not find it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MayProbe;

/// How long [`dial`] waits for a connection.
const DIAL_TIMEOUT: Duration = Duration::from_secs(2);

/// The first attempt of an idempotent call gets 1/`FIRST_ATTEMPT` of its time; then it is retried on another replica, if one is healthy.
const FIRST_ATTEMPT: u32 = 4;
/// The retry budget: a share of all calls, and a minimum per second. When all replicas fail, retries do not help.
const RETRY_RATIO: f32 = 0.2;
const MIN_RETRIES_PER_SECOND: u32 = 10;

/// A client of a service, for use in a generated client. Clones share its connections, one to each replica.
///
/// It belongs to the runtime that first uses it: each thread with its own runtime needs its own client.
#[derive(Clone)]
pub struct Client {
    balancer: Arc<Balancer>,
    budget: Arc<TpsBudget>,
    request_headers: RequestHeaders,
}

/// A connected client of one address, for command-line tools with a token of staff.
///
/// # Errors
/// Nothing answers at the address.
pub async fn dial(address: &str, transport: Transport, token: &Secret) -> anyhow::Result<Client> {
    let resolver = Resolver::fixed(&[address.to_owned()], &transport)?;
    let client = Client::new(resolver, transport, token)?;
    let guard = client.balancer.pick(Pick::default()).await;
    let uri = &guard.replica.uri;
    let host = uri.host().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let connecting = TcpStream::connect((host, uri.port_u16().unwrap_or_default()));
    let connected = timeout_at(Instant::now() + DIAL_TIMEOUT, connecting).await;
    anyhow::ensure!(
        connected.is_ok_and(|connected| connected.is_ok()),
        "nothing answers at {address}"
    );
    Ok(client)
}

impl Client {
    /// A client of the service with the addresses of `resolver`. It connects at the first call, so services may start in any order.
    ///
    /// # Errors
    /// The token has characters that a header cannot carry.
    pub fn new(resolver: Resolver, transport: Transport, token: &Secret) -> anyhow::Result<Self> {
        let budget = TpsBudget::new(Duration::from_secs(10), MIN_RETRIES_PER_SECOND, RETRY_RATIO);
        Ok(Self {
            balancer: Arc::new(Balancer::new(resolver, transport)),
            budget: Arc::new(budget),
            request_headers: RequestHeaders::new(token)?,
        })
    }

    /// The same client, which calls in the name of the service `name`.
    #[must_use]
    pub fn with_caller(mut self, name: &'static str) -> Self {
        self.request_headers.caller = Caller::Service(name);
        self
    }

    /// The same client, which makes each call in the name of the first service that may make it: for tests and benchmarks.
    #[must_use]
    pub fn with_allowed_caller(mut self) -> Self {
        self.request_headers.caller = Caller::Allowed;
        self
    }

    /// The same client with another deadline for calls that have none of their own.
    #[must_use]
    pub fn with_default_deadline(mut self, deadline: Duration) -> Self {
        self.request_headers.default_deadline = deadline;
        self
    }

    async fn send(
        self,
        request: Request<Body>,
        timeout: Duration,
    ) -> Result<Response<ResponseBody>, TransportError> {
        let deadline = Instant::now() + timeout;
        let (parts, body) = request.into_parts();
        self.budget.deposit();
        match RequestBody::new(body) {
            RequestBody::Unary(message) => {
                let call = UnaryCall {
                    idempotent: parts.extensions.get().copied(),
                    parts,
                    message,
                    timeout,
                };
                self.send_unary(&call, deadline).await
            }
            RequestBody::Streaming(ready, rest) => {
                self.send_stream(parts, ready, rest, deadline).await
            }
        }
    }

    /// Sends a call with one message, and retries it at most once.
    async fn send_unary(
        &self,
        call: &UnaryCall,
        deadline: Instant,
    ) -> Result<Response<ResponseBody>, TransportError> {
        let idempotent = call.idempotent.is_some();
        let pick = Pick {
            may_probe: idempotent || call.parts.extensions.get::<MayProbe>().is_some(),
            except: None,
        };
        let first = self.pick(pick, deadline).await?;
        let has_healthy_other = self.balancer.has_healthy_other(&first.replica);
        let can_fail_over = idempotent && has_healthy_other;
        // Without another replica that may answer, the first one gets all the time.
        let first_deadline = if can_fail_over {
            let now = Instant::now();
            now + deadline.saturating_duration_since(now) / FIRST_ATTEMPT
        } else {
            deadline
        };
        let outcome = try_unary(&first, call, first_deadline, can_fail_over).await;
        let Err(error) = &outcome else {
            return outcome;
        };
        // A replica that was ejected may be back, and a call that was not sent costs little to try. The only replica may have closed its
        // connection; it gets the call over a new one.
        let not_sent = matches!(error, TransportError::NotSent(_));
        let has_target = has_healthy_other || not_sent || self.balancer.len() == 1;
        let retry = has_target && error.may_retry(idempotent) && Instant::now() < deadline;
        if !retry || !self.budget.withdraw() {
            return outcome;
        }
        metrics::counter!("rpc_client_retries_total").increment(1);
        // A probe must be one that can still be retried.
        let pick = Pick {
            may_probe: false,
            except: Some(&first.replica),
        };
        let second = self.pick(pick, deadline).await?;
        drop(first);
        try_unary(&second, call, deadline, false).await
    }

    /// Sends a call with a stream of messages, which cannot be retried.
    async fn send_stream(
        &self,
        parts: Parts,
        ready: Vec<Bytes>,
        rest: Body,
        deadline: Instant,
    ) -> Result<Response<ResponseBody>, TransportError> {
        let guard = self.pick(Pick::default(), deadline).await?;
        let ready = stream::iter(ready).map(|data| Ok(Frame::data(data)));
        let body = Body::new(StreamBody::new(ready.chain(BodyStream::new(rest))));
        let request = request(&guard.replica, &parts, body);
        let outcome = timeout_at(deadline, connection::send(&guard.replica.http, request)).await;
        let head = recorded(&guard, outcome.unwrap_or(Err(TransportError::TimedOut)))?;
        Ok(head.map(|body| ResponseBody::new(body, guard)))
    }

    /// Picks the replica for a call. While no address is known, the call waits until its deadline.
    async fn pick(
        &self,
        pick: Pick<'_>,
        deadline: Instant,
    ) -> Result<InFlightGuard, TransportError> {
        let picking = timeout_at(deadline, self.balancer.pick(pick));
        picking.await.or(Err(TransportError::TimedOut))
    }
}

/// A call with one message, which can be sent again.
struct UnaryCall {
    parts: Parts,
    message: Bytes,
    idempotent: Option<Idempotent>,
    timeout: Duration,
}

/// Sends a call to one replica, and tells it whether the call can go to another one. The response to an `idempotent` call has its first
/// message; that to a unary one is whole.
async fn try_unary(
    guard: &InFlightGuard,
    call: &UnaryCall,
    deadline: Instant,
    can_fail_over: bool,
) -> Result<Response<ResponseBody>, TransportError> {
    let replica = &guard.replica;
    let sending = async {
        let message = Full::new(call.message.clone());
        let mut request = request(replica, &call.parts, Body::new(message));
        let left = deadline.saturating_duration_since(Instant::now());
        set_deadline(request.headers_mut(), left);
        if can_fail_over {
            failover::add_header(request.headers_mut());
        }
        let response = connection::send(&replica.http, request).await?;
        let (head, body) = response.into_parts();
        let mut body = ResponseBody::new(body, replica.acquire());
        if let Some(idempotent) = call.idempotent {
            body.read_start(idempotent, call.timeout).await?;
            if let Some(reason) = body.unavailable_reason(&head.headers) {
                return Err(TransportError::Broken(reason));
            }
        }
        Ok(Response::from_parts(head, body))
    };
    let outcome = timeout_at(deadline, sending).await;
    recorded(guard, outcome.unwrap_or(Err(TransportError::TimedOut)))
}

/// Records the outcome of a call in the circuit of its replica.
fn recorded<T>(
    guard: &InFlightGuard,
    outcome: Result<T, TransportError>,
) -> Result<T, TransportError> {
    match &outcome {
        Ok(_) => guard.record_success(),
        Err(TransportError::Reset(_)) => {}
        Err(error) => guard.record_failure(error),
    }
    outcome
}

/// The request to one replica.
fn request(replica: &Replica, parts: &Parts, body: Body) -> Request<Body> {
    let mut request = Request::new(body);
    *request.method_mut() = parts.method.clone();
    *request.version_mut() = http::Version::HTTP_2;
    *request.uri_mut() = absolute(&replica.uri, &parts.uri);
    *request.headers_mut() = HeaderMap::clone(&parts.headers);
    request
}

/// The path of `call` at `replica`.
fn absolute(replica: &Uri, call: &Uri) -> Uri {
    let mut parts = replica.clone().into_parts();
    parts.path_and_query = call.path_and_query().cloned();
    // This does not fail: a scheme, an authority and a path form a URI.
    Uri::from_parts(parts).unwrap_or_default()
}

impl Service<Request<Body>> for Client {
    type Response = Response<ResponseBody>;
    type Error = Status;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Status>> + Send>>;

    /// Always ready: the replica is picked when the call is sent.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let caller = self.request_headers.caller(request.uri().path());
        let timeout = self.request_headers.add_to(caller, request.headers_mut());
        let sending = self.clone().send(request, timeout);
        sending.map(|sent| sent.map_err(Status::from)).boxed()
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}
