//! Runs changes in spawned tasks, which a disconnecting client does not cancel.

use std::future::Future;
use std::panic::resume_unwind;

use kit::Lifecycle;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

/// Runs changes of several steps to completion.
///
/// hyper drops the future of a request when its client disconnects. Without a spawned task, a key could be revoked without its tombstone, or
/// half of a change of several steps be made.
#[derive(Clone, Debug)]
pub struct ChangeTasks {
    tasks: TaskTracker,
}

impl ChangeTasks {
    /// Shutdown waits for the changes.
    pub fn start(lifecycle: &Lifecycle) -> Self {
        let tasks = TaskTracker::new();
        let (tracker, stopping) = (tasks.clone(), lifecycle.stopping());
        lifecycle.spawn_graceful("changes", async move {
            stopping.cancelled().await;
            tracker.close();
            tracker.wait().await;
            Ok(())
        });
        Self { tasks }
    }

    /// Makes a change in a task of its own, for which nobody waits but shutdown.
    pub fn spawn(&self, change: impl Future<Output = ()> + Send + 'static) {
        drop(self.tasks.spawn(change.in_current_span()));
    }

    /// Makes a change in a task of its own, and returns its result.
    pub async fn run<T: Send + 'static>(
        &self,
        change: impl Future<Output = T> + Send + 'static,
    ) -> T {
        let task = self.tasks.spawn(change.in_current_span());
        match task.await {
            Ok(result) => result,
            Err(ended) => match ended.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The runtime of the process has ended, and this call ends with it.
                Err(_cancelled) => std::future::pending().await,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn a_change_goes_on_when_its_caller_is_gone() {
        let (lifecycle, _supervisor) = Lifecycle::new();
        let changes = ChangeTasks::start(&lifecycle);
        assert_eq!(changes.run(async { 7 }).await, 7);
        let (allow, allowed) = oneshot::channel::<()>();
        let (report, reported) = oneshot::channel();
        let call = changes.run(async move {
            allowed.await.unwrap();
            report.send("done").unwrap();
        });
        // Polled once, and dropped.
        assert_eq!(call.now_or_never(), None);
        allow.send(()).unwrap();
        assert_eq!(reported.await, Ok("done"));
        lifecycle.stopping().cancel();
    }
}
