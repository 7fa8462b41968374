//! The first connection, which checks the server, and the pool.

use std::time::Duration;

use anyhow::Context as _;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, Row as _};
use tokio::time::{Instant, timeout};

use super::{statement, transaction};
use crate::{config, pg_url};

/// The oldest supported major version.
const MIN_VERSION: i32 = 15;
/// How long PostgreSQL may take to answer a ping. Then the connection is closed.
const PING_TIMEOUT: Duration = Duration::from_secs(2);
/// A connection that was idle for less than this is not pinged before its next use.
const IDLE_WITHOUT_PING: Duration = Duration::from_millis(500);
/// How often the pool is watched.
const POOL_INTERVAL: Duration = Duration::from_secs(10);
/// Settings of every session.
const SESSION: [(&str, &str); 6] = [
    // A role or a database may have another default. Commands lock what they decide by and read it again, and would fail at a row that
    // somebody else has changed.
    ("default_transaction_isolation", "read committed"),
    // The statements are short. PostgreSQL would still JIT-compile some of them, because it assumes that a new, unanalyzed table is long.
    ("jit", "off"),
    // PostgreSQL sends a first probe to a silent client after ten seconds and closes the connection, with its locks, after 25; or when the
    // client leaves data unacknowledged for 20 seconds.
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "20s"),
];
/// The settings with the URL of PostgreSQL.
const SETTING: &str = "database_url (for `migrate`, database_owner_url)";

/// Connects for the first time, and checks the server. A single connection says why it fails, while a pool only reports a timeout.
pub(super) async fn connect(
    url: &config::Secret,
    deadline: Duration,
    service: &'static str,
) -> anyhow::Result<(PgConnectOptions, PgConnection)> {
    let options = options(url, service)?;
    let place = place(&options);
    let mut first = timeout(deadline, options.connect())
        .await
        .with_context(|| format!("PostgreSQL at {place} does not answer; check {SETTING}"))?
        .with_context(|| format!("cannot connect to PostgreSQL at {place}; check {SETTING}"))?;
    let version: i32 = server_version(&mut first).await?;
    anyhow::ensure!(
        version / 10_000 >= MIN_VERSION,
        "PostgreSQL at {place} is version {}; install {MIN_VERSION} or newer",
        version / 10_000
    );
    Ok((options, first))
}

pub(super) fn options(
    url: &config::Secret,
    service: &'static str,
) -> anyhow::Result<PgConnectOptions> {
    let options = pg_url::parse(url.expose())
        .context("the URL is not one such as postgres://user:password@host:5432/database")?
        .application_name(service)
        // PgBouncer refuses this startup parameter of sqlx, which has no effect on binary values.
        .extra_float_digits(None);
    Ok(options)
}

pub(super) fn place(options: &PgConnectOptions) -> String {
    let (host, port) = (options.get_host(), options.get_port());
    if host.contains(':') {
        return format!("[{host}]:{port}");
    }
    format!("{host}:{port}")
}

/// A pool whose connections have the timeouts of `settings`, and which closes a connection that PostgreSQL does not answer.
///
/// A caller that gives up drops its query, and the connection would wait for the answer in the background, for ever if PostgreSQL has
/// vanished without closing it: soon the pool would be empty. A connection that comes back therefore has a timeout for what it waits for.
pub fn pool(
    options: PgConnectOptions,
    settings: &config::Database,
    session: &[(&str, &str)],
) -> PgPool {
    let timeouts = [
        ("statement_timeout", milliseconds(settings.database_statement_timeout)),
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
            Box::pin(async move { if is_fresh { Ok(true) } else { ping(connection).await } })
        })
        .after_release(|connection, _| Box::pin(is_reusable(connection)))
        .connect_lazy_with(options)
}

pub(super) fn milliseconds(timeout: Duration) -> String {
    timeout.as_millis().to_string()
}

/// The statements that begin a session: the settings of every session, then `more`, whose values have no quotes. They are no startup
/// parameters, because poolers refuse or drop those.
pub(super) fn session<'a>(more: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut statements = String::new();
    for (name, value) in SESSION.into_iter().chain(more) {
        statements.extend(["set ", name, " = '", value, "';"]);
    }
    statements
}

/// Executes statements that set something in a session.
pub(super) async fn set(connection: &mut PgConnection, session: String) -> Result<(), sqlx::Error> {
    let statements = statement::raw_sql(AssertSqlSafe(session));
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
    super::with_timeout(PING_TIMEOUT, connection.ping()).await?;
    Ok(true)
}

/// Whether a connection that comes back can be used again; otherwise the pool closes it. It is outside a transaction, and what its last caller
/// did not wait for is answered.
async fn is_reusable(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    if !transaction::may_be_abandoned() {
        // Without an answer that is due, this is no round trip.
        super::with_timeout(PING_TIMEOUT, connection.flush()).await?;
        return Ok(true);
    }
    // A statement outside a transaction begins one of its own. In a transaction that has failed, it is an error.
    let question = statement::raw_sql("select now() = statement_timestamp()");
    let answer = super::with_timeout(PING_TIMEOUT, connection.fetch_one(question));
    answer.await?.try_get(0)
}

async fn server_version(connection: &mut PgConnection) -> Result<i32, sqlx::Error> {
    statement::query_scalar("select current_setting('server_version_num')::int4")
        .fetch_one(connection)
        .await
}
