//! The breaker of a connection: when it opens, and how it closes again.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::timeout;

use super::Shared;
use super::link::Link;

/// Failures in a row that open the breaker.
const FAILURES: u32 = 3;
/// Time between two looks whether Redis is back, and how long a look may take to connect.
const PERIOD: Duration = Duration::from_millis(100);
const CONNECT: Duration = Duration::from_secs(1);

/// Counts a failed call, unless it is `alone`, and opens the breaker after so many. The connection is given up then: one that is dead
/// without being closed would be waited for forever. A `lost` one is given up at once.
pub(super) fn count(shared: &Arc<Shared>, link: Option<&Arc<Link>>, lost: bool, alone: bool) {
    if let Some(link) = link {
        let current = shared.link.load();
        let same = current.as_ref().is_some_and(|it| Arc::ptr_eq(it, link));
        if current.is_some() && !same {
            // A call over a connection that was given up says nothing of the new one.
            return;
        }
        if same && lost {
            // The next call makes another.
            shared.link.compare_and_swap(&current, None);
        }
    }
    if alone {
        return;
    }
    let failures = shared.failures.fetch_add(1, Ordering::Relaxed);
    if failures.saturating_add(1) < FAILURES || shared.open.swap(true, Ordering::AcqRel) {
        return;
    }
    shared.link.store(None);
    metrics::counter!("redis_breaker_opened_total").increment(1);
    let looking = Looking::new(shared);
    #[expect(
        clippy::disallowed_methods,
        reason = "it holds nothing that must be finished, and ends with its connection or its runtime"
    )]
    drop(tokio::spawn(looking.until_it_is_back()));
}

/// The one task that looks whether Redis is back. The breaker closes when it ends, however it ends.
struct Looking(Weak<Shared>);

impl Looking {
    fn new(shared: &Arc<Shared>) -> Self {
        metrics::gauge!("redis_breakers_open").increment(1.0);
        Self(Arc::downgrade(shared))
    }

    async fn until_it_is_back(self) {
        while let Some(shared) = self.0.upgrade() {
            if let Some(link) = look(&shared).await {
                shared.link.store(Some(Arc::new(link)));
                return;
            }
            drop(shared);
            tokio::time::sleep(PERIOD).await;
        }
    }
}

/// A new connection, on which Redis answers as soon as calls want it to.
async fn look(shared: &Shared) -> Option<Link> {
    let link = timeout(CONNECT, Link::open(&shared.address)).await.ok()?;
    let link = link.ok()?;
    timeout(shared.patience, link.ping()).await.ok()?.ok()?;
    Some(link)
}

impl Drop for Looking {
    fn drop(&mut self) {
        metrics::gauge!("redis_breakers_open").decrement(1.0);
        if let Some(shared) = self.0.upgrade() {
            shared.failures.store(0, Ordering::Relaxed);
            shared.open.store(false, Ordering::Release);
        }
    }
}
