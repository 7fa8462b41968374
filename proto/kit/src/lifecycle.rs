//! Start, tracked tasks and the two-step shutdown of a process.
//!
//! Step one: servers stop accepting and finish what they have. Step two, when they are done or the drain time is over: background
//! tasks, on which requests may depend, are told to stop. A background task that ends by itself ends the process: better restarted
//! than half alive.

use std::future::Future;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use tokio::runtime;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

/// Spawns and stops everything that runs in a process. Clones share one lifecycle.
#[derive(Clone, Debug)]
pub struct Lifecycle {
    draining: CancellationToken,
    stopping: CancellationToken,
    ended: CancellationToken,
    servers: TaskTracker,
    tasks: TaskTracker,
    died: mpsc::UnboundedSender<anyhow::Error>,
    /// Cancels `ended` when the last clone is dropped.
    _end: Arc<DropGuard>,
}

/// The other end of a [`Lifecycle`]: waits for the reason to stop, and stops.
#[derive(Debug)]
pub struct Supervisor {
    lifecycle: Lifecycle,
    died: mpsc::UnboundedReceiver<anyhow::Error>,
}

impl Lifecycle {
    /// A lifecycle and its supervisor.
    pub fn new() -> (Self, Supervisor) {
        let (died, receiver) = mpsc::unbounded_channel();
        let ended = CancellationToken::new();
        let lifecycle = Self {
            draining: CancellationToken::new(),
            stopping: CancellationToken::new(),
            servers: TaskTracker::new(),
            tasks: TaskTracker::new(),
            died,
            _end: Arc::new(ended.clone().drop_guard()),
            ended,
        };
        let supervisor = Supervisor {
            lifecycle: lifecycle.clone(),
            died: receiver,
        };
        (lifecycle, supervisor)
    }

    /// Cancelled at step one: stop accepting, finish what is under way.
    pub fn draining(&self) -> CancellationToken {
        self.draining.clone()
    }

    /// Cancelled at step two: stop background work.
    pub fn stopping(&self) -> CancellationToken {
        self.stopping.clone()
    }

    /// Cancelled when every clone of the lifecycle is dropped: the tasks that hold one have ended, and so has the supervisor.
    pub fn ended(&self) -> CancellationToken {
        self.ended.clone()
    }

    /// Spawns a server. It ends by itself once [`Lifecycle::draining`] is cancelled; ending before that ends the process.
    pub fn serve(
        &self,
        name: &'static str,
        server: impl Future<Output = anyhow::Result<()>> + Send + 'static,
    ) {
        let guarded = self.guarded(name, self.draining.clone(), server);
        drop(self.servers.spawn(guarded));
    }

    /// Spawns a background task. It is dropped at its next await once [`Lifecycle::stopping`] is cancelled; ending before that
    /// ends the process.
    pub fn background(
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

    /// Spawns a background task that sees to its own end when [`Lifecycle::stopping`] is cancelled, because work in hand must be
    /// finished.
    pub fn finishing(
        &self,
        name: &'static str,
        task: impl Future<Output = anyhow::Result<()>> + Send + 'static,
    ) {
        let guarded = self.guarded(name, self.stopping.clone(), task);
        drop(self.tasks.spawn(guarded));
    }

    /// The same on a thread of its own, where it does not wait for its turn among requests.
    pub fn finishing_apart(
        &self,
        name: &'static str,
        task: impl Future<Output = anyhow::Result<()>> + Send + 'static,
    ) {
        self.finishing(name, async move {
            let runtime = runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .context("no runtime for a thread")?;
            let (end, ended) = oneshot::channel();
            thread::Builder::new()
                .name(name.to_owned())
                // Nobody waits for it when the process is cut off.
                .spawn(move || drop(end.send(runtime.block_on(task))))
                .context("no thread")?;
            ended.await.context("it panicked")?
        });
    }

    /// Spawns something that may end whenever it is done; shutdown waits for it.
    pub fn detached(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.tasks.spawn(task));
    }

