//! Clients of other services: load-balanced over all replicas, with token, trace, request id and deadline. A call that fails in transport is
//! retried on another replica when the retry is safe.

mod addresses;
mod balancer;
mod connection;
mod request_headers;
mod response_body;
mod transport;
mod transport_error;
mod unary;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use contracts::Unary;
use futures::FutureExt as _;
use http::uri::PathAndQuery;
use http::{Request, Response};
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
use connection::Failure;
use request_headers::{RequestHeaders, set_deadline};
pub use response_body::ResponseBody;
pub use transport::Transport;
pub use transport_error::is_unanswered;
use transport_error::{TransportError, unavailable};

/// How long [`dial`] waits for a connection.
const DIAL_TIMEOUT: Duration = Duration::from_secs(2);

/// A client of a service: it makes unary calls, and generated clients make all others with it. Clones share its connections, one to each
/// replica.
///
/// It belongs to the runtime that first uses it.
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

    /// Makes a call that changes nothing. It may be retried on another replica, also if a service has processed it, within the deadline.
    ///
    /// # Errors
    /// The status of the service, or why there is none.
    pub async fn idempotent<Q: Unary>(
        &self,
        request: &Q,
        deadline: Duration,
    ) -> Result<Q::Response, Status> {
        unary::call(self, request, deadline, true).await
    }

    /// Makes a call that is never retried once it was sent: [`is_unanswered`] says whether its outcome is unknown.
    ///
    /// # Errors
    /// The status of the service, or why there is none.
    pub async fn once<Q: Unary>(
        &self,
        request: &Q,
        deadline: Duration,
    ) -> Result<Q::Response, Status> {
        unary::call(self, request, deadline, false).await
    }

    /// Sends the call of a generated client. If no part of it was sent, it is retried once, on another replica if there is one.
    async fn send(
        self,
        request: Request<Body>,
        timeout: Duration,
    ) -> Result<Response<ResponseBody>, TransportError> {
        let deadline = Instant::now() + timeout;
        let path = request.uri().path_and_query().cloned();
        let path = path.unwrap_or_else(|| PathAndQuery::from_static("/"));
        let first = self.pick(None, false, deadline).await?;
        let failure = match try_send(&first, &path, request, deadline).await {
            Ok(response) => return Ok(response),
            Err(failure) => failure,
        };
        let Some(mut unsent) = failure.unsent.filter(|_| Instant::now() < deadline) else {
            return Err(failure.error);
        };
        metrics::counter!("rpc_client_retries_total").increment(1);
        let second = self.pick(Some(&first.replica), false, deadline).await?;
        drop(first);
        set_deadline(unsent.headers_mut(), deadline.saturating_duration_since(Instant::now()));
        retry::add_header(unsent.headers_mut());
        let retried = try_send(&second, &path, *unsent, deadline).await;
        retried.map_err(|failure| failure.error)
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

/// Sends the call of a generated client to one replica; returns the head of the response.
async fn try_send(
    guard: &InFlightGuard,
    path: &PathAndQuery,
    request: Request<Body>,
    deadline: Instant,
) -> Result<Response<ResponseBody>, Failure> {
    let replica = &guard.replica;
    let sent = timeout_at(deadline, replica.http.send(path, request)).await;
    let timed_out = Failure { error: TransportError::TimedOut, unsent: None };
    match sent.unwrap_or(Err(timed_out)) {
        Ok(response) => {
            // A response without messages has its status in the head.
            let status = Status::from_header_map(response.headers());
            match status.as_ref().and_then(unavailable) {
                None => replica.record_success(),
                Some(error) => guard.record_failure(&error),
            }
            Ok(response.map(|body| ResponseBody::new(body, replica.acquire())))
        }
        Err(failure) => {
            guard.record_failure(&failure.error);
            Err(failure)
        }
    }
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
