//! Waiting for what comes by itself.

use std::time::Duration;

/// How long a test waits before it gives up. It bounds a hung test; it measures nothing.
const GIVE_UP: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(20);

/// Looks again and again until `look` finds something, and returns it.
///
/// # Panics
/// When it gives up.
pub async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(LOOK).await;
        }
    };
    let found = tokio::time::timeout(GIVE_UP, looking).await;
    found.unwrap_or_else(|_| panic!("gave up waiting for this: {what}"))
}
