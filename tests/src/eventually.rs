//! Waiting for what comes by itself.

use std::time::Duration;

/// How long a test waits before it gives up. It bounds a hung test; it measures nothing.
const GIVE_UP: Duration = Duration::from_mins(3);
const LOOK: Duration = Duration::from_millis(20);

/// Looks again and again until `look` finds something, and returns it.
///
/// # Panics
/// When it gives up.
pub async fn eventually<T>(what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
    eventually_within(GIVE_UP, what, look).await
}

/// The same, with a patience of its own.
///
/// # Panics
/// When it gives up.
pub async fn eventually_within<T>(
    give_up: Duration,
    what: &str,
    mut look: impl AsyncFnMut() -> Option<T>,
) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(LOOK).await;
        }
    };
    let found = tokio::time::timeout(give_up, looking).await;
    found.unwrap_or_else(|_| panic!("gave up waiting for this: {what}"))
}
