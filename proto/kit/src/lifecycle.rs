//! The tasks of a process and its shutdown in two steps.
//!
//! Step one: servers stop accepting and finish their calls. Step two, when they have ended or the drain time is over: background tasks
//! stop, on which calls may depend. A background task that ends by itself ends the process, so that a supervisor can restart it.

use std::future::Future;
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use tokio::runtime;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Spawns and stops everything that runs in a process. Clones share one lifecycle.
#[derive(Clone, Debug)]
pub struct Lifecycle {
    draining: CancellationToken,
    stopping: CancellationToken,
    servers: TaskTracker,
    tasks: TaskTracker,
    failures: mpsc::UnboundedSender<anyhow::Error>,
}

/// The other half of a [`Lifecycle`]: waits for a reason to stop, then stops the tasks.
#[derive(Debug)]
pub struct Supervisor {
    lifecycle: Lifecycle,
    failures: mpsc::UnboundedReceiver<anyhow::Error>,
}

impl Lifecycle {
    /// A lifecycle and its supervisor.
    pub fn new() -> (Self, Supervisor) {
        let (failures, receiver) = mpsc::unbounded_channel();
        let lifecycle = Self {
            draining: CancellationToken::new(),
            stopping: CancellationToken::new(),
            servers: TaskTracker::new(),
            tasks: TaskTracker::new(),
            failures,
        };
        let supervisor = Supervisor {
            lifecycle: lifecycle.clone(),
            failures: receiver,
        };
        (lifecycle, supervisor)
    }

    /// Cancelled at step one: servers stop accepting and finish their calls.
    pub fn draining(&self) -> CancellationToken {
        self.draining.clone()
    }

    /// Cancelled at step two: background tasks stop.
    pub fn stopping(&self) -> CancellationToken {
        self.stopping.clone()
    }

    /// Spawns a server. It must end once [`Lifecycle::draining`] is cancelled. If it ends before that, the process stops.
    pub fn spawn_server(
        &self,
        name: &'static str,
        server: impl Future<Output = anyhow::Result<()>> + Send + 'static,
    ) {
        let guarded = self.guarded(name, self.draining.clone(), server);
        drop(self.servers.spawn(guarded));
    }

    /// Spawns a background task. It is dropped at an await point once [`Lifecycle::stopping`] is cancelled. If it ends before that, the
    /// process stops.
    pub fn spawn_background(
        &self,
        name: &'static str,
        task: impl Future<Output = anyhow::Result<()>> + Send + 'static,
    ) {
        let stopping = self.stopping.clone();
        let task = async move {
            tokio::select! {
                () = stopping.cancelled() => Ok(()),
                ended = task => ended,
            }
        };
        let guarded = self.guarded(name, self.stopping.clone(), task);
        drop(self.tasks.spawn(guarded));
    }

    /// Spawns a background task that is not dropped at shutdown: it finishes its work and returns once [`Lifecycle::stopping`] is
    /// cancelled.
    pub fn spawn_graceful(
        &self,
        name: &'static str,
        task: impl Future<Output = anyhow::Result<()>> + Send + 'static,
    ) {
        let guarded = self.guarded(name, self.stopping.clone(), task);
        drop(self.tasks.spawn(guarded));
    }

    /// Like [`spawn_graceful`](Self::spawn_graceful), on a thread of its own, where the task does not queue behind requests.
    pub fn spawn_graceful_thread(
        &self,
        name: &'static str,
        task: impl Future<Output = anyhow::Result<()>> + Send + 'static,
    ) {
        self.spawn_graceful(name, async move {
            let runtime = runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .context("cannot create a runtime")?;
            let (send_result, result) = oneshot::channel();
            thread::Builder::new()
                .name(name.to_owned())
                // The receiver is gone when the drain time is over.
                .spawn(move || drop(send_result.send(runtime.block_on(task))))
                .context("cannot start a thread")?;
            result.await.context("the thread panicked")?
        });
    }

