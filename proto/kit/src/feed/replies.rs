//! The last step of a write: its caller is answered, once every reader can know of the write.
//!
//! A task of its own publishes the high-water mark, once for all replies that wait, and the writer goes on meanwhile.

use std::future::Future;

use tokio::sync::{mpsc, oneshot};

use super::high_water_mark::HighWaterMark;
use super::{Position, WriteResult};

/// Batches whose replies may wait for Redis. When more wait, the writer waits as well.
const QUEUE: usize = 4_096;

/// The replies to one batch of writes.
pub(super) struct BatchReplies<D> {
    /// The newest position that the batch committed or read. Items that found nothing to change rely on it as well: the process that made
    /// their change may have stopped before it published the position.
    pub(super) committed: Option<Position>,
    pub(super) results: Vec<(oneshot::Sender<WriteResult<D>>, WriteResult<D>)>,
}

impl<D> BatchReplies<D> {
    fn send(self) {
        for (reply, result) in self.results {
            // The receiver is gone when its caller no longer waits.
            drop(reply.send(result));
        }
    }
}

/// Sends the writer's replies, either at once or after the high-water mark is published.
pub(super) struct ReplySender<D>(Option<mpsc::Sender<BatchReplies<D>>>);

impl<D: Send> ReplySender<D> {
    /// Sends replies at once.
    pub(super) fn immediate() -> Self {
        Self(None)
    }

    /// Sends replies after their position is published, in the task that is returned. The task ends when the writer is gone and all
    /// replies are sent.
    pub(super) fn after_publish(
        mark: HighWaterMark,
    ) -> (Self, impl Future<Output = anyhow::Result<()>> + Send) {
        let (queue, waiting) = mpsc::channel(QUEUE);
        (Self(Some(queue)), run(mark, waiting))
    }

    pub(super) async fn send(&self, replies: BatchReplies<D>) {
        match &self.0 {
            None => replies.send(),
            Some(queue) => {
                if let Err(mpsc::error::SendError(replies)) = queue.send(replies).await {
                    replies.send();
                }
            }
        }
    }
}

async fn run<D: Send>(
    mark: HighWaterMark,
    mut waiting: mpsc::Receiver<BatchReplies<D>>,
) -> anyhow::Result<()> {
    let mut ready = Vec::new();
    while waiting.recv_many(&mut ready, QUEUE).await > 0 {
        // One writer committed all of these batches in order: the last position is the newest.
        let committed = ready.iter().rev().find_map(|replies| replies.committed);
        if let Some(position) = committed {
            mark.publish(position).await;
        }
        ready.drain(..).for_each(BatchReplies::send);
    }
    Ok(())
}
