//! A PostgreSQL that pgBackRest backs up, and the commands of `deploy/backup` for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use e2e::eventually;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use servers::ServerUser;
use servers::postgres::Tools;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection as _, Postgres};
use tempfile::TempDir;

use crate::ports::free_port;

/// The commands, which the user of the server may not be able to read in the checkout.
const COMMANDS: [(&str, &str); 2] = [
    ("backup", include_str!("../../../deploy/backup/backup")),
    ("restore", include_str!("../../../deploy/backup/restore")),
];

/// The database of the fleet.
const DATABASE: &str = "mchezo";

/// A server with an archive; it ends when it is dropped.
pub(crate) struct Archived {
    user: ServerUser,
    tools: Tools,
    folder: TempDir,
    port: u16,
    process: Option<Child>,
    /// Its port is chosen: it has answered.
    has_port: bool,
}

impl Archived {
    pub(crate) async fn start() -> Self {
        let user = ServerUser::unprivileged().unwrap();
        let mut base = std::env::temp_dir().canonicalize().unwrap();
        if !user.can_search(&base).unwrap() {
            base = "/tmp".into();
        }
        // A short name: the path of a Unix socket has at most 107 bytes.
        let folder = tempfile::Builder::new().prefix("pg-").tempdir_in(base);
        let mut server = Self {
            user,
            tools: Tools::newest().unwrap(),
            folder: folder.unwrap(),
            port: 0,
            process: None,
            has_port: false,
        };
        server.initialize();
        server.run().await;
        server.has_port = true;
        server
            .execute("postgres", &format!("create database {DATABASE}"))
            .await;
        server
    }

    fn initialize(&self) {
        self.user.give(self.folder.path(), 0o700).unwrap();
        for name in ["repository", "socket", "lock", "spool", "metrics"] {
            fs::create_dir(self.path(name)).unwrap();
            self.user.give(&self.path(name), 0o700).unwrap();
        }
        for (name, script) in COMMANDS {
            fs::write(self.path(name), script).unwrap();
            self.user.give(&self.path(name), 0o755).unwrap();
        }
        let mut initdb = self.tools.command("initdb", &self.user, None);
        initdb.args(["-U", "postgres", "--auth=trust", "--no-sync"]);
        initdb.args(["--encoding=UTF8", "--locale=C.UTF-8", "-D"]);
        let made = initdb.arg(self.path("data")).output().unwrap();
        assert!(made.status.success(), "{made:?}");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts the server, and waits until it answers. If another process takes its port meanwhile, the first start chooses another one.
    pub(crate) async fn run(&mut self) {
        eventually("PostgreSQL answers", async || {
            let process = self.process.as_mut();
            if process.is_none_or(|process| process.try_wait().unwrap().is_some()) {
                if !self.has_port {
                    self.choose_port();
                }
                self.process = Some(self.spawn());
            }
            self.answers().await.then_some(())
        })
        .await;
    }

    fn choose_port(&mut self) {
        self.port = free_port().port();
        let (port, folder) = (self.port, self.folder.path().display());
        let pgbackrest = format!(
            "[global]\nrepo1-path={folder}/repository\nrepo1-retention-full=2\nlock-path={folder}/lock\nspool-path={folder}/spool\n\
             log-level-file=off\nstart-fast=y\ncompress-type=zst\n\
             [fleet]\npg1-path={folder}/data\npg1-socket-path={folder}/socket\npg1-port={port}\npg1-user=postgres\n"
        );
        let configuration = self.path("pgbackrest.conf");
        fs::write(&configuration, pgbackrest).unwrap();
        self.user.give(&configuration, 0o600).unwrap();
        let settings = format!(
            "port = {port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '{folder}/socket'\n\
             max_connections = 400\njit = off\ndynamic_shared_memory_type = mmap\n\
             archive_mode = on\narchive_command = 'pgbackrest --config={folder}/pgbackrest.conf --stanza=fleet archive-push %p'\n"
        );
        fs::write(self.path("data/postgresql.conf"), settings).unwrap();
    }

    fn spawn(&self) -> Child {
        let mut postgres = self
            .tools
            .command("postgres", &self.user, Some(Signal::SIGQUIT));
        postgres.arg("-D").arg(self.path("data"));
        let silent = postgres.stdin(Stdio::null()).stdout(Stdio::null());
        silent.stderr(Stdio::null()).spawn().unwrap()
    }

    /// Whether this server answers at the port, and not another one.
    async fn answers(&self) -> bool {
        let Ok(mut connection) = PgConnection::connect_with(&self.options("postgres")).await else {
            return false;
        };
        let folder: Option<String> = scalar(&mut connection, "show data_directory").await;
        connection.close().await.unwrap();
        folder.is_some_and(|folder| Path::new(&folder) == self.path("data"))
    }

    fn options(&self, database: &str) -> PgConnectOptions {
        PgConnectOptions::new()
            .host("127.0.0.1")
            .port(self.port)
            .username("postgres")
            .database(database)
    }

    /// The URL of the fleet's database.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{DATABASE}", self.port)
    }

    async fn execute(&self, database: &str, sql: &str) {
        let mut connection = PgConnection::connect_with(&self.options(database))
            .await
            .unwrap();
        #[expect(
            clippy::disallowed_methods,
            reason = "no table that the compiler could know"
        )]
        let query = sqlx::raw_sql(AssertSqlSafe(sql));
        query.execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }

    /// The only text of the first row, in the fleet's database.
    pub(crate) async fn text(&self, sql: &str) -> Option<String> {
        let mut connection = PgConnection::connect_with(&self.options(DATABASE))
            .await
            .unwrap();
        let value = scalar(&mut connection, sql).await;
        connection.close().await.unwrap();
        value
    }

    /// Makes a backup; returns the metrics that the command wrote.
    pub(crate) async fn backup(&self, kind: &str) -> String {
        let output = self.command("backup", kind).await;
        assert!(output.status.success(), "{output:?}");
        fs::read_to_string(self.path("metrics/backup.prom")).unwrap()
    }

    /// Restores the server to a time; it is stopped then.
    pub(crate) async fn restore(&self, time: &str) -> Output {
        self.command("restore", time).await
    }

    async fn command(&self, name: &str, argument: &str) -> Output {
        let mut command: Command = self.user.command(Path::new("sh"), None);
        command.arg(self.path(name)).arg(argument).current_dir("/");
        command.env("PGBACKREST_CONFIG", self.path("pgbackrest.conf"));
        command.env("TEXTFILE_DIRECTORY", self.path("metrics"));
        // Settings of the test's own environment are of other servers.
        command.env_remove("PGDATA").env_remove("PG_BIN");
        let mut command = tokio::process::Command::from(command);
        command.kill_on_drop(true).output().await.unwrap()
    }
}

impl Drop for Archived {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            // The immediate shutdown, which ends all of its processes. An error means that it has ended.
            let pid = Pid::from_raw(i32::try_from(process.id()).unwrap());
            if process.try_wait().is_ok_and(|ended| ended.is_none()) {
                let _ended = kill(pid, Signal::SIGQUIT);
            }
            drop(process.wait());
        }
    }
}

async fn scalar(connection: &mut PgConnection, sql: &str) -> Option<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the tests have no schema of their own"
    )]
    let query = sqlx::query_scalar::<Postgres, Option<String>>(AssertSqlSafe(sql));
    query.fetch_optional(connection).await.unwrap().flatten()
}
