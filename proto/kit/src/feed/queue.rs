//! What waits for the writer: new items, up to what can be written within their deadline, and items that are tried again.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::Outcome;
use super::apply::Apply;
use crate::fault::Fault;

/// Items in one transaction at most.
pub(super) const BATCH: usize = 50;
/// Of these, items that are tried again while new ones wait.
const RETRIES: usize = 10;
/// How long a write is tried, while rows are locked elsewhere or PostgreSQL is away.
pub(super) const DEADLINE: Duration = Duration::from_secs(5);
/// New items that may wait at most, however quickly they are written.
const QUEUE: usize = 16_384;
/// Items that may wait to be tried again; beyond that the next one is refused.
const RETRY_QUEUE: usize = 1_024;
/// Pause before an item is tried again; it doubles with every try, up to [`LONGEST_PAUSE`].
const PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(40);

/// An item on its way.
pub(super) struct Queued<A: Apply> {
    pub(super) item: A::Item,
    /// Names the write in the rows of the feed.
    pub(super) request: Uuid,
    pub(super) give_up: Instant,
    pub(super) reply: oneshot::Sender<Outcome<A::Done>>,
    /// How often it was tried.
    pub(super) tries: u32,
    /// It gets a transaction of its own: the one that it was in failed as a whole, and it may be the cause.
    pub(super) alone: bool,
}

/// The end of the queue where items come in. Clones share it.
#[derive(Debug)]
pub(super) struct Entrance<A: Apply> {
    queue: mpsc::Sender<Queued<A>>,
    pace: Arc<Throughput>,
}

impl<A: Apply> Clone for Entrance<A> {
    fn clone(&self) -> Self {
        Self {
            queue: self.queue.clone(),
            pace: Arc::clone(&self.pace),
        }
    }
}

impl<A: Apply> Entrance<A> {
    /// Queues an item, unless more wait than can be written before its deadline.
    pub(super) fn push(&self, queued: Queued<A>) -> Result<(), Fault> {
        let waiting = self.queue.max_capacity() - self.queue.capacity();
        let wait = self.pace.wait(waiting);
        // One batch may always wait, so that the pace is measured again.
        if wait > DEADLINE && waiting >= BATCH {
            return Err(full(wait));
        }
        self.queue.try_send(queued).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => full(wait),
            mpsc::error::TrySendError::Closed(_) => {
                Fault::unavailable("the writer, which is stopping")
            }
        })
    }
}

fn full(wait: Duration) -> Fault {
    let seconds = wait.min(DEADLINE).as_secs().max(1);
    Fault {
        retry_after: u32::try_from(seconds).ok(),
        ..Fault::unavailable("the writer, whose queue is full")
    }
}

/// How long the writer takes for an item.
#[derive(Debug)]
struct Throughput {
    /// Moving average in microseconds.
    item: AtomicU64,
}

impl Throughput {
    /// How long an item waits behind so many others.
    fn wait(&self, others: usize) -> Duration {
        let others = u64::try_from(others).unwrap_or(u64::MAX);
        Duration::from_micros(self.item.load(Ordering::Relaxed).saturating_mul(others))
    }

    /// Takes a transaction into the average. A small one says only how quick the writer is at least: what a transaction costs by
    /// itself is spread over few items.
    fn record(&self, items: usize, took: Duration) {
        let Ok(count) = u64::try_from(items) else {
            return;
        };
        let item = u64::try_from(took.as_micros()).unwrap_or(u64::MAX) / count.max(1);
        let before = self.item.load(Ordering::Relaxed);
        if items >= BATCH / 2 || item < before {
            // Only the writer task records.
            let average = before - before / 4 + item / 4;
            self.item.store(average.max(1), Ordering::Relaxed);
        }
    }
}

