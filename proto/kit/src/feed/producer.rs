//! A producer's side of its feed: the head, the epoch, and waking whoever waits for news.

use std::sync::Arc;

use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgListener, PgPool};
use sqlx::{AssertSqlSafe, PgConnection, Row as _};
use time::OffsetDateTime;
use tokio::sync::{Notify, watch};
use uuid::Uuid;

use super::Position;
use super::answer::Answering;
use super::apply::Apply;
use super::compact::{self, Retention};
use super::follow::Follow;
use super::latest::Latest;
use super::tail::Tail;
use super::writer::{Writer, writer};
use crate::clock::Clock;
use crate::ids;
use crate::lease::Lease;
use crate::lifecycle::Lifecycle;
use crate::pg::Schema;
use contracts::common::v1::feed_service_server::FeedServiceServer;

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
    /// Told when other replicas are to be woken.
    committed: Arc<Notify>,
    /// Where it is told how far the feed has come, before a write is answered.
    latest: Option<Latest>,
    /// What it has committed last.
    tail: Arc<Tail>,
}

/// The head of the feed as a connection met it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) epoch: Uuid,
    pub(super) seq: i64,
    /// The table that holds it; another one after a restore into the same database.
    pub(super) table: Oid,
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
            committed: Arc::default(),
            latest: None,
            tail: Arc::default(),
        };
        lifecycle.background("feed notifier", producer.clone().notify());
        lifecycle.background("feed listener", producer.clone().listen());
        let lease = Lease::new(pool.clone(), schema, "feed compaction", clock.clone());
        lifecycle.background(
            "feed compaction",
            lease.run(move || compact::run(pool.clone(), schema, clock.clone(), retention)),
        );
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

    /// After a commit: wakes the followers of this process at once, those of other replicas by the notifier.
    pub(super) fn announce(&self) {
        self.wake();
        self.committed.notify_one();
    }

    fn wake(&self) {
        self.news
            .send_modify(|count| *count = count.wrapping_add(1));
    }

    fn channel(&self) -> String {
        format!("{}_feed", self.schema)
    }

    /// One notifier a process, after commit: NOTIFY inside the writes would take a lock that all writers of the cluster share.
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
        }
    }

    async fn listen(self) -> anyhow::Result<()> {
        loop {
            if let Err(error) = self.listen_once().await {
                tracing::warn!(%error, "not listening for news; followers look by themselves");
            }
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        }
    }

    async fn listen_once(&self) -> Result<(), sqlx::Error> {
        let mut listener = PgListener::connect_with(&self.pool).await?;
        listener.listen(&self.channel()).await?;
        loop {
            // This process has woken its own followers already.
            if listener.recv().await?.payload() != &*self.name {
                self.wake();
            }
        }
    }

    /// How far the feed has come.
    pub(super) async fn position(&self) -> Result<Position, sqlx::Error> {
        let head = self.head(&mut *self.pool.acquire().await?).await?;
        Ok(Position {
            epoch: head.epoch,
            seq: head.seq,
        })
    }

    /// The head, after making sure that its epoch belongs to this very database.
    ///
    /// An epoch ends when the data were restored, because rows that followers have seen may be gone and their numbers may be given
    /// out again. A restore shows in the server's identity or timeline (a base backup with recovery, a failover), in the database,
    /// or in the table itself (a dump).
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    pub(super) async fn head(&self, connection: &mut PgConnection) -> Result<Head, sqlx::Error> {
        let here = format!(
            "select concat_ws('/',
                 (select system_identifier from pg_control_system()),
                 left(pg_walfile_name(pg_current_wal_lsn()), 8),
                 (select oid from pg_database where datname = current_database()),
                 '{}.feed_head'::regclass::oid) as incarnation",
            self.schema
        );
        let look = format!(
            "with here as ({here})
             select epoch, seq, feed_head.tableoid as head_table, feed_head.incarnation = here.incarnation as is_current
             from {}.feed_head, here",
            self.schema
        );
        let renew = format!(
            "with here as ({here})
             update {}.feed_head set incarnation = here.incarnation, epoch = gen_random_uuid()
             from here where feed_head.incarnation <> here.incarnation",
            self.schema
        );
        loop {
            let looking = sqlx::query(AssertSqlSafe(look.as_str()));
            let row = looking.fetch_one(&mut *connection).await?;
            if row.try_get("is_current")? {
                return Ok(Head {
                    epoch: row.try_get("epoch")?,
                    seq: row.try_get("seq")?,
                    table: row.try_get("head_table")?,
                });
            }
            // Of several that come at once one renews it. The others wait for that, and look again: what they saw is over.
            let renewing = sqlx::query(AssertSqlSafe(renew.as_str()));
            if renewing.execute(&mut *connection).await?.rows_affected() > 0 {
                tracing::warn!(schema = %self.schema, "the feed begins a new epoch: its data are new or were restored");
            }
        }
    }

    /// Begins a new epoch because a follower has seen more than there is: rows were lost that no restore tells of.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    pub(super) async fn disown(
        &self,
        connection: &mut PgConnection,
        head: Head,
    ) -> Result<(), sqlx::Error> {
        let sql = format!(
            "update {}.feed_head set epoch = gen_random_uuid() where epoch = $1",
            self.schema
        );
        sqlx::query(AssertSqlSafe(sql))
            .bind(head.epoch)
            .execute(connection)
            .await?;
        tracing::warn!(schema = %self.schema, "the feed begins a new epoch: a follower has seen more than there is");
        Ok(())
    }
}
