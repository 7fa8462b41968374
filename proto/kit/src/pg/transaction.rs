//! Begins transactions, and says when a connection may have come back inside one.
//!
//! When a caller gives up while it waits for the answer to its `BEGIN`, sqlx 0.9.0 forgets the transaction
//! (<https://github.com/transact-rs/sqlx/issues/4385>, mended after that version). The next users of the connection would write into it, and
//! lose their writes. The pool therefore asks each connection that comes back whether it is in a transaction, but only in the minute after a
//! caller gave up: the question costs a round trip.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sqlx::postgres::PgPool;
use sqlx::{Postgres, SqlSafeStr, Transaction};

/// When a caller last gave up. All pools of the process share it.
static ABANDONED: Mutex<Option<Instant>> = Mutex::new(None);
/// How long connections are asked then. An abandoned one comes back at once, and PostgreSQL ends its session after a few seconds in which
/// it is idle inside a transaction.
const SUSPICION: Duration = Duration::from_mins(1);

/// Begins a transaction, as [`PgPool::begin`] does. Product code calls this, or [`begin_with`], only.
///
/// # Errors
/// PostgreSQL is unavailable, or no connection becomes free in time.
pub async fn begin(pool: &PgPool) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
    begin_with(pool, "begin").await
}

/// Begins a transaction with these statements.
///
/// # Errors
/// As for [`begin`].
pub async fn begin_with(
    pool: &PgPool,
    statements: impl SqlSafeStr,
) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
    #[expect(clippy::disallowed_methods, reason = "the mark guards it")]
    let mut beginning = Box::pin(pool.begin_with(statements));
    // Declared after the future, so that it is dropped before the connection.
    let mut mark = MarkAbandoned::default();
    let begun = beginning.as_mut().await;
    mark.is_over = begun.is_ok();
    begun
}

/// Notes the time when it is dropped before the work is over.
#[derive(Debug, Default)]
pub(super) struct MarkAbandoned {
    pub(super) is_over: bool,
}

impl Drop for MarkAbandoned {
    fn drop(&mut self) {
        if !self.is_over {
            *ABANDONED.lock() = Some(Instant::now());
        }
    }
}

/// Whether a connection that comes back may be inside a transaction.
pub(super) fn may_be_abandoned() -> bool {
    let abandoned = *ABANDONED.lock();
    abandoned.is_some_and(|at| at.elapsed() < SUSPICION)
}
