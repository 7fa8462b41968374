//! A PostgreSQL that pgBackRest backs up.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use e2e::eventually;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use servers::ServerUser;
use servers::postgres::Tools;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection as _};
use tempfile::TempDir;

use super::pgbackrest::PgBackRest;
use super::sql::{scalar, text};
use crate::ports::free_port;

const DATABASE: &str = "mchezo";

/// A server with archiving. It ends when the value is dropped.
pub(crate) struct Archived {
    user: ServerUser,
    tools: Tools,
    folder: TempDir,
    pub(crate) pgbackrest: PgBackRest,
    port: u16,
    process: Option<Child>,
    /// Whether the port is final, because the server has answered on it.
    has_port: bool,
}

impl Archived {
    pub(crate) async fn start() -> Self {
        let user = ServerUser::unprivileged().unwrap();
        let base = user.temporary(&std::env::temp_dir()).unwrap();
        // Keep the name short, because the path of a Unix socket has at most 107 bytes.
        let folder = tempfile::Builder::new().prefix("pg-").tempdir_in(base).unwrap();
        user.give(folder.path(), 0o700).unwrap();
        let mut server = Self {
            pgbackrest: PgBackRest::new(&user, folder.path()),
            user,
            tools: Tools::newest().unwrap(),
            folder,
            port: 0,
            process: None,
            has_port: false,
        };
        server.initialize();
        server.run().await;
        server.has_port = true;
        server.execute("postgres", &format!("create database {DATABASE}")).await;
        server
    }

    fn initialize(&self) {
        fs::create_dir(self.path("socket")).unwrap();
        self.user.give(&self.path("socket"), 0o700).unwrap();
        let mut initdb = self.tools.command("initdb", &self.user, None);
        initdb.args(["-U", "postgres", "--auth=trust", "--no-sync"]);
        initdb.args(["--encoding=UTF8", "--locale=C.UTF-8", "-D"]);
        let made = initdb.arg(self.path("data")).output().unwrap();
        assert!(made.status.success(), "{made:?}");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts the server, and waits until it answers. If another process takes the port before the first answer, another port is used.
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
        let (port, sockets) = (self.port, self.path("socket"));
        self.pgbackrest.configure(&self.path("data"), &sockets, port);
        let (sockets, archive) = (sockets.display(), self.pgbackrest.archive_command());
        let settings = format!(
            "port = {port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '{sockets}'\n\
             max_connections = 400\njit = off\ndynamic_shared_memory_type = mmap\n\
             archive_mode = on\narchive_command = '{archive}'\n"
        );
        fs::write(self.path("data/postgresql.conf"), settings).unwrap();
    }

    fn spawn(&self) -> Child {
        let mut postgres = self.tools.command("postgres", &self.user, Some(Signal::SIGQUIT));
        postgres.arg("-D").arg(self.path("data"));
        let silent = postgres.stdin(Stdio::null()).stdout(Stdio::null());
        silent.stderr(Stdio::null()).spawn().unwrap()
    }

    /// Whether this server answers on the port, and not another one.
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

    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{DATABASE}", self.port)
    }

    async fn execute(&self, database: &str, sql: &str) {
        let mut connection = PgConnection::connect_with(&self.options(database)).await.unwrap();
        #[expect(clippy::disallowed_methods, reason = "no table that the compiler could know")]
        let query = sqlx::raw_sql(AssertSqlSafe(sql));
        query.execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }

    /// The text in the first row, from the fleet's database.
    pub(crate) async fn text(&self, sql: &str) -> Option<String> {
        text(&self.url(), sql).await
    }
}

impl Drop for Archived {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            // SIGQUIT is the immediate shutdown, which ends all processes of the server. An error means that it has ended.
            let pid = Pid::from_raw(i32::try_from(process.id()).unwrap());
            if process.try_wait().is_ok_and(|ended| ended.is_none()) {
                let _ended = kill(pid, Signal::SIGQUIT);
            }
            drop(process.wait());
        }
    }
}
