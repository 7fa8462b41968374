//! PostgreSQL: the pool, migrations, and the conversion of errors into faults.
//!
//! A PostgreSQL that vanishes without closing its connections must hold no task for long. sqlx has no TCP options for its own sockets, and
//! they would not help against a proxy that acknowledges and forwards nothing. Every wait for an answer is therefore limited: by the ping of
//! the pool, by the deadline of the caller, or by [`within`].

use std::str::FromStr as _;
use std::time::Duration;

use anyhow::Context as _;
use sqlx::migrate::{AppliedMigration, Migrate as _, MigrateError, Migration, Migrator};
use sqlx::postgres::{PgArguments, PgConnectOptions, PgConnection, PgPool, PgPoolOptions, PgRow};
use sqlx::query::{Query, QueryAs, QueryScalar};
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, FromRow, PgExecutor,
    Postgres, RawSql, Row as _,
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
/// Settings of every session.
const SESSION: [(&str, &str); 5] = [
    // The statements are short. PostgreSQL would still JIT-compile some of them, because it assumes that a new, unanalyzed table is long.
    ("jit", "off"),
    // PostgreSQL sends a first probe to a silent client after ten seconds and closes the connection, with its locks, after 25; or when the
    // client leaves data unacknowledged for 20 seconds.
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "20s"),
];
/// How often two connections take turns to find out whether a pooler shares their sessions.
const TURNS: usize = 3;

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

/// Opens the pool of a service, after it has checked the server and the schema.
///
/// The role of a service may not change the schema: its owner does, by [`migrate`]. `session` holds settings of every connection besides the usual ones.
///
/// # Errors
/// One sentence that says what to do.
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
/// One sentence that says what to do.
pub async fn migrate(
    settings: &config::Migration,
    service: &'static str,
    migrator: &Migrator,
) -> anyhow::Result<()> {
    let (options, mut connection) = connect(&settings.url, settings.deadline, service).await?;
    // No timeout of statements, because a migration may take long.
    set(&mut connection, session([])).await?;
    let missing = run_migrations(&mut connection, migrator, settings.lock_timeout)
        .await
        .with_context(|| format!("a migration failed at {}", place(&options)))?;
    protect_migrations(&mut connection, &migrator.table_name)
        .await
        .context("cannot take rights from the role of the service")?;
    tracing::info!(service, missing, "the schema is up to date");
    connection.close().await?;
    Ok(())
}

/// Connects for the first time, and checks the server. A single connection says why it fails, while a pool only reports a timeout.
async fn connect(
    url: &config::Secret,
    deadline: Duration,
    service: &'static str,
) -> anyhow::Result<(PgConnectOptions, PgConnection)> {
    let options = PgConnectOptions::from_str(url.expose())
        .ok()
        .context("database_url is not a URL such as postgres://user:password@host:5432/database")?
        .application_name(service)
        // PgBouncer refuses this startup parameter of sqlx, which has no effect on binary values.
        .extra_float_digits(None);
    let place = place(&options);
    let connecting = async {
        let mut first = options.connect().await?;
        let is_shared = shares_sessions(&options, &mut first).await?;
        Ok::<_, sqlx::Error>((first, is_shared))
    };
    let (mut first, is_shared) = timeout(deadline, connecting)
        .await
        .with_context(|| format!("PostgreSQL at {place} does not answer; check database_url"))?
        .with_context(|| format!("cannot connect to PostgreSQL at {place}; check database_url"))?;
    anyhow::ensure!(
        !is_shared,
        "PostgreSQL at {place} is behind a pooler that shares a session after each transaction; \
         put the pooler into session mode (PgBouncer: pool_mode = session), or connect without it"
    );
    let version: i32 = server_version(&mut first).await?;
    anyhow::ensure!(
        version / 10_000 >= MIN_VERSION,
        "PostgreSQL at {place} is version {}; install {MIN_VERSION} or newer",
        version / 10_000
    );
    Ok((options, first))
}

fn place(options: &PgConnectOptions) -> String {
    format!("{}:{}", options.get_host(), options.get_port())
}

