//! Calls with effects.

use std::time::Duration;

use kit::Fault;
use kit::rpc::client::was_not_sent;
use tonic::{Request, Response, Status};

use super::limit::CallLimit;

/// Makes a call with effects: `method` of the client `service`. It is never retried: without a response, its outcome is unknown.
pub(super) async fn write<S, Q, A>(
    limit: &CallLimit,
    deadline: Duration,
    mut service: S,
    method: impl AsyncFnOnce(&mut S, Request<Q>) -> Result<Response<A>, Status>,
    request: Q,
) -> Result<A, Fault> {
    let _permit = limit.acquire().await?;
    let mut request = Request::new(request);
    request.set_timeout(deadline);
    let response = method(&mut service, request).await;
    limit.record(&response);
    match response {
        Ok(response) => Ok(response.into_inner()),
        Err(status) if is_unanswered(&status) => Err(Fault::outcome_unknown(status.message())),
        Err(status) => Err(status.into()),
    }
}

/// Whether the call was sent and its outcome is unknown. An error that the service itself returned has details.
fn is_unanswered(status: &Status) -> bool {
    let lost = matches!(
        status.code(),
        tonic::Code::Unavailable
            | tonic::Code::DeadlineExceeded
            | tonic::Code::Cancelled
            | tonic::Code::Unknown
            | tonic::Code::Internal
    );
    lost && status.details().is_empty() && !was_not_sent(status)
}
