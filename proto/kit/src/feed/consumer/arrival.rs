//! Waits for what a feed is about to bring.

use std::time::Duration;

use tokio::time::{Instant, sleep};

/// How long a lookup is repeated.
const LIMIT: Duration = Duration::from_secs(3);
/// The interval between lookups.
const INTERVAL: Duration = Duration::from_millis(50);

/// Looks an item up that arrives on a feed, such as the account of a new endpoint.
///
/// A caller may name an item as soon as its own service has committed it, a moment before the feed brings it here; so a missing item is
/// looked up again. `None` when it has not arrived after 3 s.
///
/// `find` must hold no connection and no lock while it is not running.
///
/// # Errors
/// The error of `find`.
pub async fn arrival<T, E, F>(mut find: impl FnMut() -> F) -> Result<Option<T>, E>
where
    F: Future<Output = Result<Option<T>, E>>,
{
    let deadline = Instant::now() + LIMIT;
    loop {
        let found = find().await?;
        if found.is_some() || Instant::now() >= deadline {
            return Ok(found);
        }
        sleep(INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_missing_item_is_looked_up_again_for_a_while() {
        let lookups = Cell::new(0);
        let third = arrival(|| {
            lookups.set(lookups.get() + 1);
            let found = (lookups.get() == 3).then_some("here");
            async move { Ok::<_, ()>(found) }
        });
        assert_eq!(third.await, Ok(Some("here")));
        let never = arrival(|| async { Ok::<Option<()>, ()>(None) });
        assert_eq!(never.await, Ok(None));
        let broken = arrival(|| async { Err::<Option<()>, _>("broken") });
        assert_eq!(broken.await, Err("broken"));
    }
}
