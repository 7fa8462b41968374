//! The queue of the writer: new items, at most as many as can be begun before their deadlines, and items that are retried.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::apply::Apply;
use super::queue_sender::{BATCH, QUEUE, QueueSender, Queued, full};
use super::throughput::Throughput;
use crate::fault::Fault;

/// The most retries in one transaction while new items wait.
const RETRIES: usize = 10;
/// The most items that may wait for a retry. A further one fails.
const RETRY_QUEUE: usize = 1_024;
/// Pause before the first retry. It doubles with each attempt, up to [`MAX_BACKOFF`].
const BACKOFF: Duration = Duration::from_millis(10);
const MAX_BACKOFF: Duration = Duration::from_millis(40);

/// The receiving half of the queue, in the writer task.
pub(super) struct Queue<A: Apply> {
    new: mpsc::Receiver<Queued<A>>,
    /// Items that were taken out of `new` and not begun: the last transaction did not reach them, or [`shed`](Self::shed) left them.
    requeued: VecDeque<Queued<A>>,
    /// Their number, for the sender.
    requeued_len: Arc<AtomicUsize>,
    retries: Vec<(Instant, Queued<A>)>,
    throughput: Arc<Throughput>,
    deadline: Duration,
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
    let (throughput, requeued) = (Arc::<Throughput>::default(), Arc::<AtomicUsize>::default());
    let sender = QueueSender {
        queue,
        requeued: Arc::clone(&requeued),
        throughput: Arc::clone(&throughput),
        deadline,
    };
    let queue = Queue {
        new,
        requeued: VecDeque::new(),
        requeued_len: requeued,
        retries: Vec::new(),
        throughput,
        deadline,
        stopping,
        was_isolated: false,
    };
    (sender, queue)
}

impl<A: Apply> Queue<A> {
    /// The items of the next transaction: all that wait, up to [`BATCH`]. Returns `None` after the last item.
    pub(super) async fn next(&mut self) -> Option<Vec<Queued<A>>> {
        let batch = self.wait().await;
        self.count();
        batch
    }

    async fn wait(&mut self) -> Option<Vec<Queued<A>>> {
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

    /// Records a transaction in the throughput, which bounds the queue. `is_cut`: it did not reach all its items.
    pub(super) fn record(&self, items: u32, is_cut: bool, took: Duration) {
        self.throughput.record(items, is_cut, took);
    }

    /// Removes the items that cannot be begun before their deadlines, because the throughput has fallen since they came.
    pub(super) fn shed(&mut self) -> Vec<(Queued<A>, Fault)> {
        let waiting = self.requeued.len() + self.new.len();
        // Looking at every item has a cost, and a short queue needs none.
        if self.throughput.wait(waiting) <= self.deadline / 2 {
            return Vec::new();
        }
        while let Ok(queued) = self.new.try_recv() {
            self.requeued.push_back(queued);
        }
        let (now, mut shed) = (Instant::now(), Vec::new());
        for queued in std::mem::take(&mut self.requeued) {
            let wait = self.throughput.wait(self.requeued.len());
            if self.requeued.len() < BATCH || now + wait <= queued.deadline {
                self.requeued.push_back(queued);
            } else {
                shed.push((queued, full(wait.min(self.deadline))));
            }
        }
        self.count();
        shed
    }

    /// Publishes how many items wait.
    fn count(&self) {
        let requeued = self.requeued.len();
        self.requeued_len.store(requeued, Ordering::Relaxed);
        let waiting = u32::try_from(requeued + self.new.len()).unwrap_or(u32::MAX);
        metrics::gauge!("feed_writer_queue_length").set(f64::from(waiting));
    }
}

#[cfg(test)]
mod tests {
    use sqlx::PgConnection;
    use time::OffsetDateTime;
    use tokio::sync::oneshot;
    use tracing::Span;
    use uuid::Uuid;

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
            span: Span::none(),
            since: Instant::now(),
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
            slow.record(50, false, Duration::from_secs(1));
        }
        let waiting = fill(&sender);
        assert!((250..400).contains(&waiting), "{waiting}");

        let (sender, stalled) = queue::<Numbers>(DEADLINE, CancellationToken::new());
        for _ in 0..50 {
            stalled.record(50, false, Duration::from_mins(1));
        }
        assert_eq!(fill(&sender), BATCH, "one batch may always wait");
    }

    #[test]
    fn items_that_cannot_be_begun_in_time_any_more_are_shed() {
        let (sender, mut queue) = queue::<Numbers>(DEADLINE, CancellationToken::new());
        assert_eq!(fill(&sender), 5_001);
        for _ in 0..50 {
            // 80 items a second.
            queue.record(20, true, Duration::from_millis(250));
        }
        let shed = queue.shed();
        let waiting = 5_001 - shed.len();
        assert!((50..=401).contains(&waiting), "{waiting} still wait");
        assert!(shed.iter().all(|(_, fault)| fault.retry_after >= Some(4)));
        assert!(
            shed.iter().all(|(queued, _)| queued.item >= 50),
            "the oldest stay"
        );
        // What was shed makes no room for more.
        assert!(fill(&sender) <= 401_usize.saturating_sub(waiting));
        assert!(queue.shed().len() < 401);
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
