//! Thread per core: one worker thread with a single-threaded runtime for each core, and an acceptor that assigns connections to them.
//!
//! The tasks of a connection stay on its worker. No task moves to another core, and workers share only what they are given to share.

use std::future::Future;
use std::net::TcpStream;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use futures::future::try_join_all;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Pause after an accept that failed.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(20);

/// Shorter than any deadline that a call sets.
const TICK: Duration = Duration::from_millis(25);

/// The worker threads.
#[derive(Debug)]
pub struct Workers<T> {
    workers: Vec<Worker<T>>,
    results: Vec<oneshot::Receiver<anyhow::Result<()>>>,
}

#[derive(Debug)]
struct Worker<T> {
    sender: mpsc::UnboundedSender<Assigned<T>>,
    load: Arc<AtomicUsize>,
}

/// Receives the items that are assigned to a worker.
pub type Receiver<T> = mpsc::UnboundedReceiver<Assigned<T>>;

/// An item that is assigned to a worker. It counts for the worker's load until it is dropped.
#[derive(Debug)]
pub struct Assigned<T> {
    /// The item.
    pub item: T,
    guard: LoadGuard,
}

impl<T> Assigned<T> {
    /// Separates the item from the guard that counts it.
    pub fn into_parts(self) -> (T, Assigned<()>) {
        let Self { item, guard } = self;
        (item, Assigned { item: (), guard })
    }
}

/// Subtracts one item from a worker's load when dropped.
#[derive(Debug)]
struct LoadGuard(Arc<AtomicUsize>);

impl Drop for LoadGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The number of cores that this process may use.
pub fn available_cores() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Keeps a timer that is always due before any other timer.
///
/// When a task sets a timer that is due before all others, tokio wakes the runtime's own thread with a system call, even if the thread
/// is awake. This timer saves that system call for each deadline of a call.
async fn tick() {
    loop {
        tokio::time::sleep(TICK).await;
    }
}

