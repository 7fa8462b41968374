//! Searches that would block a worker for longer than a few milliseconds.

use std::sync::Arc;
use std::thread::available_parallelism;

use kit::Fault;
use tokio::sync::Semaphore;

/// Runs searches that forgive typos, or read the times of all rows, on threads that may block: each takes up to tens of milliseconds. As many run
/// at once as there are processors; the others wait.
#[derive(Debug)]
pub struct SlowSearches(Arc<Semaphore>);

impl Default for SlowSearches {
    fn default() -> Self {
        let processors = available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new(processors)))
    }
}

impl SlowSearches {
    pub(super) async fn run<T: Send + 'static>(
        &self,
        search: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Fault> {
        let permit = Arc::clone(&self.0).acquire_owned().await;
        let run = move || {
            let found = search();
            // A call that ends early does not end its search.
            drop(permit);
            found
        };
        let found = tokio::task::spawn_blocking(run).await;
        found.map_err(|error| Fault::internal(&error))
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::mpsc;

    use futures::poll;

    use super::*;

    #[tokio::test]
    async fn a_search_waits_for_the_permit_of_an_earlier_one() {
        let searches = SlowSearches(Arc::new(Semaphore::new(1)));
        let (release, held) = mpsc::channel::<()>();
        // Dropping the call does not cancel its search: the search keeps the permit.
        assert!(poll!(pin!(searches.run(move || held.recv()))).is_pending());
        let mut next = pin!(searches.run(|| ()));
        assert!(poll!(&mut next).is_pending());
        assert_eq!(searches.0.available_permits(), 0);
        drop(release);
        next.await.unwrap();
    }
}
