//! Whether a call is a retry. A replica that lags refuses the first attempt of a call, which then goes to another replica, and answers a
//! retry as well as it can.
//!
//! The handler asks in its own task, before it spawns any work: a spawned task is not the call.

use std::future::Future;

use http::HeaderMap;
use http::header::{HeaderName, HeaderValue};

tokio::task_local! {
    static IS_RETRY: bool;
}

/// The header with the number of earlier attempts (gRPC proposal A6).
const HEADER: HeaderName = HeaderName::from_static("grpc-previous-rpc-attempts");

/// Says that a call is a retry.
pub(super) fn add_header(headers: &mut HeaderMap) {
    headers.insert(HEADER, HeaderValue::from_static("1"));
}

/// Whether a call says that it is a retry.
pub(super) fn has_header(headers: &HeaderMap) -> bool {
    headers.contains_key(HEADER)
}

/// Answers a call that is a retry, or that is not.
pub async fn scope<F: Future>(is_retry: bool, call: F) -> F::Output {
    IS_RETRY.scope(is_retry, call).await
}

/// Whether the call that the current task answers is a retry; `false` in a task that the handler has spawned.
pub fn is_current_call() -> bool {
    IS_RETRY.try_with(|it| *it).unwrap_or(false)
}
