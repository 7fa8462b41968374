//! The producer's side of a feed: its transactions and tasks, and the subscriptions of readers in the same process.

mod compact;
mod follow;
mod head;
mod high_water_mark;
mod list_changes;
mod rows;
mod transaction;

use std::time::Duration;

use contracts::common::v1::feed_service_server::FeedServiceServer;
use sqlx::postgres::PgPool;
use time::OffsetDateTime;
use tokio::sync::watch;

use super::Position;
use crate::api::fault::Fault;
use crate::clock::Clock;
use crate::jobs::Leader;
use crate::lifecycle::Lifecycle;
use crate::pg::{self, Schema};
use crate::wakeup::Wakeup;

use compact::Compaction;
use follow::Follow;
use head::Head;

pub use compact::Retention;
pub use high_water_mark::HighWaterMark;
pub use rows::{ChangeBatch, read_changes, read_head};
pub use transaction::{NewChange, Transaction};

/// The tables of a producer, for a schema named `kit`.
pub const TABLES: &str = include_str!("producer.sql");

/// How often a replica reads the head, in case a wakeup was lost.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The feed of one service, in its own schema. Clones share it.
#[derive(Debug, Clone)]
pub struct Producer {
    pool: PgPool,
    schema: Schema,
    clock: Clock,
    lifecycle: Lifecycle,
    wakeup: Wakeup,
    /// Raised before a write is answered.
    high_water_mark: Option<HighWaterMark>,
}

impl Producer {
    /// Starts the tasks of the feed in the schema of `leader`: waking replicas, and compaction, which is a job of the leader.
    pub fn start(leader: &Leader, lifecycle: &Lifecycle, retention: Retention) -> Self {
        let (pool, schema, clock) = (leader.pool.clone(), leader.schema, leader.clock.clone());
        let producer = Self {
            pool: pool.clone(),
            schema,
            clock: clock.clone(),
            lifecycle: lifecycle.clone(),
            wakeup: Wakeup::start(pool.clone(), format!("{schema}_feed"), lifecycle),
            high_water_mark: None,
        };
        lifecycle.spawn_background("feed poll", producer.clone().poll());
        leader.spawn("feed compaction", move || {
            compact::run(pool.clone(), schema, clock.clone(), retention)
        });
        producer
    }

    /// A producer of a process that is no replica, such as `migrate`: it runs no tasks. Replicas
    /// find its changes by polling.
    pub fn without_tasks(pool: PgPool, schema: Schema, clock: Clock) -> Self {
        let (lifecycle, _) = Lifecycle::new();
        let wakeup = Wakeup::without_tasks(pool.clone(), format!("{schema}_feed"));
        Self { pool, schema, clock, lifecycle, wakeup, high_water_mark: None }
    }

    /// Wakes the streams when the head has moved and perhaps no wakeup has come. If the head cannot be read, they find out as well, and end:
    /// their followers then connect again.
    async fn poll(self) -> anyhow::Result<()> {
        let mut last = None;
        loop {
            tokio::time::sleep(POLL_INTERVAL).await;
            let reading = pg::in_time(&self.pool, async |connection| {
                rows::read_head(connection, self.schema).await
            });
            let head = reading.await.ok();
            if head.is_none() || head != last {
                self.wakeup.wake_here();
            }
            last = head;
        }
    }

    /// Makes the transactions publish `mark` before they return.
    #[must_use]
    pub fn publish_to(self, mark: HighWaterMark) -> Self {
        Self { high_water_mark: Some(mark), ..self }
    }

    /// Begins a transaction for a change of the service's data, with PostgreSQL's time: the clock of a replica may be wrong. The pool limits how
    /// many are open.
    ///
    /// # Errors
    /// PostgreSQL is unavailable, or no connection becomes free in time.
    pub async fn begin(&self) -> Result<Transaction, Fault> {
        let begin = async {
            loop {
                let mut inner = pg::begin(&self.pool).await?;
                if let Some(head) = Head::read_current(&mut inner, self.schema).await? {
                    return Ok::<_, sqlx::Error>((inner, head));
                }
                // The new epoch is committed at once: this transaction would lock the head until its end.
                inner.rollback().await?;
                self.head().await?;
            }
        };
        let (inner, head) = pg::with_timeout(self.deadline(), begin).await?;
        let now = self.clock.moved(head.read_at);
        Ok(Transaction::new(inner, self.clone(), head.epoch, now))
    }

    /// After a commit: wakes the followers, and raises the high-water mark.
    async fn publish(&self, position: Position) {
        self.wakeup.wake();
        self.publish_mark(position).await;
    }

    /// The gRPC service that followers call.
    pub fn service(
        &self,
    ) -> FeedServiceServer<impl contracts::common::v1::feed_service_server::FeedService> {
        FeedServiceServer::new(Follow(self.clone()))
    }

    /// Compacts the feed as of `now`; returns the number of rows removed. A task of the feed does this too, once per fleet.
    pub async fn compact(
        &self,
        now: OffsetDateTime,
        retention: Retention,
    ) -> Result<u64, sqlx::Error> {
        Compaction::new(self.pool.clone(), self.schema, retention).run(now).await
    }

    /// How long PostgreSQL may take to begin or to commit a transaction.
    fn deadline(&self) -> Duration {
        pg::deadline(&self.pool)
    }

    /// Changes whenever there may be new rows. Subscribe first, then read: a commit between the two is not missed.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.wakeup.subscribe()
    }

    /// The head of the feed.
    async fn head(&self) -> Result<Head, sqlx::Error> {
        pg::in_time(&self.pool, async |connection| Head::read(connection, self.schema).await).await
    }

    /// Raises the high-water mark to a position that is committed, for a producer that has one.
    async fn publish_mark(&self, position: Position) {
        if let Some(mark) = &self.high_water_mark {
            mark.publish(position).await;
        }
    }
}
