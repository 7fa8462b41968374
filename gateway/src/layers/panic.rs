//! Turns a panic into an `internal` error with an envelope.

use std::future::Future;
use std::panic::AssertUnwindSafe;

use axum::response::{IntoResponse as _, Response};
use futures::FutureExt as _;

use crate::envelope;
use crate::errors::ApiError;

/// Runs `work`. If it panics, the response is `internal`; the process's panic hook logs the panic.
pub async fn caught(work: impl Future<Output = Response>) -> Response {
    AssertUnwindSafe(work)
        .catch_unwind()
        .await
        .unwrap_or_else(|_| {
            tracing::error!("the call panicked");
            ApiError::from(envelope::internal()).into_response()
        })
}
