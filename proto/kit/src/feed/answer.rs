//! The last step of a write: its callers are answered, after every reader can know of it.
//!
//! Redis is told by a task of its own, once for all answers that wait, so that the writer goes on meanwhile.

use std::future::Future;

use tokio::sync::{mpsc, oneshot};

use super::Outcome;
use super::latest::{Latest, Reached};

/// Batches that may wait for Redis; beyond that the writer waits as well.
const QUEUE: usize = 4_096;

/// The answers to one batch of writes.
pub(super) struct Answers<D> {
    /// How far the feed has come for whoever wrote, and whoever found nothing left to write.
    pub(super) reached: Option<Reached>,
    /// What came of each item, and who waits for it.
    pub(super) outcomes: Vec<(oneshot::Sender<Outcome<D>>, Outcome<D>)>,
}

impl<D> Answers<D> {
    fn give(self) {
        for (reply, outcome) in self.outcomes {
            // A caller that has gone away needs no answer.
            drop(reply.send(outcome));
        }
    }
}

/// Where the writer hands in its answers.
pub(super) struct Answering<D>(Option<mpsc::Sender<Answers<D>>>);

impl<D: Send> Answering<D> {
    /// Answers are given at once.
    pub(super) fn directly() -> Self {
        Self(None)
    }

    /// Answers are given once Redis has been told, by the task that is returned. It ends when all are given and the writer is gone.
    pub(super) fn after(latest: Latest) -> (Self, impl Future<Output = anyhow::Result<()>> + Send) {
        let (queue, waiting) = mpsc::channel(QUEUE);
        (Self(Some(queue)), run(latest, waiting))
    }

    pub(super) async fn give(&self, answers: Answers<D>) {
        match &self.0 {
            None => answers.give(),
            Some(queue) => {
                if let Err(mpsc::error::SendError(answers)) = queue.send(answers).await {
                    answers.give();
                }
            }
        }
    }
}

async fn run<D: Send>(
    latest: Latest,
    mut waiting: mpsc::Receiver<Answers<D>>,
) -> anyhow::Result<()> {
    let mut ready = Vec::new();
    while waiting.recv_many(&mut ready, QUEUE).await > 0 {
        // One task has committed them all: the last has come furthest.
        let reached = ready.iter().rev().find_map(|answers| answers.reached);
        if let Some(reached) = reached
            && !latest.raise(reached).await
        {
            // What came while Redis was waited for has not been told either.
            while let Ok(answers) = waiting.try_recv() {
                ready.push(answers);
            }
            latest.is_over().await;
        }
        ready.drain(..).for_each(Answers::give);
    }
    Ok(())
}
