//! PostgreSQL: the pool, migrations, and the conversion of errors into faults.
//!
//! A PostgreSQL that vanishes without closing its connections must hold no task for long. sqlx has no TCP options for its own sockets, and
//! they would not help against a proxy that acknowledges and forwards nothing. Every wait for an answer is therefore limited: by the ping of
//! the pool, by the deadline of the caller, or by [`within`].

use std::str::FromStr as _;
use std::time::Duration;

use anyhow::Context as _;
use sqlx::migrate::{Migrate as _, MigrateError, Migrator};
use sqlx::postgres::{PgArguments, PgConnectOptions, PgConnection, PgPool, PgPoolOptions, PgRow};
use sqlx::query::{Query, QueryAs, QueryScalar};
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, FromRow, PgExecutor, Postgres, RawSql,
};
use time::OffsetDateTime;
use tokio::time::{Instant, timeout, timeout_at};

use crate::clock::Clock;
use crate::config;
use crate::fault::Fault;

/// The oldest supported major version.
const MIN_VERSION: i32 = 15;
/// How long PostgreSQL may take to answer a ping. Then the connection is closed.
const PING_TIMEOUT: Duration = Duration::from_secs(2);
/// A connection that was idle for less than this is not pinged before its next use.
const IDLE_WITHOUT_PING: Duration = Duration::from_millis(500);
/// How often the pool is watched.
const POOL_INTERVAL: Duration = Duration::from_secs(5);
/// Pause before a migration that could not lock its tables is tried again.
const MIGRATION_PAUSE: Duration = Duration::from_secs(1);
/// SQLSTATE of a statement that has waited for a lock for longer than its timeout.
const LOCK_NOT_AVAILABLE: &str = "55P03";
/// SQLSTATE of a statement about a table that does not exist.
const UNDEFINED_TABLE: &str = "42P01";
/// PostgreSQL sends a first probe to a silent client after ten seconds and closes the connection, with its locks, after 25; or when the
/// client leaves data unacknowledged for 20 seconds.
const TCP: [(&str, &str); 4] = [
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "20s"),
];

/// Begins a transaction whose statements may take long, for jobs that read or delete many rows.
pub const BEGIN_LONG: &str = "begin; set local statement_timeout = '10min'";

/// The name of a schema. It is a constant, because the kit inserts it into the text of SQL statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema(pub &'static str);

/// Statements of the kit, which are written for a schema named `kit`: only the service knows its name. Tests run all of them against
/// PostgreSQL.
#[expect(
    clippy::disallowed_methods,
    reason = "the name of the schema is a parameter, so no macro can check them"
)]
impl Schema {
    fn sql(self, text: &str) -> AssertSqlSafe<String> {
        AssertSqlSafe(text.replace("kit.", &format!("{self}.")))
    }

    pub(crate) fn query(self, text: &str) -> Query<'static, Postgres, PgArguments> {
        sqlx::query(self.sql(text))
    }

    pub(crate) fn query_as<O>(self, text: &str) -> QueryAs<'static, Postgres, O, PgArguments>
    where
        O: for<'row> FromRow<'row, PgRow>,
    {
        sqlx::query_as(self.sql(text))
    }

    pub(crate) fn query_scalar<O>(
        self,
        text: &str,
    ) -> QueryScalar<'static, Postgres, O, PgArguments>
    where
        (O,): for<'row> FromRow<'row, PgRow>,
    {
        sqlx::query_scalar(self.sql(text))
    }

    /// Several statements, without parameters.
    pub(crate) fn raw_sql(self, text: &str) -> RawSql {
        sqlx::raw_sql(self.sql(text))
    }
}

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
        .options([("jit", "off")])
        .options(TCP);
    let place = format!("{}:{}", options.get_host(), options.get_port());
    // A single connection first: its error names the cause, while a pool only reports a timeout. Its statements have no timeout,
    // because a migration may take long.
    let lock_timeout = settings.database_lock_timeout.as_millis().to_string();
    let patient = options.clone().options([("lock_timeout", lock_timeout)]);
    let mut first = timeout(settings.database_deadline, patient.connect())
        .await
        .with_context(|| format!("PostgreSQL at {place} does not answer; check database_url"))?
        .with_context(|| format!("cannot connect to PostgreSQL at {place}; check database_url"))?;
    let version: i32 = server_version(&mut first).await?;
    anyhow::ensure!(
        version / 10_000 >= MIN_VERSION,
        "PostgreSQL at {place} is version {}; install {MIN_VERSION} or newer",
        version / 10_000
    );
    migrate(&mut first, migrator)
        .await
        .with_context(|| format!("a migration failed at {place}"))?;
    first.close().await?;
    Ok(pool(options, settings))
}

