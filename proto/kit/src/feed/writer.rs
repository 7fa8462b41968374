//! The writer task: one a process, through which every change of a producer goes.
//!
//! It commits what is queued at once, never waiting for more, in one transaction: each item first, under a savepoint of its own, then,
//! in one message with the `commit`, the head raised by as many changes and their rows numbered from it. The head's row lock orders
//! the commits of all replicas and is held for no client round trip.

use std::future::Future;
use std::time::Instant;

use sqlx::postgres::PgConnectOptions;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::answer::{Answering, Answers};
use super::apply::Apply;
use super::queue::{DEADLINE, Entrance, Queue, Queued, queue};
use super::session::Sessions;
use super::transaction::{Transactions, Verdict};
use super::{Outcome, Producer};
use crate::clock::Clock;
use crate::fault::Fault;
use crate::ids;

/// Hands items to the writer task. Clones share it.
#[derive(Debug)]
pub struct Writer<A: Apply> {
    queue: Entrance<A>,
}

impl<A: Apply> Clone for Writer<A> {
    fn clone(&self) -> Self {
        Self {
            queue: self.queue.clone(),
        }
    }
}

impl<A: Apply> Writer<A> {
    /// Makes one change and returns once it is committed: what came of it, and where its last row stands on the feed (`None` when
    /// nothing changed).
    pub async fn write(&self, item: A::Item) -> Outcome<A::Done> {
        let (reply, answer) = oneshot::channel();
        self.queue.push(Queued {
            item,
            request: ids::row_id(),
            give_up: Instant::now() + DEADLINE,
            reply,
            tries: 0,
            alone: false,
        })?;
        answer
            .await
            .unwrap_or_else(|_| Err(Fault::unavailable("the writer has stopped")))
    }
}

/// The writer task and the handle to it. The task ends after `stopping`, when what was queued is done.
pub(super) fn writer<A: Apply>(
    apply: A,
    producer: Producer,
    options: PgConnectOptions,
    clock: Clock,
    answering: Answering<A::Done>,
    stopping: CancellationToken,
) -> (Writer<A>, impl Future<Output = anyhow::Result<()>> + Send) {
    let (entrance, waiting) = queue(stopping);
    let task = Task {
        transactions: Transactions {
            apply,
            sessions: Sessions::new(options, producer.schema()),
            producer,
            clock,
        },
        answering,
    };
    (Writer { queue: entrance }, task.run(waiting))
}

struct Task<A: Apply> {
    transactions: Transactions<A>,
    answering: Answering<A::Done>,
}

impl<A: Apply> Task<A> {
    async fn run(mut self, mut queue: Queue<A>) -> anyhow::Result<()> {
        while let Some(batch) = queue.next().await {
            self.process(batch, &mut queue).await;
        }
        Ok(())
    }

    /// Writes a batch and answers its callers, but for those whose items are tried again.
    async fn process(&mut self, batch: Vec<Queued<A>>, queue: &mut Queue<A>) {
        let began = Instant::now();
        let late = |queued: &Queued<A>| queued.tries == 0 && queued.give_up <= began;
        let (late, batch): (Vec<_>, Vec<_>) = batch.into_iter().partition(late);
        let mut outcomes: Vec<_> = late.into_iter().map(given_up).collect();
        let mut reached = None;
        if !batch.is_empty() {
            metrics::histogram!("feed_writer_batch_items")
                .record(u32::try_from(batch.len()).unwrap_or(u32::MAX));
            let written = self.transactions.write(&batch).await;
            reached = written.reached;
            let mut tried = 0;
            for (mut queued, verdict) in batch.into_iter().zip(written.verdicts) {
                if let Verdict::Answer(outcome) = verdict {
                    tried += 1;
                    outcomes.push((queued.reply, outcome));
                } else if let Verdict::PutBack = verdict {
                    queue.put_back(queued);
                } else {
                    tried += 1;
                    queued.alone |= matches!(verdict, Verdict::RetryAlone);
                    outcomes.extend(queue.retry(queued).map(given_up));
                }
            }
            queue.record(tried, began.elapsed());
        }
        self.answering.give(Answers { reached, outcomes }).await;
    }
}

/// The answer to an item that was not written in its time.
fn given_up<A: Apply>(queued: Queued<A>) -> (oneshot::Sender<Outcome<A::Done>>, Outcome<A::Done>) {
    let fault = Fault::unavailable("rows locked elsewhere, or PostgreSQL");
    (queued.reply, Err(fault))
}
