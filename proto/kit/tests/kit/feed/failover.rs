//! A replica is promoted: what followers have not seen yet still reaches them, announcements included.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tokio::process::{Child, Command};

use super::support::{Fixture, eventually, tables};

/// The folder of PostgreSQL's server programs: Debian's, else the one in PATH.
fn programs() -> PathBuf {
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter();
    let mut versions: Vec<PathBuf> = debian
        .flatten()
        .flatten()
        .map(|version| version.path().join("bin"))
        .filter(|folder| folder.join("initdb").is_file())
        .collect();
    versions.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&path).find(|folder| folder.join("initdb").is_file());
    let found = versions.pop().or(in_path);
    found.expect("the server programs of PostgreSQL are installed")
}

/// User and group of a server that root starts: PostgreSQL refuses to run as root.
fn unprivileged() -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt as _;
    if std::fs::metadata("/proc/self").unwrap().uid() != 0 {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap();
    let user = users
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|user| user[0] == "postgres")
        .expect("there is a user `postgres`");
    Some((user[2].parse().unwrap(), user[3].parse().unwrap()))
}

/// A program of PostgreSQL's, as a user that it accepts.
fn program(name: &str) -> Command {
    let mut command = std::process::Command::new(programs().join(name));
    if let Some((user, group)) = unprivileged() {
        command.uid(user).gid(group);
    }
    command.env("LC_ALL", "C").current_dir("/tmp");
    command.stdout(Stdio::null()).stderr(Stdio::null());
    Command::from(command)
}

async fn run(mut command: Command) {
    let status = command.status().await.unwrap();
    assert!(status.success(), "{command:?}: {status}");
}

/// A PostgreSQL server of the test's own.
struct Server {
    process: Child,
    pool: PgPool,
    port: u16,
}

impl Server {
    async fn start(data: &Path) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let mut postgres = program("postgres");
        postgres.arg("-D").arg(data).arg("-p").arg(port.to_string());
        for setting in [
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "fsync=off",
            "shared_buffers=16MB",
        ] {
            postgres.arg("-c").arg(setting);
        }
        let process = postgres.kill_on_drop(true).spawn().unwrap();
        let options = PgConnectOptions::new()
            .host("127.0.0.1")
            .port(port)
            .username("postgres")
            .database("postgres");
        let pool = PgPoolOptions::new().connect_lazy_with(options);
        eventually("PostgreSQL answers", async || pool.acquire().await.is_ok()).await;
        Self {
            process,
            pool,
            port,
        }
    }

    /// A server with empty data.
    async fn new(data: &Path) -> Self {
        let mut initdb = program("initdb");
        initdb.args(["-U", "postgres", "--auth=trust", "--no-sync", "-D"]);
        initdb.arg(data);
        run(initdb).await;
        Self::start(data).await
    }

    /// A standby that streams from this server.
    async fn standby(&self, data: &Path) -> Self {
        let mut copy = program("pg_basebackup");
        copy.args(["-h", "127.0.0.1", "-U", "postgres", "-R", "-X", "stream"]);
        copy.args(["--checkpoint=fast", "--no-sync", "-p"]);
        copy.arg(self.port.to_string()).arg("-D").arg(data);
        run(copy).await;
        Self::start(data).await
    }

    async fn head(&self) -> i64 {
        sqlx::query_scalar("select seq from kit.feed_head")
            .fetch_one(&self.pool)
            .await
            .unwrap()
    }

    async fn kill(mut self) {
        self.process.kill().await.unwrap();
    }
}

#[sqlx::test]
async fn a_promoted_replica_loses_no_announcement(follower: PgPool) {
    tables(&follower).await;
    let folder = tempfile::tempdir().unwrap();
    if let Some((user, group)) = unprivileged() {
        chown(folder.path(), Some(user), Some(group)).unwrap();
    }
    let primary = Server::new(&folder.path().join("primary")).await;
    let first = Fixture::start(&primary.pool).await;
    let standby = primary.standby(&folder.path().join("standby")).await;

    // It has followed from the beginning, so it acts on everything.
    let following = first.follow_into(&follower);
    eventually("it follows", async || {
        acted(&follower).await == Some(vec![])
    })
    .await;
    first.set("a").await;
    first.set("b").await;
    eventually("it has come to 2", async || {
        acted(&follower).await == Some(vec![1, 2])
    })
    .await;
    // The follower is away while 3 is written.
    following.stopping().cancel();
    first.set("c").await;
    eventually("3 is on the standby", async || standby.head().await == 3).await;
    drop(first);
    primary.kill().await;

    sqlx::query("select pg_promote()")
        .execute(&standby.pool)
        .await
        .unwrap();
    let second = Fixture::again(&standby.pool).await;
    second.set("d").await;
    let following = second.follow_into(&follower);
    eventually("it has come to 4", async || {
        acted(&follower)
            .await
            .is_some_and(|acted| acted.contains(&4))
    })
    .await;
    assert_eq!(acted(&follower).await, Some(vec![1, 2, 3, 4]));
    let taken: i64 = sqlx::query_scalar("select count(*) from kit.taken")
        .fetch_one(&follower)
        .await
        .unwrap();
    assert_eq!(taken, 4, "nothing was sent again");
    following.stopping().cancel();
}

/// The changes that the follower acted on; `None` before it has a cursor.
async fn acted(follower: &PgPool) -> Option<Vec<i64>> {
    let follows: bool = sqlx::query_scalar("select exists (select from kit.feed_cursor)")
        .fetch_one(follower)
        .await
        .unwrap();
    let acted = sqlx::query_scalar("select seq from kit.taken where acted order by seq")
        .fetch_all(follower)
        .await
        .unwrap();
    follows.then_some(acted)
}
