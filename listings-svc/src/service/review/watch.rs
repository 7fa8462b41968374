//! Streams the listings that enter the queue, from this service's own feed, which has every change.

use std::collections::VecDeque;
use std::pin::Pin;
use std::time::Duration;

use contracts::listings::v1 as proto;
use contracts::listings::v1::watch_response::Message;
use futures::{Stream, stream};
use kit::Fault;
use kit::feed::{Position, Producer};
use sqlx::PgPool;
use tokio::sync::watch::Receiver;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::{Service, item};
use crate::domain::entity::Entity;
use crate::store::queue::{self, Item};

/// How often the feed is read without a notification, in case one is lost.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

pub(super) type Messages = Pin<Box<dyn Stream<Item = Result<proto::WatchResponse, Status>> + Send>>;

impl Service {
    pub(super) async fn follow(&self, kind: Option<Entity>) -> Result<Messages, Fault> {
        // Subscribe first, then look: what is committed in between is not missed.
        let news = self.producer.subscribe();
        let position = self.producer.position().await?;
        let watcher = Watcher {
            pool: self.pool.clone(),
            producer: self.producer.clone(),
            news,
            draining: self.draining.clone(),
            kind,
            position,
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

/// The position of one caller in the feed.
struct Watcher {
    pool: PgPool,
    producer: Producer,
    news: Receiver<u64>,
    draining: CancellationToken,
    kind: Option<Entity>,
    position: Position,
    ready: VecDeque<Message>,
}

impl Watcher {
    /// The next message; `None` ends the stream, and the caller starts a new one.
    async fn next(&mut self) -> Result<Option<Message>, Status> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Ok(Some(message));
            }
            self.news.mark_unchanged();
            let polled = self.poll().await.map_err(Fault::from)?;
            match polled {
                Poll::EpochChanged => return Ok(None),
                Poll::Rows => {}
                Poll::UpToDate => {
                    tokio::select! {
                        () = self.draining.cancelled() => return Ok(None),
                        changed = self.news.changed() => if changed.is_err() { return Ok(None) },
                        () = tokio::time::sleep(POLL_INTERVAL) => {}
                    }
                }
            }
        }
    }

    async fn poll(&mut self) -> Result<Poll, sqlx::Error> {
        let head = self.producer.position().await?;
        if head.epoch != self.position.epoch {
            return Ok(Poll::EpochChanged);
        }
        if head.seq <= self.position.seq {
            return Ok(Poll::UpToDate);
        }
        let rows = queue::entries_after(&self.pool, self.position.seq).await?;
        // Compaction may have removed rows; a newer row of the same listing replaces each.
        self.position.seq = rows.last().map_or(head.seq, |row| row.seq);
        for row in rows {
            let (Some(kind), Some(name)) = (row.kind, row.name) else {
                continue;
            };
            let Ok(kind) = kind.parse::<Entity>() else {
                continue;
            };
            if self.kind.is_none_or(|wanted| wanted == kind)
                && let Some(found) = queue::find(&self.pool, kind, &name).await?
                && is_waiting(&found)
            {
                self.ready.push_back(Message::Item(item(found)));
            }
        }
        Ok(Poll::Rows)
    }
}

/// The result of reading the feed.
enum Poll {
    /// The database was restored from a backup.
    EpochChanged,
    /// New rows, whether or not a listing entered the queue with them.
    Rows,
    /// No new rows.
    UpToDate,
}

fn is_waiting(item: &Item) -> bool {
    item.waiting_since.is_some()
}
