//! Work that runs once per fleet: whoever holds the lease row does it.
//!
//! A row, not a session lock, so that it works behind a connection pooler. A lease is a hint for who should work, never the
//! guard of what is written: a holder that was frozen may wake after its lease has passed on. What the work writes must hold by
//! itself, as a follower's cursor does, which only moves from where it was read.

use std::future::Future;
use std::time::Duration;

use sqlx::AssertSqlSafe;
use sqlx::postgres::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::clock::Clock;
use crate::pg::Schema;

/// How long a lease holds when it is not renewed.
const TERM: Duration = Duration::from_secs(10);
/// How often it is asked for, or renewed.
const PERIOD: Duration = Duration::from_secs(2);

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

    /// Runs `work` whenever this process holds the lease, and drops it when the lease is lost. Returns only when `work` does.
    pub async fn run<F>(self, mut work: impl FnMut() -> F) -> anyhow::Result<()>
    where
        F: Future<Output = anyhow::Result<()>>,
    {
        loop {
            if !self.acquire_or_warn().await {
                tokio::time::sleep(PERIOD).await;
                continue;
            }
            tracing::info!(lease = self.name, "lease taken");
            tokio::select! {
                ended = work() => {
                    self.release().await;
                    return ended;
                }
                () = self.until_lost() => tracing::warn!(lease = self.name, "lease lost"),
            }
        }
    }

    async fn until_lost(&self) {
        loop {
            tokio::time::sleep(PERIOD).await;
            if !self.acquire_or_warn().await {
                return;
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

    /// Takes the lease when it is free or has run out, renews it when it is ours.
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
        let taken = sqlx::query(AssertSqlSafe(sql))
            .bind(self.name)
            .bind(self.holder)
            .bind(now + TERM)
            .bind(now)
            .execute(&self.pool)
            .await?;
        Ok(taken.rows_affected() == 1)
    }

    /// Lets go, so that another need not wait for the term to run out.
    #[expect(
        clippy::disallowed_methods,
        reason = "the schema is a parameter; tested against PostgreSQL"
    )]
    async fn release(&self) {
        let sql = format!(
            "delete from {}.lease where name = $1 and holder = $2",
            self.schema
        );
        let released = sqlx::query(AssertSqlSafe(sql))
            .bind(self.name)
            .bind(self.holder)
            .execute(&self.pool)
            .await;
        if let Err(error) = released {
            tracing::warn!(lease = self.name, %error, "the lease is left to run out");
        }
    }
}
