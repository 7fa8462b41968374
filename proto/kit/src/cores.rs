//! A thread with a runtime of its own for each core, among which connections are dealt out.
//!
//! What a connection does stays on its thread: no task is woken on another core, and nothing is shared but what is meant to be.

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

/// Before the next connection is taken, when one could not be.
const PAUSE: Duration = Duration::from_millis(20);

/// Less than any call waits for.
const TICK: Duration = Duration::from_millis(25);

/// The threads, and what each of them holds.
#[derive(Debug)]
pub struct Cores<T> {
    seats: Vec<Seat<T>>,
    ended: Vec<oneshot::Receiver<anyhow::Result<()>>>,
}

#[derive(Debug)]
struct Seat<T> {
    hand: mpsc::UnboundedSender<Dealt<T>>,
    held: Arc<AtomicUsize>,
}

/// What is dealt to a thread, as it comes.
pub type Hand<T> = mpsc::UnboundedReceiver<Dealt<T>>;

/// Something that was dealt; its thread holds it until this is dropped.
#[derive(Debug)]
pub struct Dealt<T> {
    /// What it is.
    pub item: T,
    held: Held,
}

impl<T> Dealt<T> {
    /// The item, and what its thread holds in its place.
    pub fn take(self) -> (T, Dealt<()>) {
        let Self { item, held } = self;
        (item, Dealt { item: (), held })
    }
}

