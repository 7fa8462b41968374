//! Whether a call can still go to another replica. A replica that lags then refuses it, and otherwise answers as well as it can.

use std::future::Future;

use http::HeaderMap;
use http::header::{HeaderName, HeaderValue};

tokio::task_local! {
    static CAN_FAIL_OVER: bool;
}

/// The metadata key of calls that can still go to another replica.
const HEADER: HeaderName = HeaderName::from_static("x-can-fail-over");

/// Says that a call can.
pub(super) fn add_header(headers: &mut HeaderMap) {
    headers.insert(HEADER, HeaderValue::from_static("1"));
}

/// Whether a call says that it can.
pub(super) fn has_header(headers: &HeaderMap) -> bool {
    headers.contains_key(HEADER)
}

/// Answers a call that can go to another replica, or that cannot.
pub async fn scope<F: Future>(can_fail_over: bool, call: F) -> F::Output {
    CAN_FAIL_OVER.scope(can_fail_over, call).await
}

/// Whether the call that the current task answers can still go to another replica.
pub fn can_fail_over() -> bool {
    CAN_FAIL_OVER.try_with(|it| *it).unwrap_or(false)
}
