//! Leases: work that runs in one replica at a time.
//!
//! A lease is a row, not a session lock: a process that is frozen would hold such a lock for as long as its connection is open. A lease is
//! a hint for who should work, never the guard of what is written: a holder that was frozen may resume after another replica has acquired
//! the lease. The work must be correct even then, as a follower's cursor, which only moves from the value that the process has read.
//!
//! A lease expires by PostgreSQL's time: a process whose clock is ahead does not take what others hold.

use std::time::Duration;

use sqlx::PgConnection;
use sqlx::postgres::PgPool;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::clock::Clock;
use crate::pg::{self, Schema, within};

/// The table, for a schema named `kit`.
pub const TABLE: &str = include_str!("lease.sql");

/// The time to live of a lease without renewal.
const TERM: Duration = Duration::from_secs(10);
/// How often a process tries to acquire or renews a lease.
const INTERVAL: Duration = Duration::from_secs(2);
/// How long a process works after the last renewal: [`TERM`] less the time in which it drops its work.
const WORK: Duration = Duration::from_secs(8);
/// Pause after a renewal that failed.
const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// The timeout of a statement: a renewal that takes so long can be tried again within a term, and shutdown waits for it.
const TIMEOUT: Duration = Duration::from_secs(3);

/// A lease, as one process sees it.
#[derive(Debug, Clone)]
pub(super) struct Lease {
    pool: PgPool,
    schema: Schema,
    name: &'static str,
    holder: Uuid,
    clock: Clock,
}

impl Lease {
    /// The lease called `name`, in the table `lease` of `schema`.
    pub(super) fn new(pool: PgPool, schema: Schema, name: &'static str, clock: Clock) -> Self {
        Self { pool, schema, name, holder: crate::ids::row_id(), clock }
    }

    /// Waits until this process holds the lease, and returns the time since when it does; `None` after `stopping`.
    pub(super) async fn acquire(&self, stopping: &CancellationToken) -> Option<Instant> {
        while !stopping.is_cancelled() {
            let since = Instant::now();
            // This is not cancelled: PostgreSQL could carry out the statement after the release and acquire the lease again.
            match self.try_acquire().await {
                Ok(true) => {
                    tracing::info!(lease = self.name, "acquired a lease");
                    return Some(since);
                }
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(lease = self.name, %error, "cannot acquire a lease; retrying");
                }
            }
            tokio::select! {
                () = stopping.cancelled() => {}
                () = tokio::time::sleep(INTERVAL) => {}
            }
        }
        None
    }

    /// Renews the lease, held since `since`, until another process has it or it is about to expire.
    pub(super) async fn until_lost(&self, since: Instant) {
        let renew = || async move {
            self.renew().await.inspect_err(|error| {
                tracing::warn!(lease = self.name, %error, "cannot renew a lease; retrying");
            })
        };
        renew_until_lost(since, renew).await;
        tracing::warn!(lease = self.name, "lost a lease; its work stops");
    }

    /// Acquires the lease if it is free or has expired. Writes nothing while another process holds it.
    async fn try_acquire(&self) -> Result<bool, sqlx::Error> {
        let sql = "insert into kit.lease as current (name, holder, expires_at)
             select $1, $2, $3 where not exists (
                 select from kit.lease held
                 where held.name = $1 and held.holder <> $2 and held.expires_at > $4
             )
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
    pub(super) async fn release(&self) {
        let sql = "delete from kit.lease where name = $1 and holder = $2";
        let releasing = async |connection: &mut PgConnection| {
            self.schema.query(sql).bind(self.name).bind(self.holder).execute(connection).await
        };
        if let Err(error) = within(&self.pool, TIMEOUT, releasing).await {
            tracing::warn!(lease = self.name, %error, "cannot release a lease; it expires within ten seconds");
        }
    }
}

/// Renews until `renew` says that another process has the lease, or the term is almost over. A renewal that fails is tried again: PostgreSQL may
/// be slow for a moment.
async fn renew_until_lost<F, E>(since: Instant, mut renew: impl FnMut() -> F)
where
    F: Future<Output = Result<bool, E>>,
{
    let mut until = since + WORK;
    let mut pause = INTERVAL;
    loop {
        tokio::time::sleep_until(until.min(Instant::now() + pause)).await;
        let began = Instant::now();
        match timeout_at(until, renew()).await {
            Ok(Ok(true)) => (until, pause) = (began + WORK, INTERVAL),
            Ok(Err(_failed)) if began < until => pause = RETRY_PAUSE,
            Ok(Ok(false) | Err(_)) | Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// How long a term lasts when its renewals have these results. The last result repeats.
    async fn term(renewals: &[Result<bool, ()>]) -> Duration {
        let since = Instant::now();
        let mut renewals = VecDeque::from(renewals.to_vec());
        let renew = || {
            let next = renewals.pop_front().expect("a last renewal");
            if renewals.is_empty() {
                renewals.push_back(next);
            }
            std::future::ready(next)
        };
        renew_until_lost(since, renew).await;
        since.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn renewals_that_fail_end_a_term_only_when_it_is_almost_over() {
        assert_eq!(term(&[Err(())]).await, WORK);
        let slow_for_a_moment = [Err(()), Err(()), Ok(true), Err(())];
        let expected = INTERVAL + 2 * RETRY_PAUSE + WORK;
        assert_eq!(term(&slow_for_a_moment).await, expected);
    }

    #[tokio::test(start_paused = true)]
    async fn a_term_ends_when_another_process_has_the_lease() {
        assert_eq!(term(&[Ok(true), Ok(false)]).await, 2 * INTERVAL);
    }

    #[tokio::test(start_paused = true)]
    async fn a_renewal_that_hangs_ends_a_term_when_it_is_almost_over() {
        let since = Instant::now();
        renew_until_lost(since, std::future::pending::<Result<bool, ()>>).await;
        assert_eq!(since.elapsed(), WORK);
    }

    #[tokio::test(start_paused = true)]
    async fn a_renewal_counts_from_when_it_was_sent() {
        let (since, mut answers) = (Instant::now(), [TIMEOUT, Duration::MAX].into_iter());
        let renew = || {
            let answer = tokio::time::sleep(answers.next().expect("two renewals"));
            async move {
                answer.await;
                Ok::<_, ()>(true)
            }
        };
        renew_until_lost(since, renew).await;
        assert_eq!(since.elapsed(), INTERVAL + WORK);
    }
}
