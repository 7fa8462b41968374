//! A producer's side of its feed: its tasks, and waking whoever waits for news.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgListener, PgPool};
use time::OffsetDateTime;
use tokio::sync::{Notify, watch};

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
use crate::ids;
use crate::lease::Lease;
use crate::lifecycle::Lifecycle;
use crate::pg::Schema;
use contracts::common::v1::feed_service_server::FeedServiceServer;

/// Between two notifications of other replicas, at least.
const NOTIFY_GAP: Duration = Duration::from_millis(5);

/// The feed of one service, in its own schema. Clones share it.
#[derive(Debug, Clone)]
pub struct Producer {
    pool: PgPool,
    schema: Schema,
    clock: Clock,
    lifecycle: Lifecycle,
    /// Tells this process from other replicas.
    name: Arc<str>,
    /// Counts up when there may be news.
    news: Arc<watch::Sender<u64>>,
    /// Counts up when there may be rows that the tail lacks.
    unseen: Arc<watch::Sender<u64>>,
    /// Told when other replicas are to be woken.
    committed: Arc<Notify>,
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
            name: ids::row_id().to_string().into(),
            news: Arc::new(watch::Sender::new(0)),
            unseen: Arc::new(watch::Sender::new(0)),
            committed: Arc::default(),
            latest: None,
            tail: Arc::default(),
        };
        lifecycle.background("feed notifier", producer.clone().notify());
        lifecycle.background("feed listener", producer.clone().listen());
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
        self.news.subscribe()
    }

    /// Changes whenever there may be rows that the tail lacks, before the news of them.
    pub(super) fn unseen(&self) -> watch::Receiver<u64> {
        self.unseen.subscribe()
    }

    /// After a commit: wakes the followers of this process at once, those of other replicas by the notifier.
    pub(super) fn announce(&self) {
        count_up(&self.news);
        self.committed.notify_one();
    }

    /// Wakes the followers of this process for rows that may have been committed elsewhere, or whose commit was not heard of.
    pub(super) fn announce_unseen(&self) {
        count_up(&self.unseen);
        count_up(&self.news);
    }

    fn channel(&self) -> String {
        format!("{}_feed", self.schema)
    }

    /// One notifier a process, after commit: NOTIFY inside the writes would take a lock that all writers of the cluster share. What is
    /// committed shortly after another is told of together.
    #[expect(
        clippy::disallowed_methods,
        reason = "no table is asked, so there is nothing to check"
    )]
    async fn notify(self) -> anyhow::Result<()> {
        loop {
            self.committed.notified().await;
            let sent = sqlx::query("select pg_notify($1, $2)")
                .bind(self.channel())
                .bind(&*self.name)
                .execute(&self.pool)
                .await;
            if let Err(error) = sent {
                tracing::warn!(%error, "other replicas are not woken; they look by themselves");
            }
            tokio::time::sleep(NOTIFY_GAP).await;
        }
    }

    async fn listen(self) -> anyhow::Result<()> {
        loop {
            if let Err(error) = self.listen_once().await {
                tracing::warn!(%error, "not listening for news; followers look by themselves");
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    async fn listen_once(&self) -> Result<(), sqlx::Error> {
        let mut listener = PgListener::connect_with(&self.pool).await?;
        listener.listen(&self.channel()).await?;
        loop {
            // This process has woken its own followers already.
            if listener.recv().await?.payload() != &*self.name {
                self.announce_unseen();
            }
        }
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

fn count_up(counter: &watch::Sender<u64>) {
    counter.send_modify(|count| *count = count.wrapping_add(1));
}
