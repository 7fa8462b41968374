//! Work that runs once per fleet: whoever holds the lease row does it.
//!
//! A row, not a session lock, so that it works behind a connection pooler. A lease is a hint for who should work, never the
//! guard of what is written: a holder that was frozen may wake after its lease has passed on. What the work writes must hold by
//! itself, as a follower's cursor does, which only moves from where it was read.

use std::future::Future;
use std::time::Duration;

use sqlx::postgres::PgPool;
use sqlx::{AssertSqlSafe, PgConnection};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::clock::Clock;
use crate::lifecycle::Lifecycle;
use crate::pg::{Schema, within};

/// How long a lease holds when it is not renewed.
const TERM: Duration = Duration::from_secs(10);
/// How often it is asked for, or renewed.
const PERIOD: Duration = Duration::from_secs(2);
/// How long PostgreSQL may take for a statement: less than is left of a term, and short at shutdown.
const DEADLINE: Duration = Duration::from_secs(3);

/// A claim to do one piece of work, by one process.
#[derive(Debug, Clone)]
pub struct Lease {
    pool: PgPool,
    schema: Schema,
    name: &'static str,
    holder: Uuid,
    clock: Clock,
}

impl Lease {
    /// A claim to the work called `name`, kept in the `lease` table of `schema`.
    pub fn new(pool: PgPool, schema: Schema, name: &'static str, clock: Clock) -> Self {
        Self {
            pool,
            schema,
            name,
            holder: crate::ids::row_id(),
            clock,
        }
    }

    /// Spawns `work`: it runs whenever this process holds the lease and is dropped when the lease is lost. At shutdown `work` is dropped
    /// and the lease released, so that another process need not wait for the term to run out.
    pub fn spawn<F>(self, lifecycle: &Lifecycle, work: impl FnMut() -> F + Send + 'static)
    where
        F: Future<Output = anyhow::Result<()>> + Send + 'static,
    {
        let stopping = lifecycle.stopping();
        lifecycle.finishing(self.name, self.run(stopping, work));
    }

    /// The same within the caller's task. Returns when `work` does, or after `stopping`.
    ///
    /// # Errors
    /// Those of `work`.
    pub async fn run<F>(
        self,
        stopping: CancellationToken,
        work: impl FnMut() -> F,
    ) -> anyhow::Result<()>
    where
        F: Future<Output = anyhow::Result<()>>,
    {
        let ended = self.hold(&stopping, work).await;
        self.release().await;
        ended
    }

    async fn hold<F>(
        &self,
        stopping: &CancellationToken,
        mut work: impl FnMut() -> F,
    ) -> anyhow::Result<()>
    where
        F: Future<Output = anyhow::Result<()>>,
    {
        while !stopping.is_cancelled() {
            // It is not broken off: a statement that PostgreSQL carries out after the release would take the lease again.
            if !self.acquire_or_warn().await {
                tokio::select! {
                    () = stopping.cancelled() => {}
                    () = tokio::time::sleep(PERIOD) => {}
                }
                continue;
            }
            tracing::info!(lease = self.name, "lease acquired");
            tokio::select! {
                ended = work() => return ended,
                () = stopping.cancelled() => {}
                () = self.until_lost() => tracing::warn!(lease = self.name, "lease lost"),
            }
        }
        Ok(())
    }

    async fn until_lost(&self) {
        loop {
            tokio::time::sleep(PERIOD).await;
            match self.renew(self.clock.now()).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(lease = self.name, %error, "the lease cannot be renewed");
                    return;
                }
            }
        }
    }

    async fn acquire_or_warn(&self) -> bool {
        self.acquire(self.clock.now())
            .await
            .unwrap_or_else(|error| {
                tracing::warn!(lease = self.name, %error, "the lease cannot be asked for");
                false
            })
    }

    /// Takes the lease when it is free or has run out.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn acquire(&self, now: OffsetDateTime) -> Result<bool, sqlx::Error> {
        let sql = format!(
            "insert into {0}.lease as held (name, holder, expires_at) values ($1, $2, $3)
             on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
             where held.holder = excluded.holder or held.expires_at <= $4",
            self.schema
        );
        let acquiring = async |connection: &mut PgConnection| {
            sqlx::query(AssertSqlSafe(sql))
                .bind(self.name)
                .bind(self.holder)
                .bind(now + TERM)
                .bind(now)
                .execute(connection)
                .await
        };
        let acquired = within(&self.pool, DEADLINE, acquiring).await?;
        Ok(acquired.rows_affected() == 1)
    }

    /// Prolongs the lease that this process holds. It does not take one: a renewal may be carried out after the release.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn renew(&self, now: OffsetDateTime) -> Result<bool, sqlx::Error> {
        let sql = format!(
            "update {}.lease set expires_at = $3 where name = $1 and holder = $2",
            self.schema
        );
        let renewing = async |connection: &mut PgConnection| {
            sqlx::query(AssertSqlSafe(sql))
                .bind(self.name)
                .bind(self.holder)
                .bind(now + TERM)
                .execute(connection)
                .await
        };
        let renewed = within(&self.pool, DEADLINE, renewing).await?;
        Ok(renewed.rows_affected() == 1)
    }

    /// Releases the lease, if this process holds it.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn release(&self) {
        let sql = format!(
            "delete from {}.lease where name = $1 and holder = $2",
            self.schema
        );
        let releasing = async |connection: &mut PgConnection| {
            sqlx::query(AssertSqlSafe(sql))
                .bind(self.name)
                .bind(self.holder)
                .execute(connection)
                .await
        };
        if let Err(error) = within(&self.pool, DEADLINE, releasing).await {
            tracing::warn!(lease = self.name, %error, "the lease is left to run out");
        }
    }
}
