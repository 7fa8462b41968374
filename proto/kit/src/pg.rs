//! PostgreSQL: the pool, migrations, and what a database error means to a caller.

use std::str::FromStr as _;
use std::time::Duration;

use anyhow::Context as _;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use tokio::time::{Instant, timeout_at};

use crate::config;
use crate::fault::Fault;

/// The oldest major version that is supported.
const OLDEST: i32 = 15;

/// A name of a schema, known at compile time: it is put into the text of the kit's statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema(pub &'static str);

impl std::fmt::Display for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// Opens the pool, checks the server's version and brings the schema up to date.
///
/// # Errors
/// One sentence that says what to mend.
pub async fn open(
    settings: &config::Database,
    service: &'static str,
    migrator: &Migrator,
) -> anyhow::Result<PgPool> {
    let options = PgConnectOptions::from_str(settings.database_url.expose())
        .ok()
        .context(
            "database_url is not an address such as postgres://user:password@host:5432/database",
        )?
        .application_name(service)
        // Statements here are short: compiling one (PostgreSQL believes a new, still unanalyzed table to be long) takes far longer.
        .options([("jit", "off")]);
    let place = format!("{}:{}", options.get_host(), options.get_port());
    let pool = PgPoolOptions::new()
        .max_connections(settings.database_connections)
        .acquire_timeout(Duration::from_secs(5))
        .connect_lazy_with(options.clone());
    // One connection by hand first: its error names the cause, where a pool only says that it timed out.
    let probe = <sqlx::PgConnection as sqlx::Connection>::connect_with(&options);
    let mut probe = tokio::time::timeout(Duration::from_secs(5), probe)
        .await
        .with_context(|| format!("PostgreSQL at {place} does not answer; check database_url"))?
        .with_context(|| format!("PostgreSQL at {place} cannot be used; check database_url"))?;
    let version: i32 = server_version(&mut probe).await?;
    anyhow::ensure!(
        version / 10_000 >= OLDEST,
        "PostgreSQL at {place} is version {}; {OLDEST} or newer is needed",
        version / 10_000
    );
    sqlx::Connection::close(probe).await?;
    migrator
        .run(&pool)
        .await
        .with_context(|| format!("the schema at {place} cannot be brought up to date"))?;
    Ok(pool)
}

#[expect(
    clippy::disallowed_methods,
    reason = "no table is asked, so there is nothing to check"
)]
async fn server_version(connection: &mut sqlx::PgConnection) -> Result<i32, sqlx::Error> {
    sqlx::query_scalar("select current_setting('server_version_num')::int4")
        .fetch_one(connection)
        .await
}

/// Does `work` on a connection of `pool`, and gives up after `deadline`: a PostgreSQL that neither answers nor refuses is away.
///
/// A connection without an answer is closed, not given back: the next one to need it would wait for the same thing.
///
/// # Errors
/// Those of `work`; [`sqlx::Error::PoolTimedOut`] when it was given up.
pub async fn within<T>(
    pool: &PgPool,
    deadline: Duration,
    work: impl AsyncFnOnce(&mut PgConnection) -> Result<T, sqlx::Error>,
) -> Result<T, sqlx::Error> {
    let deadline = Instant::now() + deadline;
    let late = sqlx::Error::PoolTimedOut;
    let Ok(acquired) = timeout_at(deadline, pool.acquire()).await else {
        return Err(late);
    };
    let mut connection = acquired?;
    if let Ok(done) = timeout_at(deadline, work(&mut connection)).await {
        return done;
    }
    drop(connection.detach());
    Err(late)
}

/// What a database error means to a caller: PostgreSQL is away, or something broke.
pub fn fault(error: &sqlx::Error) -> Fault {
    if is_away(error) {
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

/// Whether the error says that PostgreSQL cannot be reached, rather than that it refused a statement.
pub fn is_away(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => true,
        // Class 57P: the server is shutting down, starting up, or ended this session; 53: it is out of connections or memory;
        // 25P03 and 25P04: it ended a session that sat in a transaction; 25006: it has become a standby.
        sqlx::Error::Database(error) => error.code().is_some_and(|code| {
            code.starts_with("57P")
                || code.starts_with("53")
                || matches!(&*code, "25P03" | "25P04" | "25006")
        }),
        _ => false,
    }
}