    /// Spawns a task that may end at any time. Shutdown waits for it.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.tasks.spawn(task));
    }

    fn guarded(
        &self,
        name: &'static str,
        may_end: CancellationToken,
        task: impl Future<Output = anyhow::Result<()>> + Send + 'static,
    ) -> impl Future<Output = ()> + Send + 'static {
        let guard = ExitGuard {
            name,
            may_end,
            failures: self.failures.clone(),
            outcome: None,
        };
        async move {
            let mut guard = guard;
            guard.outcome = Some(task.await);
        }
    }
}

/// Reports the end of a task, by return or by panic.
struct ExitGuard {
    name: &'static str,
    may_end: CancellationToken,
    failures: mpsc::UnboundedSender<anyhow::Error>,
    outcome: Option<anyhow::Result<()>>,
}

impl Drop for ExitGuard {
    fn drop(&mut self) {
        let reason = match self.outcome.take() {
            Some(Ok(())) if self.may_end.is_cancelled() => return,
            Some(Ok(())) => anyhow::anyhow!("{} ended", self.name),
            Some(Err(error)) => error.context(format!("{} failed", self.name)),
            None => anyhow::anyhow!("{} panicked", self.name),
        };
        // The receiver is gone during shutdown.
        drop(self.failures.send(reason));
    }
}

impl Supervisor {
    /// Waits for a signal or the unexpected end of a task, then stops in two steps. A second signal ends the drain.
    pub async fn run(mut self, drain: Duration) -> anyhow::Result<()> {
        let outcome = tokio::select! {
            signal = signal() => signal.map(|name| tracing::info!(signal = name, "stopping")),
            reason = self.failures.recv() => match reason {
                Some(error) => Err(error),
                None => Ok(()),
            },
        };
        let Lifecycle {
            draining,
            stopping,
            servers,
            tasks,
            ..
        } = self.lifecycle;

        draining.cancel();
        servers.close();
        tokio::select! {
            () = servers.wait() => {}
            () = tokio::time::sleep(drain) => tracing::warn!("the drain time is over; dropping the calls that still run"),
            _ = signal() => tracing::warn!("received a second signal; dropping the calls that still run"),
        }
        stopping.cancel();
        tasks.close();
        tokio::select! {
            () = tasks.wait() => {}
            () = tokio::time::sleep(drain) => tracing::warn!("background tasks did not end in time"),
        }
        outcome
    }
}

async fn signal() -> anyhow::Result<&'static str> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(tokio::select! {
        _ = terminate.recv() => "SIGTERM",
        _ = interrupt.recv() => "SIGINT",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_task_that_fails_stops_the_process() {
        let (lifecycle, supervisor) = Lifecycle::new();
        lifecycle.spawn_background("sleeper", std::future::pending());
        lifecycle.spawn_background("flusher", async { anyhow::bail!("disk on fire") });
        let error = supervisor.run(Duration::from_secs(5)).await.unwrap_err();
        assert_eq!(format!("{error:#}"), "flusher failed: disk on fire");
    }

    #[tokio::test]
    async fn a_task_that_panics_stops_the_process() {
        let (lifecycle, supervisor) = Lifecycle::new();
        lifecycle.spawn_background("poller", async {
            "not a number".parse::<u8>().unwrap();
            Ok(())
        });
        let error = supervisor.run(Duration::from_secs(5)).await.unwrap_err();
        assert_eq!(error.to_string(), "poller panicked");
    }

    #[tokio::test]
    async fn background_work_outlives_the_servers() {
        let (lifecycle, supervisor) = Lifecycle::new();
        let (draining, stopping) = (lifecycle.draining(), lifecycle.stopping());
        lifecycle.spawn_server("server", async move {
            draining.cancelled().await;
            anyhow::ensure!(!stopping.is_cancelled(), "background was stopped first");
            Ok(())
        });
        lifecycle.spawn_background("trigger", async { anyhow::bail!("time to go") });
        let error = supervisor.run(Duration::from_secs(5)).await.unwrap_err();
        assert_eq!(format!("{error:#}"), "trigger failed: time to go");
    }
}
