//! Clients of other services: balanced over all replicas, carrying identity, trace, request id and deadline, and making a call once
//! more elsewhere when it was lost on its way.

mod addresses;
mod answer;
mod balance;
mod connection;
mod health;
mod lost;
mod messages;
mod outgoing;
mod replica;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use futures::FutureExt as _;
use http::request::Parts;
use http::{HeaderMap, Request, Response, Uri};
use tokio::time::{Instant, timeout_at};
use tonic::Status;
use tonic::body::Body;
use tower::Service;
use tower::retry::budget::{Budget as _, TpsBudget};

use crate::config::Secret;
use crate::lifecycle::Lifecycle;
pub use addresses::{Addresses, Known};
pub use answer::Answer;
use balance::Replicas;
use lost::Lost;
use messages::Messages;
use outgoing::{Outgoing, set_deadline};
use replica::{Held, Replica};

/// Extension of a request that changes nothing: it may be made again whenever it was lost, even if the service may have seen it. Its
/// answer is handed over when all of it has come.
#[derive(Debug, Clone, Copy)]
pub struct Idempotent;

/// The part of its time after which a call that may be made again is made again elsewhere.
const FIRST_TRY: u32 = 4;
/// Repetitions as a part of calls, and those a second that are allowed in any case: when all replicas fail, repeating does not help
/// them.
const REPETITIONS: f32 = 0.2;
const REPETITIONS_A_SECOND: u32 = 10;

/// A client of a service; generated clients are made on top of it. Clones share its connections, one to each replica.
///
/// It belongs to the runtime that it is first used in: threads with runtimes of their own have a client each.
#[derive(Clone)]
pub struct Client {
    replicas: Arc<Replicas>,
    budget: Arc<TpsBudget>,
    outgoing: Outgoing,
}

/// A client of the service at `addresses`. It connects when it is first used, so that the order of starts does not matter.
///
/// # Errors
/// One of the addresses is none, or the token cannot be sent.
pub fn connect(
    addresses: Addresses,
    token: &Secret,
    lifecycle: &Lifecycle,
) -> anyhow::Result<Client> {
    Client::new(Known::watch(addresses, lifecycle)?, token)
}

/// A client of one address, outside a service: for command-line tools.
///
/// # Errors
/// Nothing answers there.
pub async fn dial(address: &str, token: &Secret) -> anyhow::Result<Client> {
    let client = Client::new(Known::fixed(&[address.to_owned()])?, token)?;
    let held = client.replicas.choose(false, None).await;
    let reached = held.replica.way().await.map_err(Status::from);
    reached
        .ok()
        .with_context(|| format!("nothing answers at {address}"))?;
    Ok(client)
}

impl Client {
    /// A client of the service whose addresses are `known`.
    ///
    /// # Errors
    /// The token cannot be sent.
    pub fn new(known: Known, token: &Secret) -> anyhow::Result<Self> {
        let budget = TpsBudget::new(Duration::from_secs(10), REPETITIONS_A_SECOND, REPETITIONS);
        Ok(Self {
            replicas: Arc::new(Replicas::new(known)),
            budget: Arc::new(budget),
            outgoing: Outgoing::new(token)?,
        })
    }

    async fn make(self, request: Request<Body>, until: Instant) -> Result<Response<Answer>, Lost> {
        let (parts, body) = request.into_parts();
        self.budget.deposit();
        match Messages::of(body) {
            Messages::One(message) => self.make_whole(parts, message, until).await,
            Messages::Several(here, rest) => self.make_stream(parts, here, rest, until).await,
        }
    }

    /// A call whose only message is here.
    async fn make_whole(
        &self,
        parts: Parts,
        message: Bytes,
        until: Instant,
    ) -> Result<Response<Answer>, Lost> {
        let idempotent = parts.extensions.get::<Idempotent>().is_some();
        let first = self.choose(idempotent, None, until).await?;
        // Of a service without a second replica nobody else can be asked, so it has all the time.
        let first_until = if idempotent && self.replicas.count() > 1 {
            let now = Instant::now();
            now + until.saturating_duration_since(now) / FIRST_TRY
        } else {
            until
        };
        let outcome = send(&first, &parts, message.clone(), idempotent, first_until).await;
        let Err(lost) = &outcome else { return outcome };
        let repeat = lost.may_repeat(idempotent) && Instant::now() < until;
        if !repeat || !self.budget.withdraw() {
            return outcome;
        }
        metrics::counter!("rpc_client_repeated_total").increment(1);
        let other = self.choose(idempotent, Some(&first.replica), until);
        let second = other.await?;
        drop(first);
        send(&second, &parts, message, idempotent, until).await
    }

    /// A call of which more messages come: they are sent once.
    async fn make_stream(
        &self,
        parts: Parts,
        here: Vec<Bytes>,
        rest: Body,
        until: Instant,
    ) -> Result<Response<Answer>, Lost> {
        let held = self.choose(false, None, until).await?;
        let sending = async {
            let way = held.replica.way().await?;
            connection::send_stream(way, request(&held.replica, &parts), here, rest).await
        };
        let outcome = timeout_at(until, sending).await;
        let head = judged(&held, outcome.unwrap_or(Err(Lost::Late)))?;
        Ok(head.map(|stream| Answer::coming(stream, held)))
    }

    /// The replica that takes a call. While none is known it is waited for, as long as for an answer.
    async fn choose(
        &self,
        trial: bool,
        but: Option<&Replica>,
        until: Instant,
    ) -> Result<Held, Lost> {
        let choosing = timeout_at(until, self.replicas.choose(trial, but));
        choosing.await.or(Err(Lost::Late))
    }
}

/// Makes a call of one replica. If it is `idempotent`, its answer is whole or lost.
async fn send(
    held: &Held,
    parts: &Parts,
    message: Bytes,
    idempotent: bool,
    until: Instant,
) -> Result<Response<Answer>, Lost> {
    let replica = &held.replica;
    let sending = async {
        let way = replica.way().await?;
        let mut request = request(replica, parts);
        let left = until.saturating_duration_since(Instant::now());
        set_deadline(request.headers_mut(), left);
        let head = connection::send(way, request, message).await?;
        let (head, stream) = head.into_parts();
        if !idempotent {
            return Ok(Response::from_parts(
                head,
                Answer::coming(stream, replica.hold(health::Use::Calls)),
            ));
        }
        let answer = Answer::whole(stream).await?;
        if answer.is_away(&head.headers) {
            return Err(Lost::Broken(
                "the replica says that it is not available".into(),
            ));
        }
        Ok(Response::from_parts(head, answer))
    };
    let outcome = timeout_at(until, sending).await;
    judged(held, outcome.unwrap_or(Err(Lost::Late)))
}

/// Notes for the next calls how this one went.
fn judged<T>(held: &Held, outcome: Result<T, Lost>) -> Result<T, Lost> {
    match &outcome {
        Ok(_) => held.answered(),
        Err(lost) => held.lost(lost),
    }
    outcome
}

fn request(replica: &Replica, parts: &Parts) -> Request<()> {
    let mut request = Request::new(());
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
    // A scheme, an authority and a path are a URI.
    Uri::from_parts(parts).unwrap_or_default()
}

impl Service<Request<Body>> for Client {
    type Response = Response<Answer>;
    type Error = Status;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Status>> + Send>>;

    /// Which replica takes a call is decided when it is made.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let until = Instant::now() + self.outgoing.add_to(request.headers_mut());
        let calling = self.clone().make(request, until);
        calling.map(|made| made.map_err(Status::from)).boxed()
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}
