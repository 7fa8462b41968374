//! The tasks of a process and its shutdown in three steps.
//!
//! Step one, after a signal: the process is not ready, and goes on accepting until every balancer and client has learned that. Step two:
//! servers stop accepting and finish their calls, and the leader releases its lease. Step three, when the servers have ended or the drain
//! time is over: background tasks stop, on which calls may depend. Each further signal begins the next step at once.
//!
//! A background task that ends by itself ends the process, so that a supervisor can restart it; such a shutdown begins with step two.

use std::future::Future;
use std::time::Duration;

use anyhow::Context as _;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Spawns and stops everything that runs in a process. Clones share one lifecycle.
#[derive(Clone, Debug)]
pub struct Lifecycle {
    terminating: CancellationToken,
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

/// How long the steps of a shutdown last.
#[derive(Clone, Copy, Debug)]
pub struct Shutdown {
    /// How long the process accepts after the signal, although it is not ready.
    pub delay: Duration,
    /// How long running calls have left, and then background tasks.
    pub drain: Duration,
}

/// SIGTERM and SIGINT, which do not end the process by themselves once they are caught.
#[derive(Debug)]
pub struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    /// Catches the signals from now on. The kernel ignores them before that if the process has the number 1.
    pub fn catch() -> anyhow::Result<Self> {
        let catch = |kind| signal(kind).context("cannot catch signals");
        Ok(Self {
            terminate: catch(SignalKind::terminate())?,
            interrupt: catch(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next signal; returns its name.
    pub async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

impl Lifecycle {
    /// A lifecycle and its supervisor.
    pub fn new() -> (Self, Supervisor) {
        let (failures, receiver) = mpsc::unbounded_channel();
        let stopping = CancellationToken::new();
        // Each step includes those before it.
        let draining = stopping.child_token();
        let lifecycle = Self {
            terminating: draining.child_token(),
            draining,
            stopping,
            servers: TaskTracker::new(),
            tasks: TaskTracker::new(),
            failures,
        };
        let supervisor = Supervisor { lifecycle: lifecycle.clone(), failures: receiver };
        (lifecycle, supervisor)
    }

    /// Cancelled at step one: the process is not ready, and goes on accepting.
    pub fn terminating(&self) -> CancellationToken {
        self.terminating.clone()
    }

    /// Cancelled at step two: servers stop accepting and finish their calls.
    pub fn draining(&self) -> CancellationToken {
        self.draining.clone()
    }

    /// Cancelled at step three: background tasks stop.
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
        self.spawn_graceful(name, task);
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
        let guard = ExitGuard { name, may_end, failures: self.failures.clone(), outcome: None };
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
    /// Waits for a signal or the unexpected end of a task, then stops the process.
    pub async fn run(mut self, mut signals: StopSignals, shutdown: Shutdown) -> anyhow::Result<()> {
        let mut failure = tokio::select! {
            signal = signals.next() => {
                tracing::info!(signal, "stopping");
                None
            }
            failure = self.failures.recv() => failure,
        };
        if failure.is_none() {
            self.lifecycle.terminating.cancel();
            tokio::select! {
                () = tokio::time::sleep(shutdown.delay) => {}
                signal = signals.next() => tracing::warn!(signal, "stops accepting before the delay is over"),
                ended = self.failures.recv() => failure = ended,
            }
        }
        self.stop(&mut signals, shutdown.drain).await;
        failure.map_or(Ok(()), Err)
    }

    /// Stops the servers, then the background tasks.
    pub async fn stop(self, signals: &mut StopSignals, drain: Duration) {
        let Lifecycle { draining, stopping, servers, tasks, .. } = self.lifecycle;

        draining.cancel();
        servers.close();
        tokio::select! {
            () = servers.wait() => {}
            () = tokio::time::sleep(drain) => tracing::warn!("the drain time is over; dropping the calls that still run"),
            signal = signals.next() => tracing::warn!(signal, "dropping the calls that still run"),
        }
        stopping.cancel();
        tasks.close();
        tokio::select! {
            () = tasks.wait() => {}
            () = tokio::time::sleep(drain) => tracing::warn!("background tasks did not end in time"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn run(supervisor: Supervisor) -> anyhow::Result<()> {
        let shutdown = Shutdown {
            // Longer than the test: a failed task ends the process without this delay.
            delay: Duration::from_hours(1),
            drain: Duration::from_secs(5),
        };
        supervisor.run(StopSignals::catch()?, shutdown).await
    }

    #[tokio::test]
    async fn a_task_that_fails_stops_the_process() {
        let (lifecycle, supervisor) = Lifecycle::new();
        lifecycle.spawn_background("sleeper", std::future::pending());
        lifecycle.spawn_background("flusher", async { anyhow::bail!("disk on fire") });
        let error = run(supervisor).await.unwrap_err();
        assert_eq!(format!("{error:#}"), "flusher failed: disk on fire");
    }

    #[tokio::test]
    async fn a_task_that_panics_stops_the_process() {
        let (lifecycle, supervisor) = Lifecycle::new();
        lifecycle.spawn_background("poller", async {
            "not a number".parse::<u8>().unwrap();
            Ok(())
        });
        let error = run(supervisor).await.unwrap_err();
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
        let error = run(supervisor).await.unwrap_err();
        assert_eq!(format!("{error:#}"), "trigger failed: time to go");
    }
}