/// Whether a pooler gives the session of one connection to another one while both are open, as in transaction mode. LISTEN, prepared
/// statements, timeouts and locks need a session of their own.
///
/// Between two transactions a pooler serves either connection from the same session, or one of them from several. Only other clients that come
/// between can hide that, so the connections take turns several times.
async fn shares_sessions(
    options: &PgConnectOptions,
    first: &mut PgConnection,
) -> Result<bool, sqlx::Error> {
    let mut second = options.connect().await?;
    let sessions = (backend(first).await?, backend(&mut second).await?);
    let mut is_shared = sessions.0 == sessions.1;
    for _ in 0..TURNS {
        let again = (backend(first).await?, backend(&mut second).await?);
        is_shared |= again != sessions;
    }
    second.close().await?;
    Ok(is_shared)
}

/// The process of PostgreSQL that serves a connection, and the start of its server: processes of two servers behind one address, such as
/// before and after a failover, may have the same number. By the simple protocol, which every pooler understands.
#[expect(
    clippy::disallowed_methods,
    reason = "the statement reads no table that sqlx could check"
)]
async fn backend(connection: &mut PgConnection) -> Result<String, sqlx::Error> {
    let statement = sqlx::raw_sql("select pg_backend_pid() || ' ' || pg_postmaster_start_time()");
    connection.fetch_one(statement).await?.try_get(0)
}

/// Fails unless the database has the migrations of this release. It may have newer ones, which the release before them ignores: during an
/// upgrade, and after a rollback.
async fn require_migrations(
    connection: &mut PgConnection,
    service: &'static str,
    migrator: &Migrator,
) -> anyhow::Result<()> {
    let table = &migrator.table_name;
    let existing = existing_migrations(connection, table)
        .await
        .with_context(|| format!("cannot read {table}; deploy/sql/roles.sql gives the rights"))?;
    for migration in migrator.iter() {
        let name = format!(
            "migration {} ({})",
            migration.version, migration.description
        );
        let found = existing.iter().find(|it| it.version == migration.version);
        let found = found.with_context(|| {
            format!("{table} lacks {name} of this release: run `{service} migrate`")
        })?;
        anyhow::ensure!(
            found.checksum == migration.checksum,
            "{name} in {table} is another one than that of this release: a released file was edited, or the database belongs to other code"
        );
    }
    let newer = existing.len() - migrator.iter().len();
    if newer > 0 {
        tracing::info!(service, newer, "the schema is of a newer release");
    }
    Ok(())
}

/// Runs the migrations that the database lacks; returns how many it lacked at first.
///
/// Several processes migrate one at a time, under an advisory lock of their schema. One that finds nothing to do takes no lock. (The lock of
/// sqlx's migrator belongs to the database, and is taken in any case.)
///
/// While a migration waits for the lock of a table, all later statements on that table wait behind it. It therefore gives up after
/// `lock_timeout`, lets them pass and tries again.
async fn run_migrations(
    connection: &mut PgConnection,
    migrator: &Migrator,
    lock_timeout: Duration,
) -> Result<usize, MigrateError> {
    let migrator = Migrator {
        migrations: migrator.migrations.clone(),
        ignore_missing: true,
        locking: false,
        no_tx: migrator.no_tx,
        table_name: migrator.table_name.clone(),
        create_schemas: migrator.create_schemas.clone(),
    };
    let missing = missing_migrations(connection, &migrator).await?.len();
    while let Some(next) = missing_migrations(connection, &migrator).await?.first() {
        if lock_migrations(connection, &migrator.table_name).await? {
            match run_migration(connection, &migrator, next, lock_timeout).await {
                Ok(()) => {
                    unlock_migrations(connection, &migrator.table_name).await?;
                    continue;
                }
                Err(
                    MigrateError::Execute(sqlx::Error::Database(error))
                    | MigrateError::ExecuteMigration(sqlx::Error::Database(error), _),
                ) if error.code().as_deref() == Some(LOCK_NOT_AVAILABLE) => {
                    tracing::warn!("a migration waits for a lock; trying again");
                    unlock_migrations(connection, &migrator.table_name).await?;
                }
                Err(error) => return Err(error),
            }
        } else {
            tracing::info!("another process migrates the database; waiting for it");
        }
        tokio::time::sleep(MIGRATION_PAUSE).await;
    }
    Ok(missing)
}

