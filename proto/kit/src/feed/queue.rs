//! The queue of the writer: new items, at most as many as can be written before their deadline, and items that are retried.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::WriteResult;
use super::apply::Apply;
use crate::fault::Fault;

/// The most items in one transaction.
pub(super) const BATCH: usize = 50;
/// The most retries in one transaction while new items wait.
const RETRIES: usize = 10;
/// The most new items that may wait, however fast the writer is.
const QUEUE: usize = 16_384;
/// The most items that may wait for a retry. A further one fails.
const RETRY_QUEUE: usize = 1_024;
/// Pause before the first retry. It doubles with each attempt, up to [`MAX_BACKOFF`].
const BACKOFF: Duration = Duration::from_millis(10);
const MAX_BACKOFF: Duration = Duration::from_millis(40);

/// An item in the queue.
pub(super) struct Queued<A: Apply> {
    pub(super) item: A::Item,
    /// Identifies the write in its rows on the feed.
    pub(super) request: Uuid,
    /// A retry after this time fails.
    pub(super) deadline: Instant,
    pub(super) reply: oneshot::Sender<WriteResult<A::Outcome>>,
    pub(super) attempts: u32,
    /// Whether the item gets a transaction of its own: its last transaction failed as a whole, and this item may be the cause.
    pub(super) isolate: bool,
}

/// The sending half of the queue. Clones share it.
#[derive(Debug)]
pub(super) struct QueueSender<A: Apply> {
    queue: mpsc::Sender<Queued<A>>,
    throughput: Arc<Throughput>,
    /// How long a write is retried, and the longest wait in the queue.
    pub(super) deadline: Duration,
}

impl<A: Apply> Clone for QueueSender<A> {
    fn clone(&self) -> Self {
        Self {
            queue: self.queue.clone(),
            throughput: Arc::clone(&self.throughput),
            deadline: self.deadline,
        }
    }
}

impl<A: Apply> QueueSender<A> {
    /// Queues an item.
    ///
    /// # Errors
    /// More items wait than can be written before the deadline of this one, or the writer is stopping.
    pub(super) fn push(&self, queued: Queued<A>) -> Result<(), Fault> {
        let waiting = self.queue.max_capacity() - self.queue.capacity();
        let wait = self.throughput.wait(waiting);
        // One batch may always wait, so that the throughput is measured again.
        if wait > self.deadline && waiting >= BATCH {
            return Err(self.full(wait));
        }
        self.queue.try_send(queued).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => self.full(wait),
            mpsc::error::TrySendError::Closed(_) => {
                Fault::unavailable("the writer, which is stopping")
            }
        })
    }

    fn full(&self, wait: Duration) -> Fault {
        let seconds = wait.min(self.deadline).as_secs().max(1);
        Fault {
            retry_after: u32::try_from(seconds).ok(),
            ..Fault::unavailable("the writer, whose queue is full")
        }
    }
}

/// The throughput of the writer.
#[derive(Debug)]
struct Throughput {
    /// Moving average of the time for one item, in microseconds.
    item_micros: AtomicU64,
}

impl Throughput {
    /// How long an item waits behind `queued` others.
    fn wait(&self, queued: usize) -> Duration {
        let queued = u64::try_from(queued).unwrap_or(u64::MAX);
        let micros = self.item_micros.load(Ordering::Relaxed);
        Duration::from_micros(micros.saturating_mul(queued))
    }

    /// Adds a transaction to the average. A small transaction only counts when it lowers the average: its fixed cost is spread over few
    /// items, so its time for one item is an upper bound.
    fn record(&self, items: usize, took: Duration) {
        let Ok(count) = u64::try_from(items) else {
            return;
        };
        let item = u64::try_from(took.as_micros()).unwrap_or(u64::MAX) / count.max(1);
        let before = self.item_micros.load(Ordering::Relaxed);
        if items >= BATCH / 2 || item < before {
            // Only the writer task calls this, so a load and a store do not race.
            let average = before - before / 4 + item / 4;
            self.item_micros.store(average.max(1), Ordering::Relaxed);
        }
    }
}

/// The receiving half of the queue, in the writer task.
pub(super) struct Queue<A: Apply> {
    new: mpsc::Receiver<Queued<A>>,
    /// Items that the last transaction did not reach.
    requeued: VecDeque<Queued<A>>,
    retries: Vec<(Instant, Queued<A>)>,
    throughput: Arc<Throughput>,
    stopping: CancellationToken,
    /// Whether the last batch was an isolated item. The next batch is then for other items.
    was_isolated: bool,
}

