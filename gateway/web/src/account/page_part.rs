//! A part of the start page of an account, which comes from one service.

use std::time::Duration;

use kit::Fault;
use tokio::time::timeout;

/// How long the page waits for a part.
const WAIT: Duration = Duration::from_secs(5);

/// A part of the page; `None` if its service does not answer in time.
pub(super) async fn part<T>(load: impl Future<Output = Result<T, Fault>>) -> Option<T> {
    match timeout(WAIT, load).await {
        Ok(Ok(part)) => Some(part),
        Ok(Err(fault)) => {
            tracing::warn!(%fault, "a start page lacks a part");
            None
        }
        Err(_elapsed) => None,
    }
}
