//! The writer task. Each process has one, and every change of a producer goes through it, unless it publishes so few that it has none.
//!
//! It commits all queued items in one transaction and never waits for more. Each item is applied under a savepoint of its own. The last
//! message raises the head by the number of changes, numbers their rows from it and commits. The row lock of the head orders the
//! commits of all replicas, and no client round trip happens while it is held.

use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use sqlx::postgres::PgConnectOptions;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tracing::Span;

use super::apply::{Apply, unexpected_outcome};
use super::queue::{Queue, queue};
use super::queue_sender::{QueueSender, Queued};
use super::replies::{BatchReplies, ReplySender};
use super::session::Sessions;
use super::transaction::{Transactions, Verdict};
use super::{Producer, WriteResult};
use crate::clock::Clock;
use crate::fault::Fault;
use crate::ids;

/// Sends items to the writer task. Clones share the task.
#[derive(Debug)]
pub struct Writer<A: Apply> {
    queue: Arc<QueueSender<A>>,
}

impl<A: Apply> Clone for Writer<A> {
    fn clone(&self) -> Self {
        Self {
            queue: Arc::clone(&self.queue),
        }
    }
}

impl<A: Apply> Writer<A> {
    /// Writes one item and returns once it is committed: its outcome, and the position of its last row on the feed (`None` when nothing
    /// changed). A write that waits is not begun after its deadline, nor when its caller has given up.
    pub async fn write(&self, item: A::Item) -> WriteResult<A::Outcome> {
        let (reply, answer) = oneshot::channel();
        let since = Instant::now();
        self.queue.push(Queued {
            item,
            request: ids::row_id(),
            span: Span::current(),
            since,
            deadline: since + self.queue.deadline,
            reply,
            attempts: 0,
            isolate: false,
        })?;
        answer
            .await
            .unwrap_or_else(|_| Err(Fault::unavailable("the writer has stopped")))
    }

    /// Writes one item, and reads its outcome with `read`, such as a method of `strum::EnumTryAs`. `read` returns `None` for the outcome of
    /// another kind of item.
    ///
    /// # Errors
    /// The item is not written, or `read` returned `None`.
    pub async fn write_as<T>(
        &self,
        item: A::Item,
        read: impl FnOnce(A::Outcome) -> Option<T>,
    ) -> Result<T, Fault> {
        let (outcome, _) = self.write(item).await?;
        read(outcome).ok_or_else(unexpected_outcome)
    }
}

/// The writer task and a handle to it. After `stopping` the task writes what is queued, and ends.
pub(super) fn writer<A: Apply>(
    apply: A,
    producer: Producer,
    options: PgConnectOptions,
    clock: Clock,
    replies: ReplySender<A::Outcome>,
    stopping: CancellationToken,
) -> (Writer<A>, impl Future<Output = anyhow::Result<()>> + Send) {
    let timeouts = producer.timeouts();
    let (sender, waiting) = queue(timeouts.write, stopping);
    let task = Task {
        transactions: Transactions {
            apply,
            sessions: Sessions::new(options, producer.schema(), timeouts),
            producer,
            clock,
        },
        replies,
    };
    let queue = Arc::new(sender);
    (Writer { queue }, task.run(waiting))
}

struct Task<A: Apply> {
    transactions: Transactions<A>,
    replies: ReplySender<A::Outcome>,
}

impl<A: Apply> Task<A> {
    async fn run(mut self, mut queue: Queue<A>) -> anyhow::Result<()> {
        while let Some(batch) = queue.next().await {
            self.process(batch, &mut queue).await;
        }
        Ok(())
    }

    /// Writes a batch and answers the callers whose items are not retried.
    async fn process(&mut self, batch: Vec<Queued<A>>, queue: &mut Queue<A>) {
        let began = Instant::now();
        let is_late = |queued: &Queued<A>| {
            queued.attempts == 0 && (queued.deadline <= began || queued.reply.is_closed())
        };
        let (late, batch): (Vec<_>, Vec<_>) = batch.into_iter().partition(is_late);
        let mut results: Vec<_> = late.into_iter().map(timed_out).collect();
        let mut committed = None;
        if !batch.is_empty() {
            let written = self.transactions.write(&batch).await;
            committed = written.committed;
            let (mut attempted, mut is_cut) = (0_u32, false);
            for (mut queued, verdict) in batch.into_iter().zip(written.verdicts) {
                if let Verdict::Requeue = verdict {
                    is_cut = true;
                    queue.requeue(queued);
                    continue;
                }
                attempted += 1;
                if queued.attempts == 0 {
                    let waited = began.duration_since(queued.since);
                    metrics::histogram!("feed_writer_wait_seconds").record(waited);
                }
                if let Verdict::Reply(result) = verdict {
                    results.push((queued.reply, result));
                } else {
                    queued.isolate |= matches!(verdict, Verdict::RetryIsolated);
                    results.extend(queue.retry(queued).map(timed_out));
                }
            }
            let took = began.elapsed();
            metrics::histogram!("feed_writer_batch_items").record(attempted);
            metrics::histogram!("feed_writer_batch_seconds").record(took);
            queue.record(attempted, is_cut, took);
            let shed = queue.shed().into_iter();
            results.extend(shed.map(|(queued, fault)| (queued.reply, Err(fault))));
        }
        let replies = BatchReplies { committed, results };
        self.replies.send(replies).await;
    }
}

/// The reply to an item whose deadline has passed.
fn timed_out<A: Apply>(
    queued: Queued<A>,
) -> (
    oneshot::Sender<WriteResult<A::Outcome>>,
    WriteResult<A::Outcome>,
) {
    let fault = Fault::unavailable("rows locked elsewhere, or PostgreSQL");
    (queued.reply, Err(fault))
}