/// A queue of writes with this deadline. After `stopping` it accepts no new item and ends when it is empty.
pub(super) fn queue<A: Apply>(
    deadline: Duration,
    stopping: CancellationToken,
) -> (QueueSender<A>, Queue<A>) {
    let (queue, new) = mpsc::channel(QUEUE);
    // A thousand items per second, until a batch is measured.
    let throughput = Arc::new(Throughput {
        item_micros: AtomicU64::new(1_000),
    });
    let sender = QueueSender {
        queue,
        throughput: Arc::clone(&throughput),
        deadline,
    };
    let queue = Queue {
        new,
        requeued: VecDeque::new(),
        retries: Vec::new(),
        throughput,
        stopping,
        was_isolated: false,
    };
    (sender, queue)
}

impl<A: Apply> Queue<A> {
    /// The items of the next transaction: all that wait, up to [`BATCH`]. Returns `None` after the last item.
    pub(super) async fn next(&mut self) -> Option<Vec<Queued<A>>> {
        loop {
            if self.stopping.is_cancelled() {
                // Items that already wait are still written.
                self.new.close();
            }
            let now = Instant::now();
            let batch = self.take(now);
            if !batch.is_empty() {
                return Some(batch);
            }
            let due = self.retries.iter().map(|(due, _)| *due).min();
            let idle = async {
                match due {
                    Some(due) => tokio::time::sleep_until(due.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                first = self.new.recv() => match first {
                    Some(first) => {
                        let mut batch = vec![first];
                        self.fill(&mut batch, BATCH);
                        return Some(batch);
                    }
                    None if due.is_none() => return None,
                    // The queue is closed, and only retries are left.
                    None => tokio::time::sleep_until(due.unwrap_or(now).into()).await,
                },
                () = self.stopping.cancelled(), if !self.new.is_closed() => {}
                () = idle => {}
            }
        }
    }

    /// New items first, with up to [`RETRIES`] places reserved for retries that are due: neither kind starves the other.
    fn take(&mut self, now: Instant) -> Vec<Queued<A>> {
        self.retries.sort_by_key(|(due, _)| *due);
        let mut due = Vec::new();
        let mut isolated = None;
        let mut later = Vec::new();
        for (at, queued) in self.retries.drain(..) {
            if at > now {
                later.push((at, queued));
            } else if !queued.isolate {
                due.push((at, queued));
            } else if isolated.is_none() && !self.was_isolated {
                isolated = Some(queued);
            } else {
                later.push((at, queued));
            }
        }
        self.retries = later;
        if let Some(item) = isolated {
            self.retries.append(&mut due);
            self.was_isolated = true;
            return vec![item];
        }
        self.was_isolated = false;
        let mut batch = Vec::new();
        self.fill(&mut batch, BATCH - due.len().min(RETRIES));
        let places = BATCH - batch.len();
        let rest = due.split_off(due.len().min(places));
        batch.extend(due.into_iter().map(|(_, queued)| queued));
        self.retries.extend(rest);
        batch
    }

    fn fill(&mut self, batch: &mut Vec<Queued<A>>, up_to: usize) {
        while batch.len() < up_to
            && let Some(next) = (self.requeued.pop_front()).or_else(|| self.new.try_recv().ok())
        {
            batch.push(next);
        }
    }

    /// Returns an item that the transaction did not reach. It comes before newer items in the next batch.
    pub(super) fn requeue(&mut self, queued: Queued<A>) {
        self.requeued.push_back(queued);
    }

    /// Schedules a retry. Returns the item when its deadline has passed or too many items wait for a retry.
    pub(super) fn retry(&mut self, mut queued: Queued<A>) -> Option<Queued<A>> {
        let now = Instant::now();
        if now >= queued.deadline || self.retries.len() >= RETRY_QUEUE {
            return Some(queued);
        }
        let pause = BACKOFF.saturating_mul(1 << queued.attempts.min(8));
        queued.attempts += 1;
        let due = now + pause.min(MAX_BACKOFF);
        self.retries.push((due.min(queued.deadline), queued));
        None
    }

    /// Records a transaction in the throughput, which bounds the queue.
    pub(super) fn record(&self, items: usize, took: Duration) {
        self.throughput.record(items, took);
    }
}

#[cfg(test)]
mod tests {
    use sqlx::PgConnection;
    use time::OffsetDateTime;

    use super::super::apply::{ApplyError, ApplyResult};
    use super::*;

    const DEADLINE: Duration = Duration::from_secs(5);

    struct Numbers;

    impl Apply for Numbers {
        type Item = usize;
        type Outcome = ();

        async fn apply(
            &self,
            _: &mut PgConnection,
            _: &usize,
            _: OffsetDateTime,
        ) -> ApplyResult<()> {
            Err(ApplyError::Busy)
        }
    }

    fn queued(item: usize) -> Queued<Numbers> {
        Queued {
            item,
            request: Uuid::nil(),
            deadline: Instant::now() + DEADLINE,
            reply: oneshot::channel().0,
            attempts: 0,
            isolate: false,
        }
    }

    fn items(batch: Option<Vec<Queued<Numbers>>>) -> Vec<usize> {
        let batch = batch.unwrap_or_default();
        batch.into_iter().map(|queued| queued.item).collect()
    }

    fn fill(sender: &QueueSender<Numbers>) -> usize {
        (0..20_000)
            .take_while(|n| sender.push(queued(*n)).is_ok())
            .count()
    }

    #[test]
    fn the_queue_holds_what_can_be_written_before_the_deadline() {
        let (sender, _queue) = queue::<Numbers>(DEADLINE, CancellationToken::new());
        assert_eq!(fill(&sender), 5_001);
        let fault = sender.push(queued(0)).unwrap_err();
        assert_eq!(fault.retry_after, Some(5));

        let (sender, slow) = queue::<Numbers>(DEADLINE, CancellationToken::new());
        for _ in 0..50 {
            slow.record(BATCH, Duration::from_secs(1));
        }
        let waiting = fill(&sender);
        assert!((250..400).contains(&waiting), "{waiting}");

        let (sender, stalled) = queue::<Numbers>(DEADLINE, CancellationToken::new());
        for _ in 0..50 {
            stalled.record(BATCH, Duration::from_mins(1));
        }
        assert_eq!(fill(&sender), BATCH, "one batch may always wait");
    }

    #[tokio::test]
    async fn neither_new_items_nor_retries_starve() {
        let (sender, mut queue) = queue::<Numbers>(DEADLINE, CancellationToken::new());
        for n in 0..100 {
            assert!(queue.retry(queued(1_000 + n)).is_none());
        }
        let due = queue.retries.iter().map(|(due, _)| *due).max();
        tokio::time::sleep_until(due.unwrap().into()).await;
        for n in 0..60 {
            sender.push(queued(n)).unwrap();
        }
        let first = items(queue.next().await);
        assert_eq!(first[..40], (0..40).collect::<Vec<_>>());
        assert_eq!(first[40..], (1_000..1_010).collect::<Vec<_>>());
        let second = items(queue.next().await);
        assert_eq!(second[..20], (40..60).collect::<Vec<_>>());
        assert_eq!(second[20..], (1_010..1_040).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn other_items_come_between_two_isolated_ones() {
        let (sender, mut queue) = queue::<Numbers>(DEADLINE, CancellationToken::new());
        for n in [1, 2] {
            let isolated = Queued {
                isolate: true,
                ..queued(n)
            };
            assert!(queue.retry(isolated).is_none());
        }
        assert_eq!(items(queue.next().await), [1]);
        sender.push(queued(3)).unwrap();
        assert_eq!(items(queue.next().await), [3]);
        assert_eq!(items(queue.next().await), [2]);
    }

    #[tokio::test]
    async fn requeued_items_come_before_new_ones() {
        let (sender, mut queue) = queue::<Numbers>(DEADLINE, CancellationToken::new());
        sender.push(queued(3)).unwrap();
        for n in [1, 2] {
            queue.requeue(queued(n));
        }
        assert_eq!(items(queue.next().await), [1, 2, 3]);
    }

    #[tokio::test]
    async fn the_queue_is_drained_when_the_process_stops() {
        let stopping = CancellationToken::new();
        let (sender, mut queue) = queue::<Numbers>(DEADLINE, stopping.clone());
        sender.push(queued(1)).unwrap();
        assert!(queue.retry(queued(2)).is_none());
        stopping.cancel();
        let mut written = items(queue.next().await);
        written.extend(items(queue.next().await));
        assert_eq!(written, [1, 2]);
        assert!(queue.next().await.is_none());
        assert!(sender.push(queued(3)).is_err());
    }
}
