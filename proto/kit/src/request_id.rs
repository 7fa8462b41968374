//! The id of the request that a task serves, for log lines and for calls to other services.

use std::future::Future;

tokio::task_local! {
    pub(crate) static REQUEST_ID: String;
}

/// The HTTP header and gRPC metadata key of the request id.
pub const REQUEST_ID_HEADER: &str = "x-request-id";

/// Runs `work` as part of the request `id`: its log lines and its calls to other services carry the id.
pub async fn scope<F: Future>(id: String, work: F) -> F::Output {
    REQUEST_ID.scope(id, work).await
}
