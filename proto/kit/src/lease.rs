//! Leases: work that runs in one replica at a time.
//!
//! A lease is a row, not a session lock, so that it works behind a connection pooler. A lease is a hint for who should work, never the
//! guard of what is written: a holder that was frozen may resume after another replica has acquired the lease. The work must be correct even
//! then, as a follower's cursor, which only moves from the value that the process has read.
//!
//! A lease expires by PostgreSQL's time: a process whose clock is ahead does not take what others hold.

use std::future::Future;
use std::time::Duration;

use sqlx::PgConnection;
use sqlx::postgres::PgPool;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::clock::Clock;
use crate::lifecycle::Lifecycle;
use crate::pg::{self, Schema, within};

/// The table, for a schema named `kit`.
pub const TABLE: &str = include_str!("lease.sql");

/// The time to live of a lease without renewal.
const TERM: Duration = Duration::from_secs(10);
/// How often a process tries to acquire or renews a lease.
const INTERVAL: Duration = Duration::from_secs(2);
/// The timeout of a statement: shorter than the rest of a term, and short enough for shutdown.
const TIMEOUT: Duration = Duration::from_secs(3);

/// A lease, as one process sees it.
#[derive(Debug, Clone)]
pub struct Lease {
    pool: PgPool,
    schema: Schema,
    name: &'static str,
    holder: Uuid,
    clock: Clock,
}

impl Lease {
    /// The lease called `name`, in the table `lease` of `schema`.
    pub fn new(pool: PgPool, schema: Schema, name: &'static str, clock: Clock) -> Self {
        Self {
            pool,
            schema,
            name,
            holder: crate::ids::row_id(),
            clock,
        }
    }

    /// Spawns `work`. It runs while this process holds the lease, and is dropped when the lease is lost. At shutdown `work` is dropped and the
    /// lease is released, so that another process can acquire it at once.
    pub fn spawn<F>(self, lifecycle: &Lifecycle, work: impl FnMut() -> F + Send + 'static)
    where
        F: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        let stopping = lifecycle.stopping();
        lifecycle.spawn_graceful(self.name, self.run(stopping, work));
    }

    /// Like [`spawn`](Self::spawn), but in the current task. Returns when `work` returns, or after `stopping`.
    ///
    /// # Errors
    /// The errors of `work`.
    pub async fn run<F>(
        self,
        stopping: CancellationToken,
        work: impl FnMut() -> F,
    ) -> anyhow::Result<()>
    where
        F: Future<Output = anyhow::Result<()>>,
    {
        let ended = self.run_while_held(&stopping, work).await;
        self.release().await;
        ended
    }

    async fn run_while_held<F>(
        &self,
        stopping: &CancellationToken,
        mut work: impl FnMut() -> F,
    ) -> anyhow::Result<()>
    where
        F: Future<Output = anyhow::Result<()>>,
    {
        while !stopping.is_cancelled() {
            // This is not cancelled: PostgreSQL could carry out the statement after the release and acquire the lease again.
            if !self.acquire_or_warn().await {
                tokio::select! {
                    () = stopping.cancelled() => {}
                    () = tokio::time::sleep(INTERVAL) => {}
                }
                continue;
            }
            tracing::info!(lease = self.name, "acquired a lease");
            tokio::select! {
                ended = work() => return ended,
                () = stopping.cancelled() => {}
                () = self.until_lost() => tracing::warn!(lease = self.name, "lost a lease"),
            }
        }
        Ok(())
    }

    async fn until_lost(&self) {
        loop {
            tokio::time::sleep(INTERVAL).await;
            match self.renew().await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(lease = self.name, %error, "cannot renew a lease; its work stops");
                    return;
                }
            }
        }
    }

    async fn acquire_or_warn(&self) -> bool {
        self.acquire().await.unwrap_or_else(|error| {
            tracing::warn!(lease = self.name, %error, "cannot acquire a lease; retrying");
            false
        })
    }

    /// Acquires the lease if it is free or has expired.
    async fn acquire(&self) -> Result<bool, sqlx::Error> {
        let sql = "insert into kit.lease as current (name, holder, expires_at) values ($1, $2, $3)
             on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
             where current.holder = excluded.holder or current.expires_at <= $4";
        let acquiring = async |connection: &mut PgConnection| {
            let now = pg::now(&mut *connection, &self.clock).await?;
            self.schema
                .query(sql)
                .bind(self.name)
                .bind(self.holder)
                .bind(now + TERM)
                .bind(now)
                .execute(connection)
                .await
        };
        let acquired = within(&self.pool, TIMEOUT, acquiring).await?;
        Ok(acquired.rows_affected() == 1)
    }

    /// Extends the lease if this process holds it. It does not acquire it, because PostgreSQL may carry out a renewal after the release.
    async fn renew(&self) -> Result<bool, sqlx::Error> {
        let sql = "update kit.lease set expires_at = $3 where name = $1 and holder = $2";
        let renewing = async |connection: &mut PgConnection| {
            let now = pg::now(&mut *connection, &self.clock).await?;
            self.schema
                .query(sql)
                .bind(self.name)
                .bind(self.holder)
                .bind(now + TERM)
                .execute(connection)
                .await
        };
        let renewed = within(&self.pool, TIMEOUT, renewing).await?;
        Ok(renewed.rows_affected() == 1)
    }

    /// Releases the lease if this process holds it.
    async fn release(&self) {
        let sql = "delete from kit.lease where name = $1 and holder = $2";
        let releasing = async |connection: &mut PgConnection| {
            self.schema
                .query(sql)
                .bind(self.name)
                .bind(self.holder)
                .execute(connection)
                .await
        };
        if let Err(error) = within(&self.pool, TIMEOUT, releasing).await {
            tracing::warn!(lease = self.name, %error, "cannot release a lease; it expires within ten seconds");
        }
    }
}
