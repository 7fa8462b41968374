//! Unary calls. One loop makes all of them: an attempt, its verdict, and at most one more attempt.

use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use contracts::Unary;
use futures::future::{Either, select};
use futures::stream;
use http::HeaderMap;
use http::uri::PathAndQuery;
use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};
use tonic::client::Grpc;
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;
use tower::retry::budget::Budget as _;

use super::replica::InFlightGuard;
use super::request_headers::set_deadline;
use super::verdict::Verdict;
use super::{Client, UNSENT_TIMEOUT};
use crate::rpc::retry;

/// The largest response. A creator comes with all its games and a country with all its cities, which can be thousands.
const MAX_RESPONSE: usize = 64 * 1024 * 1024;
/// How long the first attempt and the second one wait for a connection: [`UNSENT_TIMEOUT`]
/// together.
const CONNECTION_TIMEOUTS: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(1)];

/// A call, which may be sent twice.
struct Call<'a, Q> {
    request: &'a Q,
    headers: HeaderMap,
    is_idempotent: bool,
    deadline: Instant,
}

/// Makes a call.
///
/// It is retried once, at another replica if there is one, after a failure that allows it. An
/// idempotent call is also hedged: after half of its time, a second attempt starts at another
/// replica that works, and the first answer counts. Retries of reads have a budget, so that a
/// service that is slow for all callers does not get every call twice.
pub(super) async fn call<Q: Unary>(
    client: &Client,
    request: &Q,
    timeout: Duration,
    is_idempotent: bool,
) -> Result<Q::Response, Status> {
    let now = Instant::now();
    let call = Call {
        request,
        headers: client.request_headers.unary(),
        is_idempotent,
        deadline: now + timeout,
    };
    client.retry_budget.deposit();
    let guard = client.pick(now + timeout.min(UNSENT_TIMEOUT)).await?;
    let first_replica = Arc::clone(&guard.replica);
    let mut first = pin!(attempt(guard, &call, false));
    let first_outcome = if is_idempotent {
        timeout_at(now + timeout / 2, first.as_mut()).await.ok()
    } else {
        Some(first.as_mut().await)
    };
    let is_retried = match &first_outcome {
        Some(Ok(_)) => false,
        Some(Err(status)) => {
            let verdict = Verdict::of(status);
            let may_retry = verdict.is_retried(is_idempotent) && Instant::now() < call.deadline;
            // Nothing has been done about a call that was not processed.
            may_retry && (verdict.is_unprocessed() || client.retry_budget.withdraw())
        }
        None => client.balancer.has_other(&first_replica) && client.retry_budget.withdraw(),
    };
    if !is_retried {
        return match first_outcome {
            Some(outcome) => outcome,
            None => first.await,
        };
    }
    metrics::counter!("rpc_client_retries_total").increment(1);
    // Boxed, so that the futures of most calls are small.
    let second = Box::pin(attempt(client.balancer.pick_other(&first_replica), &call, true));
    if first_outcome.is_some() {
        return second.await;
    }
    match select(first, second).await {
        Either::Left((outcome, _)) if verdict(&outcome) == Verdict::Answered => outcome,
        Either::Left((_, second)) => second.await,
        Either::Right((outcome, _)) if verdict(&outcome) == Verdict::Answered => {
            // The call is not slow everywhere: it counts like a write.
            first_replica.record(Verdict::TimedOut, false);
            outcome
        }
        Either::Right((_, first)) => first.await,
    }
}

/// Sends a call to one replica, and records the outcome.
async fn attempt<Q: Unary>(
    guard: InFlightGuard,
    call: &Call<'_, Q>,
    is_retry: bool,
) -> Result<Q::Response, Status> {
    let replica = &guard.replica;
    let mut headers = call.headers.clone();
    set_deadline(&mut headers, call.deadline.saturating_duration_since(Instant::now()));
    if is_retry {
        retry::add_header(&mut headers);
    }
    // The connection takes the message out when it sends it. If the message is still here, it was
    // not sent; once it is taken out below, it never will be.
    let unsent = Arc::new(Mutex::new(Some(call.request.clone())));
    let message = Arc::clone(&unsent);
    let message = stream::poll_fn(move |_| Poll::Ready(message.lock().take()));
    let mut request = Request::new(message);
    *request.metadata_mut() = MetadataMap::from_headers(headers);
    let mut grpc = Grpc::new(replica.channel.clone()).max_decoding_message_size(MAX_RESPONSE);
    let sending = async {
        grpc.ready().await.map_err(|error| Status::from_error(error.into()))?;
        let path = PathAndQuery::from_static(Q::PATH);
        grpc.client_streaming(request, path, ProstCodec::default()).await
    };
    let mut sending = pin!(sending);
    let connected_by = Instant::now() + CONNECTION_TIMEOUTS[usize::from(is_retry)];
    let outcome = match timeout_at(connected_by.min(call.deadline), sending.as_mut()).await {
        Ok(outcome) => outcome,
        Err(_) if unsent.lock().take().is_some() => {
            Err(Verdict::Unreached.status("no connection to the replica in time"))
        }
        Err(_) => {
            let outcome = timeout_at(call.deadline, sending).await;
            outcome.unwrap_or_else(|_| Err(Verdict::TimedOut.status("the call timed out")))
        }
    };
    let outcome = outcome.map(Response::into_inner).map_err(|status| replica.explain(status));
    replica.record(verdict(&outcome), call.is_idempotent);
    outcome
}

fn verdict<A>(outcome: &Result<A, Status>) -> Verdict {
    outcome.as_ref().map_or_else(Verdict::of, |_| Verdict::Answered)
}
