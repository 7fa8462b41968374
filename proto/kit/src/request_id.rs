//! The id of the request that a task works for: in log lines, and in the calls that the task makes of other services.

use std::future::Future;

tokio::task_local! {
    pub(crate) static REQUEST_ID: String;
}

/// Metadata key and HTTP header of the request id.
pub const REQUEST_ID_HEADER: &str = "x-request-id";

/// Runs `work` as part of the request `id`: its log lines name it and its calls carry it.
pub async fn scope<F: Future>(id: String, work: F) -> F::Output {
    REQUEST_ID.scope(id, work).await
}
