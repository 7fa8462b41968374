//! Clients of other services: load-balanced over all replicas, with token, trace, request id and
//! deadline.
//!
//! A call that fails is made again at another replica if that is safe. `verdict.rs` has the table.

mod addresses;
mod balancer;
mod replica;
mod request_headers;
mod transport;
mod unary;
mod verdict;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use contracts::Unary;
use futures::FutureExt as _;
use http::{Request, Response};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tonic::Status;
use tonic::body::Body;
use tower::retry::budget::TpsBudget;
use tower::{Service, ServiceExt as _};

use crate::secret::Secret;
pub(crate) use addresses::Resolvers;
pub use addresses::{Addresses, Resolver};
use balancer::Balancer;
use replica::InFlightGuard;
use request_headers::RequestHeaders;
pub use transport::Transport;
use verdict::Verdict;
pub use verdict::is_unanswered;

/// How long a call waits for an address, and how long it takes at most to find out that it cannot
/// be sent.
const UNSENT_TIMEOUT: Duration = Duration::from_secs(3);
/// How many reads are made again: a fifth of the calls of the last ten seconds, and ten a second in
/// any case.
const RETRY_PERIOD: Duration = Duration::from_secs(10);
const RETRIES_PER_SECOND: u32 = 10;
const RETRIED_SHARE: f32 = 0.2;
/// How long [`dial`] waits for a connection.
const DIAL_TIMEOUT: Duration = Duration::from_secs(2);

/// A client of a service: it makes unary calls, and generated clients make all others with it. Clones share its connections, one to each
/// replica.
///
/// It belongs to the runtime that first uses it.
#[derive(Clone)]
pub struct Client {
    balancer: Arc<Balancer>,
    retry_budget: Arc<TpsBudget>,
    request_headers: RequestHeaders,
}

/// A connected client of one address, for command-line tools with a token of staff.
///
/// # Errors
/// Nothing answers at the address.
pub async fn dial(address: &str, transport: Transport, token: &Secret) -> anyhow::Result<Client> {
    let resolver = Resolver::fixed(&[address.to_owned()], &transport)?;
    let client = Client::new(resolver, transport, token)?;
    let guard = client.balancer.pick().await;
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
            retry_budget: Arc::new(TpsBudget::new(RETRY_PERIOD, RETRIES_PER_SECOND, RETRIED_SHARE)),
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

    /// Sends the call of a generated client. It is not retried: its message may be a stream.
    async fn send(
        self,
        request: Request<Body>,
        timeout: Duration,
    ) -> Result<Response<Body>, Status> {
        let now = Instant::now();
        let guard = self.pick(now + timeout.min(UNSENT_TIMEOUT)).await?;
        let replica = &guard.replica;
        let mut channel = replica.channel.clone();
        let sending = async { channel.ready().await?.call(request).await };
        let outcome = match timeout_at(now + timeout, sending).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(replica.explain(Status::from_error(error.into()))),
            Err(_) => Err(Verdict::TimedOut.status("the call timed out")),
        };
        let verdict = match &outcome {
            // A response without messages has its status in the head.
            Ok(response) => Status::from_header_map(response.headers())
                .map_or(Verdict::Answered, |status| Verdict::of(&status)),
            Err(status) => Verdict::of(status),
        };
        replica.record(verdict, false);
        outcome
    }

    /// Picks the replica for a call, once an address is known.
    async fn pick(&self, deadline: Instant) -> Result<InFlightGuard, Status> {
        let picking = timeout_at(deadline, self.balancer.pick()).await;
        picking.map_err(|_elapsed| Verdict::NoAddress.status("no address of the service is known"))
    }
}

impl Service<Request<Body>> for Client {
    type Response = Response<Body>;
    type Error = Status;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Status>> + Send>>;

    /// Always ready: the replica is picked when the call is sent.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let timeout = self.request_headers.add_to(request.headers_mut());
        self.clone().send(request, timeout).boxed()
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}
