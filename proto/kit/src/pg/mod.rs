//! PostgreSQL: the pool, migrations, and the conversion of errors into faults.
//!
//! A PostgreSQL that vanishes without closing its connections must hold no task for long. sqlx has no TCP options for its own sockets, and
//! they would not help against a proxy that acknowledges and forwards nothing. Every wait for an answer is therefore limited: by the ping of
//! the pool, by the deadline of the caller, or by [`within`].

mod collation;
mod connection;
mod migrations;
pub(crate) mod statement;
mod transaction;

use std::time::Duration;

use anyhow::Context as _;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgArguments, PgConnection, PgPool, PgRow};
use sqlx::query::{Query, QueryAs, QueryScalar};
use sqlx::{AssertSqlSafe, Connection as _, FromRow, PgExecutor, Postgres};
use time::OffsetDateTime;
use tokio::time::{Instant, timeout, timeout_at};

use crate::api::fault::Fault;
use crate::clock::Clock;
use crate::config;
use connection::{connect, place, session, set};
use migrations::{protect_migrations, require_migrations, run_migrations};
use transaction::MarkAbandoned;

pub use connection::{pool, watch_pool};
pub use transaction::{begin, begin_with};

/// Connections of `migrate` after the migrations.
const OWNER_CONNECTIONS: u32 = 4;

/// The name of a schema. It is a constant, because the kit inserts it into the text of SQL statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema(pub &'static str);

/// Statements of the kit, which are written for a schema named `kit`: only the service knows its name. Tests run all of them against
/// PostgreSQL.
impl Schema {
    fn sql(self, text: &str) -> AssertSqlSafe<String> {
        AssertSqlSafe(text.replace("kit.", &format!("{self}.")))
    }

    pub(crate) fn query(self, text: &str) -> Query<'static, Postgres, PgArguments> {
        statement::query(self.sql(text))
    }

    pub(crate) fn query_as<O>(self, text: &str) -> QueryAs<'static, Postgres, O, PgArguments>
    where
        O: for<'row> FromRow<'row, PgRow>,
    {
        statement::query_as(self.sql(text))
    }

    pub(crate) fn query_scalar<O>(
        self,
        text: &str,
    ) -> QueryScalar<'static, Postgres, O, PgArguments>
    where
        (O,): for<'row> FromRow<'row, PgRow>,
    {
        statement::query_scalar(self.sql(text))
    }

    /// Several statements, without parameters.
    #[cfg(test)]
    pub(crate) fn raw_sql(self, text: &str) -> sqlx::RawSql {
        statement::raw_sql(self.sql(text))
    }
}

impl std::fmt::Display for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// Opens the pool of a service, after it has checked the server and the schema.
///
/// The role of a service may not change the schema: its owner does, by [`migrate`]. `session` holds settings of every connection besides the usual ones.
///
/// # Errors
/// A sentence that says what to do.
pub async fn open(
    settings: &config::Database,
    service: &'static str,
    migrator: &Migrator,
    session: &[(&str, &str)],
) -> anyhow::Result<PgPool> {
    let (options, mut first) =
        connect(&settings.database_url, settings.database_deadline, service).await?;
    require_migrations(&mut first, service, migrator)
        .await
        .with_context(|| format!("PostgreSQL at {}", place(&options)))?;
    first.close().await?;
    Ok(pool(options, settings, session))
}

/// Brings the schema of a service up to date, as its owner.
///
/// # Errors
/// A sentence that says what to do.
pub async fn migrate(
    settings: &config::Migration,
    service: &'static str,
    migrator: &Migrator,
) -> anyhow::Result<()> {
    let (options, mut connection) = connect(&settings.url, settings.deadline, service).await?;
    // No timeout of statements, because a migration may take long.
    set(&mut connection, session([])).await?;
    let applied = run_migrations(&mut connection, migrator, settings.lock_timeout)
        .await
        .with_context(|| format!("a migration failed at {}", place(&options)))?;
    protect_migrations(&mut connection, &migrator.table_name)
        .await
        .context("cannot take rights from the role of the service")?;
    if let Some(problem) = collation::problem(&mut connection).await? {
        tracing::warn!(service, "{problem}");
    }
    tracing::info!(service, applied, "the schema is up to date");
    connection.close().await?;
    Ok(())
}

/// A pool of the owner of a schema, for `migrate`. It connects at its first use.
///
/// # Errors
/// The URL is invalid.
pub fn owner_pool(settings: &config::Migration, service: &'static str) -> anyhow::Result<PgPool> {
    let options = connection::options(&settings.url, service)?;
    let settings = config::Database {
        database_url: settings.url.clone(),
        database_connections: OWNER_CONNECTIONS,
        database_deadline: settings.deadline,
        // 0: none. The first process of several that migrate may take long.
        database_statement_timeout: Duration::ZERO,
        database_lock_timeout: settings.lock_timeout,
        database_idle_in_transaction_timeout: Duration::ZERO,
    };
    Ok(pool(options, &settings, &[]))
}