#[derive(Debug)]
struct Held(Arc<AtomicUsize>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// As many threads as this machine has cores.
pub fn all() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// A timer that is due earlier than all others makes tokio wake the thread that sets it, although it is awake: a system call for each
/// deadline of a call. While this one is always due sooner, none is.
async fn tick() {
    loop {
        tokio::time::sleep(TICK).await;
    }
}

impl<T: Send + 'static> Cores<T> {
    /// Starts `count` threads called `name`, each of which runs `work` to its end.
    ///
    /// A thread keeps its runtime until `ended`: a connection of a pool is bound to the runtime in which it was opened, and background
    /// tasks use the pool when the servers have ended.
    ///
    /// # Errors
    /// A thread or its runtime cannot be made.
    pub fn start<F>(
        name: &'static str,
        count: usize,
        ended: &CancellationToken,
        work: impl Fn(Hand<T>) -> F + Send + Sync + 'static,
    ) -> anyhow::Result<Self>
    where
        F: Future<Output = anyhow::Result<()>>,
    {
        let work = Arc::new(work);
        let (mut seats, mut ends) = (Vec::new(), Vec::new());
        for place in 0..count.max(1) {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .context("no runtime for a core")?;
            let (hand, dealt) = mpsc::unbounded_channel();
            let (end, seat_ended) = oneshot::channel();
            let (work, ended) = (Arc::clone(&work), ended.clone());
            thread::Builder::new()
                .name(format!("{name}-{place}"))
                .spawn(move || {
                    let ticking = runtime.spawn(tick());
                    let worked = runtime.block_on(work(dealt));
                    ticking.abort();
                    // It may hold what `ended` waits for.
                    drop(work);
                    // Nobody waits for it when the process is cut off.
                    drop(end.send(worked));
                    runtime.block_on(ended.cancelled());
                })
                .context("no thread for a core")?;
            let held = Arc::default();
            seats.push(Seat { hand, held });
            ends.push(seat_ended);
        }
        Ok(Self { seats, ended: ends })
    }

    /// Deals out what `admit` makes of the connections that `listener` takes, until `draining`; then waits until all that were dealt
    /// are served. A connection is taken when there is `room` for it; until then it waits with the kernel, and costs nothing.
    ///
    /// # Errors
    /// A thread has ended before.
    pub async fn accept<R, F: Future<Output = R>>(
        mut self,
        listener: TcpListener,
        draining: CancellationToken,
        room: impl Fn() -> F,
        admit: impl Fn(TcpStream, R) -> T,
    ) -> anyhow::Result<()> {
        loop {
            let accepting = async {
                let room = room().await;
                let (stream, _) = listener.accept().await?;
                // It is registered with the runtime of the thread that it is dealt to.
                Ok::<_, std::io::Error>(admit(stream.into_std()?, room))
            };
            let accepted = tokio::select! {
                () = draining.cancelled() => break,
                broken = self.broken() => return broken,
                accepted = accepting => accepted,
            };
            match accepted {
                Ok(item) => self.deal(item),
                Err(error) => {
                    // Out of file descriptors, or a caller that is gone again: neither is a reason to stop.
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
        drop(listener);
        self.finish().await
    }

    /// Gives `item` to the thread that holds the fewest.
    fn deal(&self, item: T) {
        let fewest = (self.seats.iter()).min_by_key(|seat| seat.held.load(Ordering::Relaxed));
        let Some(seat) = fewest else { return };
        seat.held.fetch_add(1, Ordering::Relaxed);
        let held = Held(Arc::clone(&seat.held));
        // A thread that has ended lets go of what it is dealt; `finish` says why it has.
        drop(seat.hand.send(Dealt { item, held }));
    }

    /// Fails when a thread has ended, which none should before [`Cores::finish`].
    async fn broken(&mut self) -> anyhow::Result<()> {
        let (ended, _, _) = futures::future::select_all(&mut self.ended).await;
        ended
            .context("a thread panicked")?
            .and_then(|()| anyhow::bail!("a thread ended"))
    }

    /// Deals no more, and waits until all threads have ended.
    async fn finish(self) -> anyhow::Result<()> {
        drop(self.seats);
        for ended in try_join_all(self.ended)
            .await
            .context("a thread panicked")?
        {
            ended?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[tokio::test]
    async fn each_thread_gets_its_part() {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let cores = Cores::start(
            "test",
            3,
            &CancellationToken::new(),
            move |mut hand: Hand<u32>| {
                let sender = sender.clone();
                async move {
                    while let Some(dealt) = hand.recv().await {
                        let name = thread::current().name().map(ToOwned::to_owned);
                        sender.send((name, dealt))?;
                    }
                    Ok(())
                }
            },
        );
        let cores = cores.unwrap();
        let (mut held, mut parts) = (Vec::new(), BTreeMap::new());
        for item in 0..12 {
            cores.deal(item);
            let (name, dealt) = receiver.recv().await.unwrap();
            *parts.entry(name.unwrap()).or_insert(0) += 1;
            held.push(dealt);
        }
        cores.finish().await.unwrap();
        let expected = ["test-0", "test-1", "test-2"].map(|name| (name.to_owned(), 4));
        assert_eq!(parts, BTreeMap::from(expected));
    }

    #[tokio::test]
    async fn what_is_over_counts_no_more() {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let cores = Cores::start(
            "test",
            2,
            &CancellationToken::new(),
            move |mut hand: Hand<u32>| {
                let sender = sender.clone();
                async move {
                    while let Some(dealt) = hand.recv().await {
                        sender.send(dealt)?;
                    }
                    Ok(())
                }
            },
        );
        let cores = cores.unwrap();
        let mut held = Vec::new();
        for item in 0..4 {
            cores.deal(item);
            held.push(receiver.recv().await.unwrap());
        }
        // Of the two that hold two each, the one that lets both go gets the next two.
        held.retain(|dealt| dealt.item % 2 == 1);
        let before: Vec<usize> = (cores.seats.iter())
            .map(|seat| seat.held.load(Ordering::Relaxed))
            .collect();
        assert_eq!(before, [0, 2]);
        cores.deal(4);
        cores.deal(5);
        let next = [
            receiver.recv().await.unwrap(),
            receiver.recv().await.unwrap(),
        ];
        assert_eq!(cores.seats[0].held.load(Ordering::Relaxed), 2);
        drop(next);
        cores.finish().await.unwrap();
    }

    #[tokio::test]
    async fn a_thread_that_fails_is_told_of() {
        let mut cores = Cores::start(
            "test",
            2,
            &CancellationToken::new(),
            |mut hand: Hand<u32>| async move {
                hand.recv().await;
                anyhow::bail!("no more memory")
            },
        )
        .unwrap();
        cores.deal(1);
        assert_eq!(
            cores.broken().await.unwrap_err().to_string(),
            "no more memory"
        );
    }
}