/// Runs the next migration.
///
/// One without a transaction builds an index concurrently. No statement waits behind it, and if it gave up, an invalid index would stay. It
/// therefore waits for other transactions without a timeout.
async fn run_migration(
    connection: &mut PgConnection,
    migrator: &Migrator,
    next: &Migration,
    lock_timeout: Duration,
) -> Result<(), MigrateError> {
    let lock_timeout = if next.no_tx {
        Duration::ZERO
    } else {
        lock_timeout
    };
    let statement = format!("set lock_timeout = {}", milliseconds(lock_timeout));
    set(connection, statement).await?;
    migrator.run_to(next.version, &mut *connection).await
}

/// Takes from the role of the service the rights to write the table of migrations, which the default privileges of `deploy/sql/roles.sql`
/// give. The role has the name of the schema.
#[expect(
    clippy::disallowed_methods,
    reason = "the names are parameters, so no macro can check the statement"
)]
async fn protect_migrations(connection: &mut PgConnection, table: &str) -> Result<(), sqlx::Error> {
    let Some((role, _)) = table.split_once('.') else {
        return Ok(());
    };
    // Two processes that change the rights of a table at once would fail.
    let statement = format!(
        "do $$ begin
            perform pg_advisory_xact_lock(hashtextextended('{table}', 1));
            if exists (
                select from pg_roles
                where rolname = '{role}' and rolname <> current_user
                    and has_table_privilege(oid, '{table}', 'insert, update, delete, truncate')
            ) then
                revoke insert, update, delete, truncate on {table} from {role};
            end if;
        end $$"
    );
    connection
        .execute(sqlx::raw_sql(AssertSqlSafe(statement)))
        .await?;
    Ok(())
}

/// The migrations that the database lacks, or has in another form.
async fn missing_migrations<'a>(
    connection: &mut PgConnection,
    migrator: &'a Migrator,
) -> Result<Vec<&'a Migration>, MigrateError> {
    let existing = existing_migrations(connection, &migrator.table_name).await?;
    let is_missing = |migration: &&Migration| {
        !existing
            .iter()
            .any(|it| it.version == migration.version && it.checksum == migration.checksum)
    };
    Ok(migrator.iter().filter(is_missing).collect())
}

/// The migrations that the database has.
async fn existing_migrations(
    connection: &mut PgConnection,
    table: &str,
) -> Result<Vec<AppliedMigration>, MigrateError> {
    match connection.list_applied_migrations(table).await {
        Err(MigrateError::Execute(sqlx::Error::Database(error)))
            if error.code().as_deref() == Some(UNDEFINED_TABLE) =>
        {
            Ok(Vec::new())
        }
        result => result,
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
pub fn pool(
    options: PgConnectOptions,
    settings: &config::Database,
    session: &[(&str, &str)],
) -> PgPool {
    let timeouts = [
        (
            "statement_timeout",
            milliseconds(settings.database_statement_timeout),
        ),
        ("lock_timeout", milliseconds(settings.database_lock_timeout)),
        (
            "idle_in_transaction_session_timeout",
            milliseconds(settings.database_idle_in_transaction_timeout),
        ),
    ];
    let timeouts = timeouts.iter().map(|(name, value)| (*name, &**value));
    let statements = self::session(timeouts.chain(session.iter().copied()));
    PgPoolOptions::new()
        .max_connections(settings.database_connections)
        .acquire_timeout(settings.database_deadline)
        .after_connect(move |connection, _| Box::pin(set(connection, statements.clone())))
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

fn milliseconds(timeout: Duration) -> String {
    timeout.as_millis().to_string()
}

/// The statements that begin a session: the settings of every session, then `more`, whose values have no quotes. They are no startup
/// parameters, because poolers refuse or drop those.
pub(crate) fn session<'a>(more: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut statements = String::new();
    for (name, value) in SESSION.into_iter().chain(more) {
        statements.extend(["set ", name, " = '", value, "';"]);
    }
    statements
}

/// Executes statements that set something in a session.
#[expect(
    clippy::disallowed_methods,
    reason = "the statements read no table that sqlx could check"
)]
pub(crate) async fn set(connection: &mut PgConnection, session: String) -> Result<(), sqlx::Error> {
    let statements = sqlx::raw_sql(AssertSqlSafe(session));
    connection.execute(statements).await?;
    Ok(())
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
