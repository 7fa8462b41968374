//! What enters the queue, as it does: from the feed, on which everything that changes a listing is.

use std::collections::VecDeque;
use std::pin::Pin;
use std::time::Duration;

use contracts::listings::v1 as proto;
use contracts::listings::v1::watch_response::Message;
use futures::{Stream, stream};
use kit::Fault;
use sqlx::PgPool;
use tokio::sync::watch::Receiver;
use tokio_util::sync::CancellationToken;
use tonic::Status;
use uuid::Uuid;

use super::{Service, item};
use crate::domain::entity::Entity;
use crate::store::queue::{self, Item};

/// How often it looks by itself, in case a wake-up was lost.
const NET: Duration = Duration::from_secs(1);

/// The stream of a caller.
pub(super) type Messages = Pin<Box<dyn Stream<Item = Result<proto::WatchResponse, Status>> + Send>>;

impl Service {
    pub(super) async fn follow(&self, kind: Option<Entity>) -> Result<Messages, Fault> {
        // Subscribe first, then look: what is committed in between is not missed.
        let news = self.producer.subscribe();
        let (epoch, after) = queue::head(&self.pool).await?;
        let watcher = Watcher {
            pool: self.pool.clone(),
            news,
            draining: self.draining.clone(),
            kind,
            epoch,
            after,
            ready: VecDeque::from([Message::Started(proto::WatchStarted {})]),
        };
        let messages = stream::try_unfold(watcher, |mut watcher| async move {
            let message = watcher.next().await?;
            Ok(message.map(|message| {
                let message = Some(message);
                (proto::WatchResponse { message }, watcher)
            }))
        });
        Ok(Box::pin(messages))
    }
}

/// One caller's way through the feed.
struct Watcher {
    pool: PgPool,
    news: Receiver<u64>,
    draining: CancellationToken,
    kind: Option<Entity>,
    epoch: Uuid,
    after: i64,
    ready: VecDeque<Message>,
}

impl Watcher {
    /// The next message; `None` ends the stream, and the caller begins again.
    async fn next(&mut self) -> Result<Option<Message>, Status> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Ok(Some(message));
            }
            self.news.mark_unchanged();
            let looked = self.look().await.map_err(Fault::from)?;
            match looked {
                Looked::OtherEpoch => return Ok(None),
                Looked::Rows => {}
                Looked::Nothing => {
                    tokio::select! {
                        () = self.draining.cancelled() => return Ok(None),
                        changed = self.news.changed() => if changed.is_err() { return Ok(None) },
                        () = tokio::time::sleep(NET) => {}
                    }
                }
            }
        }
    }

    async fn look(&mut self) -> Result<Looked, sqlx::Error> {
        let (epoch, head) = queue::head(&self.pool).await?;
        if epoch != self.epoch {
            return Ok(Looked::OtherEpoch);
        }
        if head <= self.after {
            return Ok(Looked::Nothing);
        }
        let rows = queue::entered(&self.pool, self.after).await?;
        // Rows may have gone by compaction; what they brought has changed since, and is on newer rows.
        self.after = rows.last().map_or(head, |row| row.seq);
        for row in rows {
            let (Some(kind), Some(name)) = (row.kind, row.name) else {
                continue;
            };
            let Some(kind) = Entity::parse(&kind) else {
                continue;
            };
            if self.kind.is_none_or(|wanted| wanted == kind)
                && let Some(found) = queue::find(&self.pool, kind, &name).await?
                && waits(&found)
            {
                self.ready.push_back(Message::Item(item(found)));
            }
        }
        Ok(Looked::Rows)
    }
}

/// What a look has found.
enum Looked {
    /// The data were restored.
    OtherEpoch,
    /// Rows, whether or not anything has entered the queue with them.
    Rows,
    /// No news.
    Nothing,
}

fn waits(item: &Item) -> bool {
    item.waiting_since.is_some()
}