/// What waits, as the writer task sees it.
pub(super) struct Queue<A: Apply> {
    new: mpsc::Receiver<Queued<A>>,
    /// Items of the last batch that were not reached.
    returned: VecDeque<Queued<A>>,
    retries: Vec<(Instant, Queued<A>)>,
    pace: Arc<Throughput>,
    stopping: CancellationToken,
    /// The last batch was an item that is tried alone; the next one is for the others.
    was_alone: bool,
}

/// A queue, with the end where items come in. It ends after `stopping`, when all that waits was taken.
pub(super) fn queue<A: Apply>(stopping: CancellationToken) -> (Entrance<A>, Queue<A>) {
    let (queue, new) = mpsc::channel(QUEUE);
    // Until a batch has been measured: a thousand items a second.
    let pace = Arc::new(Throughput {
        item: AtomicU64::new(1_000),
    });
    let entrance = Entrance {
        queue,
        pace: Arc::clone(&pace),
    };
    let queue = Queue {
        new,
        returned: VecDeque::new(),
        retries: Vec::new(),
        pace,
        stopping,
        was_alone: false,
    };
    (entrance, queue)
}

impl<A: Apply> Queue<A> {
    /// The items of the next transaction, all that wait up to [`BATCH`]; `None` after the last.
    pub(super) async fn next(&mut self) -> Option<Vec<Queued<A>>> {
        loop {
            if self.stopping.is_cancelled() {
                // Nothing new comes in; what waits is still written.
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
                    // Closed: only retries are left.
                    None => tokio::time::sleep_until(due.unwrap_or(now).into()).await,
                },
                () = self.stopping.cancelled(), if !self.new.is_closed() => {}
                () = idle => {}
            }
        }
    }

    /// New items first, but for a few places that those have that are due again: neither kind keeps the other out.
    fn take(&mut self, now: Instant) -> Vec<Queued<A>> {
        self.retries.sort_by_key(|(due, _)| *due);
        let mut due = Vec::new();
        let mut alone = None;
        let mut later = Vec::new();
        for (at, queued) in self.retries.drain(..) {
            if at > now {
                later.push((at, queued));
            } else if !queued.alone {
                due.push((at, queued));
            } else if alone.is_none() && !self.was_alone {
                alone = Some(queued);
            } else {
                later.push((at, queued));
            }
        }
        self.retries = later;
        if let Some(alone) = alone {
            self.retries.append(&mut due);
            self.was_alone = true;
            return vec![alone];
        }
        self.was_alone = false;
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
            && let Some(next) = (self.returned.pop_front()).or_else(|| self.new.try_recv().ok())
        {
            batch.push(next);
        }
    }

    /// Takes an item back that was not reached: it is one of the next batch, before newer ones.
    pub(super) fn put_back(&mut self, queued: Queued<A>) {
        self.returned.push_back(queued);
    }

    /// Keeps an item until it is tried again. Returns it when it has no time left, or too many wait.
    pub(super) fn retry(&mut self, mut queued: Queued<A>) -> Option<Queued<A>> {
        let now = Instant::now();
        if now >= queued.give_up || self.retries.len() >= RETRY_QUEUE {
            return Some(queued);
        }
        let pause = PAUSE.saturating_mul(1 << queued.tries.min(8));
        queued.tries += 1;
        let due = now + pause.min(LONGEST_PAUSE);
        self.retries.push((due.min(queued.give_up), queued));
        None
    }

    /// Takes a transaction into the pace by which the queue is bounded.
    pub(super) fn record(&self, items: usize, took: Duration) {
        self.pace.record(items, took);
    }
}

#[cfg(test)]
mod tests {
    use sqlx::PgConnection;
    use time::OffsetDateTime;

    use super::super::apply::Applied;
    use super::*;

    struct Numbers;

    impl Apply for Numbers {
        type Item = usize;
        type Done = ();

        async fn apply(
            &self,
            _: &mut PgConnection,
            _: &usize,
            _: OffsetDateTime,
        ) -> Result<Applied<()>, sqlx::Error> {
            Ok(Applied::Busy)
        }
    }

