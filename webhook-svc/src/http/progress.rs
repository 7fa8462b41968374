//! How far a request has come, so that the reason of one that times out is true.
//!
//! The client calls the resolver, and opens a connection, in the task of the request that needs one.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::timeout;

tokio::task_local! {
    static PROGRESS: Progress;
}

struct Progress {
    limit: Duration,
    is_connecting: Cell<bool>,
}

/// A request that took too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimedOut {
    /// Whether a connection was being opened for the request. It may have got another one, which has become idle.
    pub(super) was_connecting: bool,
}

/// Waits for a request for `limit`.
pub(super) async fn within<F: Future>(limit: Duration, request: F) -> Result<F::Output, TimedOut> {
    let progress = Progress {
        limit,
        is_connecting: Cell::new(false),
    };
    let waiting = async {
        timeout(limit, request).await.map_err(|_elapsed| TimedOut {
            was_connecting: PROGRESS.with(|it| it.is_connecting.get()),
        })
    };
    PROGRESS.scope(progress, waiting).await
}

/// The current request begins to open a connection. Returns its limit.
pub(super) fn connecting() -> Option<Duration> {
    let connecting = PROGRESS.try_with(|it| {
        it.is_connecting.set(true);
        it.limit
    });
    connecting.ok()
}

/// The current request has a connection. There is no current request when it has got another connection first.
pub(super) fn connected<T>(connection: T) -> T {
    PROGRESS.try_with(|it| it.is_connecting.set(false)).ok();
    connection
}
