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

use super::retry;
use crate::secret::Secret;
pub(crate) use addresses::Resolvers;
pub use addresses::{Addresses, Resolver};
use balancer::{Balancer, InFlightGuard, Replica};
use request_body::RequestBody;
use request_headers::{RequestHeaders, set_deadline};
pub use response_body::ResponseBody;
pub use transport::Transport;
use transport_error::TransportError;
pub use transport_error::is_unanswered;

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

/// How long [`dial`] waits for a connection.
const DIAL_TIMEOUT: Duration = Duration::from_secs(2);

/// A client of a service, for use in a generated client. Clones share its connections, one to each replica.
///
/// It belongs to the runtime that first uses it: each thread with its own runtime needs its own client.
#[derive(Clone)]
pub struct Client {
    balancer: Arc<Balancer>,
    request_headers: RequestHeaders,
}

/// A connected client of one address, for command-line tools with a token of staff.
///
/// # Errors
/// Nothing answers at the address.
pub async fn dial(address: &str, transport: Transport, token: &Secret) -> anyhow::Result<Client> {
    let resolver = Resolver::fixed(&[address.to_owned()], &transport)?;
    let client = Client::new(resolver, transport, token)?;
    let guard = client.balancer.pick(None, false).await;
    let uri = &guard.replica.uri;
    let (host, port) = (uri.host().unwrap_or_default(), uri.port_u16());
    let connecting = TcpStream::connect(format!("{host}:{}", port.unwrap_or_default()));
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
        Ok(Self {
            balancer: Arc::new(Balancer::new(resolver, transport)),
            request_headers: RequestHeaders::new(token)?,
        })
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

    /// Sends a call with one message. If it was not sent, or is idempotent, it is retried once, on another replica if there is one, within
    /// the time that is left. The first attempt of an idempotent call leaves half of the time to a replica that works.
    async fn send_unary(
        &self,
        call: &UnaryCall,
        deadline: Instant,
    ) -> Result<Response<ResponseBody>, TransportError> {
        let idempotent = call.idempotent.is_some();
        let first = self.pick(None, idempotent, deadline).await?;
        let first_deadline = if idempotent && self.balancer.has_healthy_other(&first.replica) {
            deadline - deadline.saturating_duration_since(Instant::now()) / 2
        } else {
            deadline
        };
        let outcome = try_unary(&first, call, first_deadline, false).await;
        let may_retry =
            |error: &TransportError| error.may_retry(idempotent) && Instant::now() < deadline;
        if !outcome.as_ref().is_err_and(may_retry) {
            return outcome;
        }
        metrics::counter!("rpc_client_retries_total").increment(1);
        let second = self.pick(Some(&first.replica), false, deadline).await?;
        drop(first);
        try_unary(&second, call, deadline, true).await
    }

    /// Sends a call with a stream of messages, which cannot be retried.
    async fn send_stream(
        &self,
        parts: Parts,
        ready: Vec<Bytes>,
        rest: Body,
        deadline: Instant,
    ) -> Result<Response<ResponseBody>, TransportError> {
        let guard = self.pick(None, false, deadline).await?;
        let ready = stream::iter(ready).map(|data| Ok(Frame::data(data)));
        let body = Body::new(StreamBody::new(ready.chain(BodyStream::new(rest))));
        let request = request(&guard.replica, &parts, body);
        let outcome = timeout_at(deadline, connection::send(&guard.replica.http, request)).await;
        let head = recorded(&guard, outcome.unwrap_or(Err(TransportError::TimedOut)))?;
        guard.replica.record_success();
        Ok(head.map(|body| ResponseBody::new(body, guard)))
    }

    /// Picks the replica for a call. While no address is known, the call waits until its deadline.
    async fn pick(
        &self,
        except: Option<&Replica>,
        may_probe: bool,
        deadline: Instant,
    ) -> Result<InFlightGuard, TransportError> {
        let picking = timeout_at(deadline, self.balancer.pick(except, may_probe));
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

/// Sends a call to one replica. The response to an `idempotent` call has its first message; that to a unary one is whole.
async fn try_unary(
    guard: &InFlightGuard,
    call: &UnaryCall,
    deadline: Instant,
    is_retry: bool,
) -> Result<Response<ResponseBody>, TransportError> {
    let replica = &guard.replica;
    let sending = async {
        let message = Full::new(call.message.clone());
        let mut request = request(replica, &call.parts, Body::new(message));
        let left = deadline.saturating_duration_since(Instant::now());
        set_deadline(request.headers_mut(), left);
        if is_retry {
            retry::add_header(request.headers_mut());
        }
        let response = connection::send(&replica.http, request).await?;
        let (head, body) = response.into_parts();
        let mut body = ResponseBody::new(body, replica.acquire());
        if let Some(idempotent) = call.idempotent {
            body.read_start(idempotent, call.timeout).await?;
        }
        match body.unavailable_reason(&head.headers) {
            None => replica.record_success(),
            Some(reason) if call.idempotent.is_some() => {
                return Err(TransportError::Broken(reason));
            }
            Some(_) => {}
        }
        Ok(Response::from_parts(head, body))
    };
    let outcome = timeout_at(deadline, sending).await;
    recorded(guard, outcome.unwrap_or(Err(TransportError::TimedOut)))
}

/// Records a call that failed. A stream that was reset says nothing about its replica.
fn recorded<T>(
    guard: &InFlightGuard,
    outcome: Result<T, TransportError>,
) -> Result<T, TransportError> {
    if let Err(error) = &outcome
        && !matches!(error, TransportError::Reset(_))
    {
        guard.record_failure(error);
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
        let timeout = self.request_headers.add_to(request.headers_mut());
        let sending = self.clone().send(request, timeout);
        sending.map(|sent| sent.map_err(Status::from)).boxed()
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}