    fn queued(item: usize) -> Queued<Numbers> {
        Queued {
            item,
            request: Uuid::nil(),
            give_up: Instant::now() + DEADLINE,
            reply: oneshot::channel().0,
            tries: 0,
            alone: false,
        }
    }

    fn items(batch: Option<Vec<Queued<Numbers>>>) -> Vec<usize> {
        let batch = batch.unwrap_or_default();
        batch.into_iter().map(|queued| queued.item).collect()
    }

    fn fill(entrance: &Entrance<Numbers>) -> usize {
        (0..20_000)
            .take_while(|n| entrance.push(queued(*n)).is_ok())
            .count()
    }

    #[test]
    fn as_many_wait_as_are_written_in_time() {
        let (entrance, _queue) = queue::<Numbers>(CancellationToken::new());
        assert_eq!(fill(&entrance), 5_001);
        let fault = entrance.push(queued(0)).unwrap_err();
        assert_eq!(fault.retry_after, Some(5));

        let (entrance, slow) = queue::<Numbers>(CancellationToken::new());
        for _ in 0..50 {
            slow.record(BATCH, Duration::from_secs(1));
        }
        let waiting = fill(&entrance);
        assert!((250..400).contains(&waiting), "{waiting}");

        let (entrance, stalled) = queue::<Numbers>(CancellationToken::new());
        for _ in 0..50 {
            stalled.record(BATCH, Duration::from_mins(1));
        }
        assert_eq!(fill(&entrance), BATCH, "one batch may always wait");
    }

    #[tokio::test]
    async fn neither_new_items_nor_retries_keep_the_others_out() {
        let (entrance, mut queue) = queue::<Numbers>(CancellationToken::new());
        for n in 0..100 {
            assert!(queue.retry(queued(1_000 + n)).is_none());
        }
        let due = queue.retries.iter().map(|(due, _)| *due).max();
        tokio::time::sleep_until(due.unwrap().into()).await;
        for n in 0..60 {
            entrance.push(queued(n)).unwrap();
        }
        let first = items(queue.next().await);
        assert_eq!(first[..40], (0..40).collect::<Vec<_>>());
        assert_eq!(first[40..], (1_000..1_010).collect::<Vec<_>>());
        let second = items(queue.next().await);
        assert_eq!(second[..20], (40..60).collect::<Vec<_>>());
        assert_eq!(second[20..], (1_010..1_040).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn an_item_that_is_tried_alone_lets_the_others_go_on() {
        let (entrance, mut queue) = queue::<Numbers>(CancellationToken::new());
        for n in [1, 2] {
            let alone = Queued {
                alone: true,
                ..queued(n)
            };
            assert!(queue.retry(alone).is_none());
        }
        assert_eq!(items(queue.next().await), [1]);
        entrance.push(queued(3)).unwrap();
        assert_eq!(items(queue.next().await), [3]);
        assert_eq!(items(queue.next().await), [2]);
    }

    #[tokio::test]
    async fn what_was_not_reached_comes_before_what_is_new() {
        let (entrance, mut queue) = queue::<Numbers>(CancellationToken::new());
        entrance.push(queued(3)).unwrap();
        for n in [1, 2] {
            queue.put_back(queued(n));
        }
        assert_eq!(items(queue.next().await), [1, 2, 3]);
    }

    #[tokio::test]
    async fn what_waits_is_still_written_when_the_process_stops() {
        let stopping = CancellationToken::new();
        let (entrance, mut queue) = queue::<Numbers>(stopping.clone());
        entrance.push(queued(1)).unwrap();
        assert!(queue.retry(queued(2)).is_none());
        stopping.cancel();
        let mut written = items(queue.next().await);
        written.extend(items(queue.next().await));
        assert_eq!(written, [1, 2]);
        assert!(queue.next().await.is_none());
        assert!(entrance.push(queued(3)).is_err());
    }
}