/// Runs the migrations that the database lacks. It may have newer ones, which an older version ignores: after a rollback, and in a
/// rollout.
///
/// Replicas of a service migrate one at a time, under an advisory lock of their schema. A service that lacks nothing takes no lock, so that
/// it starts while another one migrates. (The lock of sqlx's migrator belongs to the database, and is taken in any case.)
///
/// While a migration waits for the lock of a table, all later statements on that table wait behind it. It therefore gives up after the
/// lock timeout of the connection, lets them pass and tries again.
async fn migrate(connection: &mut PgConnection, migrator: &Migrator) -> Result<(), MigrateError> {
    let migrator = Migrator {
        migrations: migrator.migrations.clone(),
        ignore_missing: true,
        locking: false,
        no_tx: migrator.no_tx,
        table_name: migrator.table_name.clone(),
        create_schemas: migrator.create_schemas.clone(),
    };
    while !is_migrated(connection, &migrator).await? {
        if lock_migrations(connection, &migrator.table_name).await? {
            match migrator.run(&mut *connection).await {
                Err(
                    MigrateError::Execute(sqlx::Error::Database(error))
                    | MigrateError::ExecuteMigration(sqlx::Error::Database(error), _),
                ) if error.code().as_deref() == Some(LOCK_NOT_AVAILABLE) => {
                    tracing::warn!("a migration waits for a lock; trying again");
                    unlock_migrations(connection, &migrator.table_name).await?;
                }
                done => return done,
            }
        } else {
            tracing::info!("another replica migrates the database; waiting for it");
        }
        tokio::time::sleep(MIGRATION_PAUSE).await;
    }
    Ok(())
}

/// Whether the database has all migrations, as they are in `migrator`.
async fn is_migrated(
    connection: &mut PgConnection,
    migrator: &Migrator,
) -> Result<bool, MigrateError> {
    match connection
        .list_applied_migrations(&migrator.table_name)
        .await
    {
        Ok(applied) => Ok(migrator.iter().all(|migration| {
            applied.iter().any(|applied| {
                applied.version == migration.version && applied.checksum == migration.checksum
            })
        })),
        Err(MigrateError::Execute(sqlx::Error::Database(error)))
            if error.code().as_deref() == Some(UNDEFINED_TABLE) =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Locks the migrations of a schema until the connection is closed; `false` while another connection has the lock.
#[expect(
    clippy::disallowed_methods,
    reason = "the statement reads no table that sqlx could check"
)]
async fn lock_migrations(connection: &mut PgConnection, table: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("select pg_try_advisory_lock(hashtextextended($1, 0))")
        .bind(table)
        .fetch_one(connection)
        .await
}

/// Releases the lock of [`lock_migrations`].
#[expect(
    clippy::disallowed_methods,
    reason = "the statement reads no table that sqlx could check"
)]
async fn unlock_migrations(connection: &mut PgConnection, table: &str) -> Result<(), sqlx::Error> {
    sqlx::query("select pg_advisory_unlock(hashtextextended($1, 0))")
        .bind(table)
        .execute(connection)
        .await?;
    Ok(())
}

/// A pool whose connections have the timeouts of `settings`, and which closes a connection that PostgreSQL does not answer.
///
/// A caller that gives up drops its query, and the connection would wait for the answer in the background, for ever if PostgreSQL has
/// vanished without closing it: soon the pool would be empty. Every connection is therefore pinged, with a timeout, when it comes back.
pub fn pool(options: PgConnectOptions, settings: &config::Database) -> PgPool {
    let milliseconds = |timeout: Duration| timeout.as_millis().to_string();
    let options = options.options([
        (
            "statement_timeout",
            milliseconds(settings.database_statement_timeout),
        ),
        ("lock_timeout", milliseconds(settings.database_lock_timeout)),
        (
            "idle_in_transaction_session_timeout",
            milliseconds(settings.database_idle_in_transaction_timeout),
        ),
    ]);
    PgPoolOptions::new()
        .max_connections(settings.database_connections)
        .acquire_timeout(settings.database_deadline)
        // sqlx would ping without a timeout, and before every use.
        .test_before_acquire(false)
        .before_acquire(|connection, metadata| {
            let is_fresh = metadata.idle_for < IDLE_WITHOUT_PING;
            Box::pin(async move {
                if is_fresh {
                    Ok(true)
                } else {
                    ping(connection).await
                }
            })
        })
        .after_release(|connection, _| Box::pin(ping(connection)))
        .connect_lazy_with(options)
}

/// Watches a pool for metrics, for ever. Each time it waits for a connection as a caller does, and measures the wait, also one that ends
/// with an error.
pub async fn watch_pool(pool: PgPool) -> anyhow::Result<()> {
    let gauge = |value: u32, gauge: &metrics::Gauge| gauge.set(f64::from(value));
    let in_use = metrics::gauge!("database_pool_connections", "state" => "in_use");
    let idle = metrics::gauge!("database_pool_connections", "state" => "idle");
    let limit = metrics::gauge!("database_pool_connections_max");
    let waits = metrics::histogram!("database_pool_wait_seconds");
    gauge(pool.options().get_max_connections(), &limit);
    loop {
        let (open, idle_count) = (pool.size(), u32::try_from(pool.num_idle())?);
        gauge(idle_count, &idle);
        gauge(open.saturating_sub(idle_count), &in_use);
        let began = Instant::now();
        drop(pool.acquire().await);
        waits.record(began.elapsed());
        tokio::time::sleep(POOL_INTERVAL).await;
    }
}

/// Whether PostgreSQL answers on this connection. After an error the pool closes it.
async fn ping(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    let answered = timeout(PING_TIMEOUT, connection.ping()).await;
    answered
        .unwrap_or(Err(sqlx::Error::PoolTimedOut))
        .map(|()| true)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the statement reads no table that sqlx could check"
)]
async fn server_version(connection: &mut PgConnection) -> Result<i32, sqlx::Error> {
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
pub async fn now(
    executor: impl PgExecutor<'_>,
    clock: &Clock,
) -> Result<OffsetDateTime, sqlx::Error> {
    let now = sqlx::query_scalar("select clock_timestamp()")
        .fetch_one(executor)
        .await?;
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
