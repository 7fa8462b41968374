//! PostgreSQL: the pool, migrations, and the conversion of errors into faults.

use std::str::FromStr as _;
use std::time::Duration;

use anyhow::Context as _;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use time::OffsetDateTime;
use tokio::time::{Instant, timeout_at};

use crate::clock::Clock;
use crate::config;
use crate::fault::Fault;

/// The oldest supported major version.
const MIN_VERSION: i32 = 15;

/// The name of a schema. It is a constant, because the kit inserts it into the text of SQL statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema(pub &'static str);

impl std::fmt::Display for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// The result of locking a row with `skip locked`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowLock<T> {
    /// The row is locked until the transaction ends.
    Acquired(T),
    /// Another transaction has the lock.
    Busy,
    /// There is no such row.
    NotFound,
}

impl<T> RowLock<T> {
    /// The result when `row` is the locked row, if there is one, and `exists` says whether the row exists.
    pub fn new(row: Option<T>, exists: bool) -> Self {
        match row {
            Some(row) => Self::Acquired(row),
            None if exists => Self::Busy,
            None => Self::NotFound,
        }
    }
}

/// Opens the pool, checks the version of the server and runs the migrations.
///
/// # Errors
/// One sentence that says what to do.
pub async fn open(
    settings: &config::Database,
    service: &'static str,
    migrator: &Migrator,
) -> anyhow::Result<PgPool> {
    let options = PgConnectOptions::from_str(settings.database_url.expose())
        .ok()
        .context("database_url is not a URL such as postgres://user:password@host:5432/database")?
        .application_name(service)
        // The statements are short. PostgreSQL would still JIT-compile some of them, because it assumes that a new, unanalyzed table is long.
        .options([("jit", "off")]);
    let place = format!("{}:{}", options.get_host(), options.get_port());
    let pool = PgPoolOptions::new()
        .max_connections(settings.database_connections)
        .acquire_timeout(settings.database_deadline)
        .connect_lazy_with(options.clone());
    // A single connection first: its error names the cause, while a pool only reports a timeout.
    let probe = <sqlx::PgConnection as sqlx::Connection>::connect_with(&options);
    let mut probe = tokio::time::timeout(settings.database_deadline, probe)
        .await
        .with_context(|| format!("PostgreSQL at {place} does not answer; check database_url"))?
        .with_context(|| format!("cannot connect to PostgreSQL at {place}; check database_url"))?;
    let version: i32 = server_version(&mut probe).await?;
    anyhow::ensure!(
        version / 10_000 >= MIN_VERSION,
        "PostgreSQL at {place} is version {}; install {MIN_VERSION} or newer",
        version / 10_000
    );
    sqlx::Connection::close(probe).await?;
    migrator
        .run(&pool)
        .await
        .with_context(|| format!("a migration failed at {place}"))?;
    Ok(pool)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the statement reads no table that sqlx could check"
)]
async fn server_version(connection: &mut sqlx::PgConnection) -> Result<i32, sqlx::Error> {
    sqlx::query_scalar("select current_setting('server_version_num')::int4")
        .fetch_one(connection)
        .await
}

/// PostgreSQL's time, for what must be ordered between processes, whose clocks may differ. Tests move it with `clock`.
///
/// # Errors
/// PostgreSQL is unavailable.
#[expect(
    clippy::disallowed_methods,
    reason = "the statement reads no table that sqlx could check"
)]
pub async fn now(pool: &PgPool, clock: &Clock) -> Result<OffsetDateTime, sqlx::Error> {
    let now = sqlx::query_scalar("select clock_timestamp()")
        .fetch_one(pool)
        .await?;
    Ok(clock.moved(now))
}

/// How long PostgreSQL may take, as the settings of the pool say: `database_deadline` in a service.
pub fn deadline(pool: &PgPool) -> Duration {
    pool.options().get_acquire_timeout()
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
    if let Ok(done) = timeout_at(deadline, work(&mut connection)).await {
        return done;
    }
    drop(connection.detach());
    Err(timed_out)
}

/// Converts a database error into a fault: PostgreSQL is unavailable, or an internal error.
pub fn fault(error: &sqlx::Error) -> Fault {
    if is_unavailable(error) {
        Fault::unavailable("PostgreSQL")
    } else {
        Fault::internal(error)
    }
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        fault(&error)
    }
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
        // 25P03, 25P04: it has ended a session after idle_in_transaction_session_timeout or transaction_timeout. 25006: it is a standby.
        sqlx::Error::Database(error) => error.code().is_some_and(|code| {
            code.starts_with("57P")
                || code.starts_with("53")
                || matches!(&*code, "25P03" | "25P04" | "25006")
        }),
        _ => false,
    }
}
