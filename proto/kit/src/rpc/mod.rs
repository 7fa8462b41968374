//! gRPC between the services: every server's layers and every client's channel, made once.

pub mod client;
mod identity;
mod incoming;
pub mod server;
pub mod staff;

pub use identity::Gate;

use std::future::Future;

tokio::task_local! {
    pub(crate) static REQUEST_ID: String;
}

/// Metadata key and HTTP header of the request id.
pub const REQUEST_ID_HEADER: &str = "x-request-id";

/// Runs `work` as part of the request `id`: outgoing calls carry it.
pub async fn with_request_id<F: Future>(id: String, work: F) -> F::Output {
    REQUEST_ID.scope(id, work).await
}
