//! A panic becomes a fault of ours, in the envelope like any other.

use std::future::Future;
use std::panic::AssertUnwindSafe;

use axum::response::{IntoResponse as _, Response};
use futures::FutureExt as _;

use crate::envelope;
use crate::errors::Refusal;

/// Runs `work`; if it panics, the answer is `internal`. The panic itself is in the log by the process's panic hook.
pub async fn caught(work: impl Future<Output = Response>) -> Response {
    AssertUnwindSafe(work)
        .catch_unwind()
        .await
        .unwrap_or_else(|_| {
            tracing::error!("the call panicked");
            Refusal::from(envelope::internal()).into_response()
        })
}
