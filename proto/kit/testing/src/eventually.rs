//! Polls until a condition holds.

use std::time::Duration;

/// Ends a test that hangs. No test asserts a duration with it.
const GIVE_UP: Duration = Duration::from_mins(3);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Polls `probe` until it returns something, and returns that. `what` says what the test waits for.
///
/// # Panics
/// The condition does not hold in time.
pub async fn eventually<T>(what: &str, probe: impl AsyncFnMut() -> Option<T>) -> T {
    eventually_within(GIVE_UP, what, probe).await
}

/// Like [`eventually`], with another timeout.
///
/// # Panics
/// The timeout passes.
#[expect(clippy::panic, reason = "test support: a test that cannot go on says so and ends")]
pub async fn eventually_within<T>(
    limit: Duration,
    what: &str,
    mut probe: impl AsyncFnMut() -> Option<T>,
) -> T {
    // Tells a probe that hangs from one that finds nothing.
    let mut probes = 0;
    let probing = async {
        loop {
            probes += 1;
            if let Some(found) = probe().await {
                return found;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    let found = tokio::time::timeout(limit, probing).await;
    found.unwrap_or_else(|_| panic!("gave up waiting for this, at probe {probes}: {what}"))
}

/// Polls until the condition holds.
///
/// # Panics
/// The condition does not hold in time.
pub async fn wait_until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    eventually(what, async || holds().await.then_some(())).await;
}