/// Takes an advisory lock on `key` until the transaction ends, for callers that have no row to lock. A hash collision only makes two callers
/// wait for each other.
///
/// # Errors
/// The errors of PostgreSQL.
pub async fn lock_key(connection: &mut PgConnection, key: &str) -> Result<(), sqlx::Error> {
    let lock = statement::query("select pg_advisory_xact_lock(hashtextextended($1, 0))");
    lock.bind(key).execute(connection).await?;
    Ok(())
}

/// Takes the same lock, shared with other callers of this function.
///
/// # Errors
/// The errors of PostgreSQL.
pub async fn lock_key_shared(connection: &mut PgConnection, key: &str) -> Result<(), sqlx::Error> {
    let lock = statement::query("select pg_advisory_xact_lock_shared(hashtextextended($1, 0))");
    lock.bind(key).execute(connection).await?;
    Ok(())
}

/// PostgreSQL's time, for what must be ordered between processes, whose clocks may differ. Tests move it with `clock`.
///
/// # Errors
/// PostgreSQL is unavailable.
pub async fn now(
    executor: impl PgExecutor<'_>,
    clock: &Clock,
) -> Result<OffsetDateTime, sqlx::Error> {
    let now = statement::query_scalar("select clock_timestamp()").fetch_one(executor).await?;
    Ok(clock.moved(now))
}

/// [`now`], with [`in_time`].
///
/// # Errors
/// PostgreSQL is unavailable.
pub async fn now_in_time(pool: &PgPool, clock: &Clock) -> Result<OffsetDateTime, sqlx::Error> {
    in_time(pool, async |connection| now(connection, clock).await).await
}

/// How long PostgreSQL may take, as the settings of the pool say: `database_deadline` in a service.
pub fn deadline(pool: &PgPool) -> Duration {
    pool.options().get_acquire_timeout()
}

/// Runs `work` on a connection of `pool`, with the [`deadline`] of the pool as timeout: for tasks that no caller limits.
///
/// # Errors
/// The errors of [`within`].
pub async fn in_time<T>(
    pool: &PgPool,
    work: impl AsyncFnOnce(&mut PgConnection) -> Result<T, sqlx::Error>,
) -> Result<T, sqlx::Error> {
    within(pool, deadline(pool), work).await
}

/// Runs `work` on a connection of `pool`, with a timeout of `deadline`.
///
/// After a timeout the connection is closed and not returned to the pool, where its next user would wait for the same statement.
///
/// # Errors
/// The errors of `work`; [`sqlx::Error::PoolTimedOut`] after a timeout.
pub async fn within<T>(
    pool: &PgPool,
    deadline: Duration,
    work: impl AsyncFnOnce(&mut PgConnection) -> Result<T, sqlx::Error>,
) -> Result<T, sqlx::Error> {
    let deadline = Instant::now() + deadline;
    let timed_out = sqlx::Error::PoolTimedOut;
    let Ok(acquired) = timeout_at(deadline, pool.acquire()).await else {
        return Err(timed_out);
    };
    let mut connection = acquired?;
    let mut mark = MarkAbandoned::default();
    let done = timeout_at(deadline, work(&mut connection)).await;
    mark.is_over = true;
    if let Ok(done) = done {
        return done;
    }
    drop(connection.detach());
    Err(timed_out)
}

/// Runs `work`, which acquires its connections itself, with a timeout of `deadline`.
///
/// # Errors
/// The errors of `work`; [`sqlx::Error::PoolTimedOut`] after a timeout.
pub async fn with_timeout<T, E: From<sqlx::Error>>(
    deadline: Duration,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let done = timeout(deadline, work).await;
    done.unwrap_or_else(|_elapsed| Err(sqlx::Error::PoolTimedOut.into()))
}

/// PostgreSQL is unavailable, a row is locked for too long, or an internal error.
impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        if is_unavailable(&error) {
            Self::unavailable("PostgreSQL")
        } else if is_blocked(&error) {
            tracing::warn!(%error, "a statement was blocked");
            Self::unavailable("PostgreSQL: a statement that others blocked")
        } else {
            Self::internal(&error)
        }
    }
}

/// Whether PostgreSQL ended a statement that waited for others: `lock_timeout`, `statement_timeout`, a deadlock or a serialization failure.
/// Nothing is changed, and the same call may succeed later.
fn is_blocked(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| matches!(&*code, "55P03" | "57014") || code.starts_with("40"))
}

/// Whether PostgreSQL cannot be reached, as opposed to a rejected statement.
pub fn is_unavailable(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => true,
        // Class 57P: the server is shutting down or starting, or has ended this session. Class 53: it is out of connections or memory.
        // Class 08: a pooler has lost the server, perhaps after a commit (PgBouncer: 08P01).
        // 25P03, 25P04: it has ended a session after idle_in_transaction_session_timeout or transaction_timeout. 25006: it is a standby.
        sqlx::Error::Database(error) => error.code().is_some_and(|code| {
            code.starts_with("57P")
                || code.starts_with("53")
                || code.starts_with("08")
                || matches!(&*code, "25P03" | "25P04" | "25006")
        }),
        _ => false,
    }
}
