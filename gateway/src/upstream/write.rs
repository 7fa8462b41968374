//! Calls that change something.

use std::future::Future;
use std::time::Duration;

use kit::Fault;
use kit::rpc::client::was_not_sent;
use tonic::{Request, Response, Status};

use super::limit::CallLimit;

/// Makes a call that changes something: once, since nobody knows what became of it when no answer comes.
pub(super) async fn write<Q, A, F>(
    limit: &CallLimit,
    deadline: Duration,
    request: Q,
    call: impl FnOnce(Request<Q>) -> F,
) -> Result<A, Fault>
where
    F: Future<Output = Result<Response<A>, Status>>,
{
    let _permit = limit.acquire().await?;
    let mut request = Request::new(request);
    request.set_timeout(deadline);
    let response = call(request).await;
    limit.ended(&response);
    match response {
        Ok(answer) => Ok(answer.into_inner()),
        Err(status) if is_unanswered(&status) => Err(Fault::outcome_unknown(status.message())),
        Err(status) => Err(status.into()),
    }
}

/// Whether the service was sent the call and has not said what came of it: a fault of its own has details.
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