    fn guarded(
        &self,
        name: &'static str,
        may_end: CancellationToken,
        task: impl Future<Output = anyhow::Result<()>> + Send + 'static,
    ) -> impl Future<Output = ()> + Send + 'static {
        let guard = DeathGuard {
            name,
            may_end,
            died: self.died.clone(),
            outcome: None,
        };
        async move {
            let mut guard = guard;
            guard.outcome = Some(task.await);
        }
    }
}

/// Reports the end of a task however it comes, by return or by panic.
struct DeathGuard {
    name: &'static str,
    may_end: CancellationToken,
    died: mpsc::UnboundedSender<anyhow::Error>,
    outcome: Option<anyhow::Result<()>>,
}

impl Drop for DeathGuard {
    fn drop(&mut self) {
        let reason = match self.outcome.take() {
            Some(Ok(())) if self.may_end.is_cancelled() => return,
            Some(Ok(())) => anyhow::anyhow!("{} ended", self.name),
            Some(Err(error)) => error.context(format!("{} failed", self.name)),
            None => anyhow::anyhow!("{} panicked", self.name),
        };
        // Nobody listens once the process is on its way out.
        drop(self.died.send(reason));
    }
}

impl Supervisor {
    /// Waits for a signal or the death of a task, then stops in two steps. A second signal cuts the drain short.
    pub async fn run(mut self, drain: Duration) -> anyhow::Result<()> {
        let outcome = tokio::select! {
            signal = signal() => signal.map(|name| tracing::info!(signal = name, "stopping")),
            reason = self.died.recv() => match reason {
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
            () = tokio::time::sleep(drain) => tracing::warn!("the drain time is over; calls under way are cut off"),
            _ = signal() => tracing::warn!("a second signal; calls under way are cut off"),
        }
        stopping.cancel();
        tasks.close();
        tokio::select! {
            () = tasks.wait() => {}
            () = tokio::time::sleep(drain) => tracing::warn!("background work did not end in time"),
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
    async fn a_dead_task_ends_the_process_and_others_are_stopped() {
        let (lifecycle, supervisor) = Lifecycle::new();
        lifecycle.background("sleeper", std::future::pending());
        lifecycle.background("flusher", async { anyhow::bail!("disk on fire") });
        let error = supervisor.run(Duration::from_secs(5)).await.unwrap_err();
        assert_eq!(format!("{error:#}"), "flusher failed: disk on fire");
    }

    #[tokio::test]
    async fn a_panic_in_a_task_ends_the_process() {
        let (lifecycle, supervisor) = Lifecycle::new();
        lifecycle.background("poller", async {
            "not a number".parse::<u8>().unwrap();
            Ok(())
        });
        let error = supervisor.run(Duration::from_secs(5)).await.unwrap_err();
        assert_eq!(error.to_string(), "poller panicked");
    }

    #[tokio::test]
    async fn it_has_ended_when_nobody_holds_it_any_more() {
        let (lifecycle, supervisor) = Lifecycle::new();
        let (ended, clone) = (lifecycle.ended(), lifecycle.clone());
        lifecycle.background("trigger", async { anyhow::bail!("time to go") });
        drop(lifecycle);
        supervisor.run(Duration::from_secs(5)).await.unwrap_err();
        assert!(!ended.is_cancelled());
        drop(clone);
        assert!(ended.is_cancelled());
    }

    #[tokio::test]
    async fn background_work_outlives_the_servers() {
        let (lifecycle, supervisor) = Lifecycle::new();
        let (draining, stopping) = (lifecycle.draining(), lifecycle.stopping());
        lifecycle.serve("server", async move {
            draining.cancelled().await;
            anyhow::ensure!(!stopping.is_cancelled(), "background was stopped first");
            Ok(())
        });
        lifecycle.background("trigger", async { anyhow::bail!("time to go") });
        let error = supervisor.run(Duration::from_secs(5)).await.unwrap_err();
        assert_eq!(format!("{error:#}"), "trigger failed: time to go");
    }
}
