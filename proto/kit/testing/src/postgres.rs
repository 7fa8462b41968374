//! Real PostgreSQL servers for tests, which can be killed and have standbys. A server ends when its value is dropped.

use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use servers::ServerUser;
use servers::postgres::{Tools, arguments};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection as _};

use kit::ids;

use crate::certificates::Authority;

/// Timeout for the start of a server. It is long, because a machine that runs many tests is busy.
const START_LIMIT: Duration = Duration::from_mins(2);

/// A pool of the same database in which PostgreSQL's clock is `seconds` behind, so that the clock of this machine seems ahead. The sequence
/// `behind.calls` counts how often the clock was read.
#[expect(clippy::disallowed_methods, reason = "a test; the seconds are a parameter")]
pub async fn behind(pool: &PgPool, seconds: i32) -> Result<PgPool, sqlx::Error> {
    let clock = format!(
        "create schema if not exists behind;
         create sequence if not exists behind.calls;
         create or replace function behind.clock_timestamp() returns timestamptz language sql as $$
             select nextval('behind.calls');
             select pg_catalog.clock_timestamp() - {seconds} * interval '1 second'
         $$"
    );
    sqlx::raw_sql(AssertSqlSafe(clock)).execute(pool).await?;
    let options = (*pool.connect_options()).clone();
    // A schema before `pg_catalog` shadows PostgreSQL's own functions.
    let options = options.options([("search_path", "behind,pg_catalog,public")]);
    Ok(pool.options().clone().connect_lazy_with(options))
}

#[derive(Debug)]
pub struct Server {
    /// A pool for its database `postgres`.
    pub pool: PgPool,
    pub folder: PathBuf,
    port: u16,
    process: Child,
}

impl Server {
    /// Starts a server with an empty data folder.
    ///
    /// # Errors
    /// PostgreSQL is not installed, or does not start.
    pub async fn new() -> anyhow::Result<Self> {
        let folder = new_folder()?;
        let mut initdb = command("initdb")?;
        initdb.args(["-U", "postgres", "--auth=trust", "--no-sync", "-D"]);
        run(initdb.arg(&folder))?;
        Self::start(folder).await
    }

    /// Starts a standby that streams from this server.
    ///
    /// # Errors
    /// `pg_basebackup` fails, or the standby does not start.
    pub async fn standby(&self) -> anyhow::Result<Self> {
        let folder = new_folder()?;
        let mut copy = command("pg_basebackup")?;
        copy.args(["-h", "127.0.0.1", "-U", "postgres", "-R", "-X", "stream"]);
        copy.args(["--checkpoint=fast", "--no-sync", "-p"]);
        run(copy.arg(self.port.to_string()).arg("-D").arg(&folder))?;
        Self::start(folder).await
    }

    /// Promotes a standby.
    ///
    /// # Errors
    /// The server is not a standby, or is not running.
    #[expect(clippy::disallowed_methods, reason = "it reads no table that the compiler could know")]
    pub async fn promote(&self) -> anyhow::Result<()> {
        let promoted: bool =
            sqlx::query_scalar("select pg_promote()").fetch_one(&self.pool).await?;
        anyhow::ensure!(promoted, "the standby did not become the primary in time");
        Ok(())
    }

    /// Makes the server accept TLS as well, with a certificate for `localhost`; returns the certificate file of the authority that signed it. The
    /// server reloads its settings a moment later.
    ///
    /// # Errors
    /// The certificate cannot be made, or PostgreSQL refuses the settings.
    #[expect(
        clippy::disallowed_methods,
        reason = "the statements read no table that the compiler could know"
    )]
    pub async fn enable_tls(&self) -> anyhow::Result<PathBuf> {
        let authority = Authority::new("PostgreSQL of a test")?;
        authority.write(&self.folder)?;
        authority.issue(&self.folder, "postgres", 2040)?;
        let user = ServerUser::unprivileged()?;
        for file in ["tls.crt", "tls.key"] {
            user.give(&self.folder.join(file), 0o600)?;
        }
        for statement in [
            "alter system set ssl_cert_file = 'tls.crt'",
            "alter system set ssl_key_file = 'tls.key'",
            "alter system set ssl = on",
            "select pg_reload_conf()",
        ] {
            sqlx::raw_sql(statement).execute(&self.pool).await?;
        }
        Ok(self.folder.join("ca.crt"))
    }

    /// Kills the server and all its connections, like a power failure.
    pub fn kill(&mut self) -> io::Result<()> {
        self.process.kill()?;
        self.process.wait()?;
        Ok(())
    }

    /// Restarts a killed server with its data, on the same port.
    pub async fn restart(&mut self) -> anyhow::Result<()> {
        let begun = Instant::now();
        // The child processes of the killed server end a moment later. Until then they hold the shared memory.
        while begun.elapsed() < START_LIMIT {
            self.process = spawn(&self.folder, self.port)?;
            if answers(&self.pool, &mut self.process).await? {
                return Ok(());
            }
        }
        anyhow::bail!("PostgreSQL did not restart in time")
    }

    async fn start(folder: PathBuf) -> anyhow::Result<Self> {
        // Another process may take the port first. The server then exits, and another port is tried.
        for _ in 0..20 {
            let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
            let mut process = spawn(&folder, port)?;
            let options = PgConnectOptions::new()
                .host("127.0.0.1")
                .port(port)
                .username("postgres")
                .database("postgres");
            let pool = PgPoolOptions::new().connect_lazy_with(options);
            if answers(&pool, &mut process).await? {
                return Ok(Self { pool, folder, port, process });
            }
        }
        anyhow::bail!("cannot start a PostgreSQL for a test")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An error means that the server has already ended.
        drop(self.process.kill());
        drop(self.process.wait());
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

fn spawn(folder: &Path, port: u16) -> anyhow::Result<Child> {
    let settings = ["fsync=off", "shared_buffers=16MB"];
    let mut postgres = command("postgres")?;
    postgres.args(arguments(folder, port, &settings));
    postgres.spawn().context("cannot start postgres")
}

/// Waits until the server answers; returns false when it ends before that.
async fn answers(pool: &PgPool, process: &mut Child) -> anyhow::Result<bool> {
    let begun = Instant::now();
    let options = pool.connect_options();
    // Connect without the pool, which retries for half a minute when nothing listens.
    while PgConnection::connect_with(&options).await.is_err() {
        if process.try_wait()?.is_some() {
            return Ok(false);
        }
        anyhow::ensure!(begun.elapsed() < START_LIMIT, "PostgreSQL does not answer");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(true)
}

/// Creates a data folder that the user of the server owns and can reach.
fn new_folder() -> anyhow::Result<PathBuf> {
    let user = ServerUser::unprivileged()?;
    let folder = user.temporary(&std::env::temp_dir())?.join(format!("postgres-{}", ids::row_id()));
    std::fs::create_dir(&folder)?;
    // PostgreSQL refuses a folder that others may read.
    user.give(&folder, 0o700)?;
    Ok(folder)
}

/// A PostgreSQL command without output, run by a user other than root.
fn command(name: &str) -> anyhow::Result<Command> {
    let tools = Tools::newest().context("PostgreSQL is missing (apt install postgresql)")?;
    let mut command = tools.command(name, &ServerUser::unprivileged()?, None);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status()?;
    anyhow::ensure!(status.success(), "{command:?}: {status}");
    Ok(())
}