impl<T: Send + 'static> Workers<T> {
    /// Starts `count` threads called `name`. Each runs `work` until it returns.
    ///
    /// A thread keeps its runtime until `ended`: a pooled connection belongs to the runtime that opened it, and background tasks still
    /// use the pool after the servers have ended.
    ///
    /// # Errors
    /// A thread or its runtime cannot be created.
    pub fn start<F>(
        name: &'static str,
        count: usize,
        ended: &CancellationToken,
        work: impl Fn(Receiver<T>) -> F + Send + Sync + 'static,
    ) -> anyhow::Result<Self>
    where
        F: Future<Output = anyhow::Result<()>>,
    {
        let work = Arc::new(work);
        let (mut workers, mut results) = (Vec::new(), Vec::new());
        for index in 0..count.max(1) {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .context("cannot create the runtime of a worker thread")?;
            let (sender, receiver) = mpsc::unbounded_channel();
            let (send_result, result) = oneshot::channel();
            let (work, ended) = (Arc::clone(&work), ended.clone());
            thread::Builder::new()
                .name(format!("{name}-{index}"))
                .spawn(move || {
                    let ticking = runtime.spawn(tick());
                    let worked = runtime.block_on(work(receiver));
                    ticking.abort();
                    // `work` may hold what `ended` waits for.
                    drop(work);
                    // The receiver is gone when the drain time is over.
                    drop(send_result.send(worked));
                    runtime.block_on(ended.cancelled());
                })
                .context("cannot start a worker thread")?;
            let load = Arc::default();
            workers.push(Worker { sender, load });
            results.push(result);
        }
        Ok(Self { workers, results })
    }

    /// Accepts connections from `listener` until `draining`, and assigns each to a worker; then waits until the workers have served
    /// all of them.
    ///
    /// Acquires a permit before each accept: without one, a new connection waits in the kernel's backlog, where it costs nothing.
    /// `item` combines the connection with its permit.
    ///
    /// # Errors
    /// A worker ended before `draining`.
    pub async fn accept<P, F: Future<Output = P>>(
        mut self,
        listener: TcpListener,
        draining: CancellationToken,
        acquire: impl Fn() -> F,
        item: impl Fn(TcpStream, P) -> T,
    ) -> anyhow::Result<()> {
        loop {
            let accepting = async {
                let permit = acquire().await;
                let (stream, _) = listener.accept().await?;
                // The worker registers the connection with its own runtime.
                Ok::<_, std::io::Error>(item(stream.into_std()?, permit))
            };
            let accepted = tokio::select! {
                () = draining.cancelled() => break,
                failed = self.worker_ended() => return failed,
                accepted = accepting => accepted,
            };
            match accepted {
                Ok(item) => self.assign(item),
                Err(error) => {
                    // The process has no file descriptor left, or the caller has closed the connection. The server goes on.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(ACCEPT_BACKOFF).await;
                }
            }
        }
        drop(listener);
        self.finish().await
    }

    /// Assigns `item` to the worker with the lowest load.
    fn assign(&self, item: T) {
        let least = (self.workers.iter()).min_by_key(|worker| worker.load.load(Ordering::Relaxed));
        let Some(worker) = least else { return };
        worker.load.fetch_add(1, Ordering::Relaxed);
        let guard = LoadGuard(Arc::clone(&worker.load));
        // A worker that has ended drops the item; `finish` reports why the worker ended.
        drop(worker.sender.send(Assigned { item, guard }));
    }

    /// Returns an error when a worker ends, which none does before [`Workers::finish`].
    async fn worker_ended(&mut self) -> anyhow::Result<()> {
        let (result, _, _) = futures::future::select_all(&mut self.results).await;
        result
            .context("a worker thread panicked")?
            .and_then(|()| anyhow::bail!("a worker thread ended"))
    }

    /// Stops assigning, and waits until all workers have ended.
    async fn finish(self) -> anyhow::Result<()> {
        drop(self.workers);
        for result in try_join_all(self.results)
            .await
            .context("a worker thread panicked")?
        {
            result?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[tokio::test]
    async fn items_are_spread_over_the_workers() {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let workers = Workers::start(
            "test",
            3,
            &CancellationToken::new(),
            move |mut assigned: Receiver<u32>| {
                let sender = sender.clone();
                async move {
                    while let Some(item) = assigned.recv().await {
                        let name = thread::current().name().map(ToOwned::to_owned);
                        sender.send((name, item))?;
                    }
                    Ok(())
                }
            },
        );
        let workers = workers.unwrap();
        let (mut held, mut parts) = (Vec::new(), BTreeMap::new());
        for number in 0..12 {
            workers.assign(number);
            let (name, item) = receiver.recv().await.unwrap();
            *parts.entry(name.unwrap()).or_insert(0) += 1;
            held.push(item);
        }
        workers.finish().await.unwrap();
        let expected = ["test-0", "test-1", "test-2"].map(|name| (name.to_owned(), 4));
        assert_eq!(parts, BTreeMap::from(expected));
    }

    #[tokio::test]
    async fn a_dropped_item_no_longer_counts() {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let workers = Workers::start(
            "test",
            2,
            &CancellationToken::new(),
            move |mut assigned: Receiver<u32>| {
                let sender = sender.clone();
                async move {
                    while let Some(item) = assigned.recv().await {
                        sender.send(item)?;
                    }
                    Ok(())
                }
            },
        );
        let workers = workers.unwrap();
        let mut held = Vec::new();
        for number in 0..4 {
            workers.assign(number);
            held.push(receiver.recv().await.unwrap());
        }
        // Both items of one worker are dropped: that worker gets the next two.
        held.retain(|assigned| assigned.item % 2 == 1);
        let before: Vec<usize> = (workers.workers.iter())
            .map(|worker| worker.load.load(Ordering::Relaxed))
            .collect();
        assert_eq!(before, [0, 2]);
        workers.assign(4);
        workers.assign(5);
        let next = [
            receiver.recv().await.unwrap(),
            receiver.recv().await.unwrap(),
        ];
        assert_eq!(workers.workers[0].load.load(Ordering::Relaxed), 2);
        drop(next);
        workers.finish().await.unwrap();
    }

    #[tokio::test]
    async fn the_error_of_a_worker_is_reported() {
        let mut workers = Workers::start(
            "test",
            2,
            &CancellationToken::new(),
            |mut assigned: Receiver<u32>| async move {
                assigned.recv().await;
                anyhow::bail!("no more memory")
            },
        )
        .unwrap();
        workers.assign(1);
        assert_eq!(
            workers.worker_ended().await.unwrap_err().to_string(),
            "no more memory"
        );
    }
}
