//! Calls without effects.

use std::time::Duration;

use kit::Fault;
use kit::rpc::client::Idempotent;
use tonic::{Request, Response, Status};

use super::limit::CallLimit;

/// Makes a call without effects: `method` of the client `service`. It may be retried at another replica until `deadline`.
pub(super) async fn read<S, Q, A>(
    limit: &CallLimit,
    deadline: Duration,
    mut service: S,
    method: impl AsyncFnOnce(&mut S, Request<Q>) -> Result<Response<A>, Status>,
    request: Q,
) -> Result<A, Fault> {
    let _permit = limit.acquire().await?;
    let request = Idempotent::Unary.request(request, deadline);
    let response = method(&mut service, request).await;
    limit.record(&response);
    Ok(response?.into_inner())
}
