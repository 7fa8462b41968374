//! The sending half of the writer's queue: refuses items that cannot be begun in time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};
use tracing::Span;
use uuid::Uuid;

use super::WriteResult;
use super::apply::Apply;
use super::throughput::Throughput;
use crate::fault::Fault;

/// The most items in one transaction.
pub(super) const BATCH: usize = 50;
/// The most new items that may wait, however fast the writer is.
pub(super) const QUEUE: usize = 16_384;

/// An item in the queue.
pub(super) struct Queued<A: Apply> {
    pub(super) item: A::Item,
    /// Identifies the write in its rows on the feed.
    pub(super) request: Uuid,
    /// The span of the caller, in which the item is applied.
    pub(super) span: Span,
    pub(super) since: Instant,
    /// After this time the item fails: it is not begun, nor retried.
    pub(super) deadline: Instant,
    pub(super) reply: oneshot::Sender<WriteResult<A::Outcome>>,
    pub(super) attempts: u32,
    /// Whether the item gets a transaction of its own: its last transaction failed as a whole, and this item may be the cause.
    pub(super) isolate: bool,
}

/// The sending half of the queue.
#[derive(Debug)]
pub(super) struct QueueSender<A: Apply> {
    pub(super) queue: mpsc::Sender<Queued<A>>,
    /// The number of items that wait outside of `queue`.
    pub(super) requeued: Arc<AtomicUsize>,
    pub(super) throughput: Arc<Throughput>,
    /// How long a write is retried, and the longest wait in the queue.
    pub(super) deadline: Duration,
}

impl<A: Apply> QueueSender<A> {
    /// Queues an item.
    ///
    /// # Errors
    /// More items wait than can be begun before the deadline of this one, or the writer is stopping.
    pub(super) fn push(&self, queued: Queued<A>) -> Result<(), Fault> {
        let waiting = self.queue.max_capacity() - self.queue.capacity();
        let waiting = waiting + self.requeued.load(Ordering::Relaxed);
        let wait = self.throughput.wait(waiting);
        // One batch may always wait, so that the throughput is measured again.
        if (wait > self.deadline && waiting >= BATCH) || waiting >= QUEUE {
            return Err(full(wait.min(self.deadline)));
        }
        self.queue.try_send(queued).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => full(wait.min(self.deadline)),
            mpsc::error::TrySendError::Closed(_) => {
                Fault::unavailable("the writer, which is stopping")
            }
        })
    }
}

/// The fault of an item that cannot be begun before its deadline.
pub(super) fn full(wait: Duration) -> Fault {
    Fault {
        retry_after: u32::try_from(wait.as_secs().max(1)).ok(),
        ..Fault::unavailable("the writer, whose queue is full")
    }
}
