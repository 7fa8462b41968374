//! A producer's side of its feed: its tasks, and waking whoever waits for news.

use std::sync::Arc;

use sqlx::postgres::PgPool;
use time::OffsetDateTime;
use tokio::sync::watch;

use super::answer::Answering;
use super::apply::Apply;
use super::compact::{self, Retention};
use super::follow::Follow;
use super::head::Head;
use super::latest::Latest;
use super::tail::Tail;
use super::writer::{Writer, writer};
use super::{Position, lag};
use crate::clock::Clock;
use crate::lease::Lease;
use crate::lifecycle::Lifecycle;
use crate::pg::Schema;
use crate::wakeup::Wakeup;
use contracts::common::v1::feed_service_server::FeedServiceServer;

/// The feed of one service, in its own schema. Clones share it.
#[derive(Debug, Clone)]
pub struct Producer {
    pool: PgPool,
    schema: Schema,
    clock: Clock,
    lifecycle: Lifecycle,
    wakeup: Wakeup,
    /// Where it is told how far the feed has come, before a write is answered.
    latest: Option<Latest>,
    /// What it has committed last.
    tail: Arc<Tail>,
}

impl Producer {
    /// Starts the tasks of a feed: waking replicas, and compaction once per fleet.
    pub fn start(
        pool: PgPool,
        schema: Schema,
        clock: Clock,
        lifecycle: &Lifecycle,
        retention: Retention,
    ) -> Self {
        let producer = Self {
            pool: pool.clone(),
            schema,
            clock: clock.clone(),
            lifecycle: lifecycle.clone(),
            wakeup: Wakeup::start(pool.clone(), format!("{schema}_feed"), lifecycle),
            latest: None,
            tail: Arc::default(),
        };
        let lease = Lease::new(pool.clone(), schema, "feed compaction", clock.clone());
        lease.spawn(lifecycle, move || {
            compact::run(pool.clone(), schema, clock.clone(), retention)
        });
        producer
    }

    /// The same, whose writers answer only after `latest` was raised.
    #[must_use]
    pub fn telling(self, latest: Latest) -> Self {
        let repeating = latest.clone().repeat(self.clone());
        self.lifecycle.background("feed position", repeating);
        Self {
            latest: Some(latest),
            ..self
        }
    }

    /// Starts the writer task, through which all changes of this process go.
    pub fn writer<A: Apply>(&self, apply: A) -> Writer<A> {
        let answering = match self.latest.clone() {
            None => Answering::directly(),
            Some(latest) => {
                let (answering, task) = Answering::after(latest);
                self.lifecycle.finishing("feed answers", task);
                answering
            }
        };
        let (handle, task) = writer(
            apply,
            self.clone(),
            (*self.pool.connect_options()).clone(),
            self.clock.clone(),
            answering,
            self.lifecycle.stopping(),
        );
        self.lifecycle.finishing_apart("feed writer", task);
        handle
    }

    /// The gRPC service that followers call.
    pub fn service(
        &self,
    ) -> FeedServiceServer<impl contracts::common::v1::feed_service_server::FeedService> {
        FeedServiceServer::new(Follow::new(
            self.pool.clone(),
            self.clone(),
            self.clock.clone(),
            self.lifecycle.draining(),
        ))
    }

    /// Compacts the feed as of `now`; returns how many rows went. The feed does so by itself, once per fleet.
    pub async fn compact(
        &self,
        now: OffsetDateTime,
        retention: Retention,
    ) -> Result<u64, sqlx::Error> {
        compact::compact(&self.pool, self.schema, now, retention).await
    }

    pub(super) fn schema(&self) -> Schema {
        self.schema
    }

    pub(super) fn tail(&self) -> &Tail {
        &self.tail
    }

    /// Changes whenever there may be news. Subscribe first, then look.
    pub fn news(&self) -> watch::Receiver<u64> {
        self.wakeup.subscribe()
    }

    pub(super) fn wakeup(&self) -> &Wakeup {
        &self.wakeup
    }

    /// How far the feed has come.
    pub(super) async fn position(&self) -> Result<Position, sqlx::Error> {
        let head = Head::of(&mut *self.pool.acquire().await?, self.schema).await?;
        lag::head(self.schema.0, head.seq);
        Ok(Position {
            epoch: head.epoch,
            seq: head.seq,
        })
    }
}
