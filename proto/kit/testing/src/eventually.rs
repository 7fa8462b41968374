//! Waiting for what comes by itself.

use std::time::Duration;

/// How long a test waits before it gives up. It ends a test that hangs; it measures nothing.
const GIVE_UP: Duration = Duration::from_mins(3);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Probes until something is found, and returns it. `what` says what the test waits for.
///
/// # Panics
/// When it gives up.
pub async fn eventually<T>(what: &str, probe: impl AsyncFnMut() -> Option<T>) -> T {
    eventually_within(GIVE_UP, what, probe).await
}

/// Like [`eventually`], with a limit of the test.
///
/// # Panics
/// When it gives up.
#[expect(
    clippy::panic,
    reason = "test support: a test that cannot go on says so and ends"
)]
pub async fn eventually_within<T>(
    limit: Duration,
    what: &str,
    mut probe: impl AsyncFnMut() -> Option<T>,
) -> T {
    let probing = async {
        loop {
            if let Some(found) = probe().await {
                return found;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    let found = tokio::time::timeout(limit, probing).await;
    found.unwrap_or_else(|_| panic!("gave up waiting for this: {what}"))
}

/// Waits until the condition holds.
///
/// # Panics
/// When it gives up.
pub async fn wait_until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    eventually(what, async || holds().await.then_some(())).await;
}
