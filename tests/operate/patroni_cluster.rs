//! PostgreSQL as operators run it: three nodes under Patroni, one of them a synchronous standby, with etcd, behind haproxy.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use e2e::{Paused, children, eventually_within};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use servers::ServerUser;
use servers::postgres::Tools;
use sqlx::{Connection as _, PgConnection};

use crate::etcd::Etcd;
use crate::ports::free_port;
use crate::server_process::{Server, show_logs, spawn};

/// Timeout for the servers to start, and for the cluster to have a leader and its standbys again.
const GIVE_UP: Duration = Duration::from_mins(5);
/// How long a leader may be silent, in seconds. Patroni's documentation has a minimum of 20, but the test waits for it each time.
const TTL: &str = "ttl: 8\n    loop_wait: 1\n    retry_timeout: 3";
const NODES: usize = 3;
/// User and password of PostgreSQL's superuser.
const SUPERUSER: &str = "postgres:super";
/// User and password of the fleet, which may create roles and owns the database.
const OPERATOR: &str = "operator:of-a-test";

/// The servers. They end when the value is dropped.
pub(crate) struct Cluster {
    /// Also contains the sockets of PostgreSQL.
    folder: PathBuf,
    user: ServerUser,
    ports: Ports,
    pub(crate) etcd: Etcd,
    nodes: [Server; NODES],
    haproxy: Server,
}

struct Ports {
    postgres: [u16; NODES],
    patroni: [u16; NODES],
    haproxy: u16,
}

impl Cluster {
    /// Starts a cluster with a leader and two standbys, one of them synchronous, and an empty database for the fleet.
    pub(crate) async fn start() -> Self {
        let mut tries = 0;
        loop {
            let cluster = Self::spawn();
            if cluster.came_up().await {
                cluster.make_database().await;
                return cluster;
            }
            // Another process may take a port first. A server then exits, and other ports are tried.
            tries += 1;
            assert!(tries < 5, "cannot start Patroni, etcd and haproxy");
        }
    }

    fn spawn() -> Self {
        let user = ServerUser::unprivileged().unwrap();
        let base = user.temporary(&std::env::temp_dir()).unwrap();
        // Keep the name short, because the path of a Unix socket has at most 107 bytes.
        let folder = tempfile::Builder::new().prefix("pg-").tempdir_in(base).unwrap().keep();
        user.give(&folder, 0o700).unwrap();
        let ports = Ports::free();
        let etcd = Etcd::spawn(&user, &folder);
        let node = |node| spawn_node(&user, &folder, &ports, &etcd, node);
        let nodes: [Child; NODES] = std::array::from_fn(node);
        let haproxy = spawn_haproxy(&user, &folder, &ports);
        Self {
            folder,
            user,
            ports,
            etcd,
            nodes: nodes.map(Server::new),
            haproxy: Server::new(haproxy),
        }
    }

    /// Waits until the cluster is complete; returns `false` if a server has ended.
    async fn came_up(&self) -> bool {
        eventually_within(GIVE_UP, "Patroni has a leader and two standbys", async || {
            let mut servers = self.nodes.iter().chain([&self.haproxy]);
            if self.etcd.has_ended() || servers.any(Server::has_ended) {
                return Some(false);
            }
            is_whole(&self.ports).await.then_some(true)
        })
        .await
    }

    #[expect(clippy::disallowed_methods, reason = "the tests have no schema of their own")]
    async fn make_database(&self) {
        let url = url(SUPERUSER, self.ports.haproxy, "postgres");
        let mut connection = eventually_within(GIVE_UP, "haproxy finds the leader", async || {
            PgConnection::connect(&url).await.ok()
        })
        .await;
        for statement in [
            "create role operator login createrole password 'of-a-test'",
            "create database fleet owner operator",
        ] {
            sqlx::raw_sql(statement).execute(&mut connection).await.unwrap();
        }
    }

    /// The URL of the fleet's database, through haproxy.
    pub(crate) fn url(&self) -> String {
        url(OPERATOR, self.ports.haproxy, "fleet")
    }

    /// Waits until there are a leader and two standbys, one of them synchronous.
    pub(crate) async fn until_whole(&self) {
        eventually_within(GIVE_UP, "there are a leader and two standbys", async || {
            is_whole(&self.ports).await.then_some(())
        })
        .await;
    }

    /// The index of the leader; waits until there is one.
    pub(crate) async fn leader(&self) -> usize {
        eventually_within(GIVE_UP, "there is a leader", async || {
            leader(&members(&self.ports).await?)
        })
        .await
    }

    /// Kills Patroni and PostgreSQL of a node, like a power failure.
    pub(crate) fn kill_node(&self, node: usize) {
        self.nodes[node].end();
        kill_postgres(&self.data(node));
    }

    /// Restarts a node with its data.
    pub(crate) fn start_node(&self, node: usize) {
        let started = spawn_node(&self.user, &self.folder, &self.ports, &self.etcd, node);
        self.nodes[node].replace(started);
    }

    /// Pauses Patroni and PostgreSQL of a node until the value is dropped.
    pub(crate) fn pause_node(&self, node: usize) -> Paused {
        let paused = Paused::process(self.nodes[node].pid());
        let Some(server) = postmaster(&self.data(node)) else {
            return paused;
        };
        // Pause the server before its children, so that it starts no more of them.
        let paused = paused.and([Pid::from_raw(server)]);
        paused.and(children(server))
    }

    pub(crate) fn restart_haproxy(&self) {
        self.haproxy.end();
        let started = spawn_haproxy(&self.user, &self.folder, &self.ports);
        self.haproxy.replace(started);
    }

    fn data(&self, node: usize) -> PathBuf {
        data(&self.folder, node)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if std::thread::panicking() {
            show_logs(&self.folder, &Etcd::LOGS);
            show_logs(&self.folder, &["haproxy", "n0", "n1", "n2"]);
        }
        // End Patroni first, because it would restart PostgreSQL.
        for node in &self.nodes {
            node.end();
        }
        for node in 0..NODES {
            kill_postgres(&self.data(node));
        }
        self.haproxy.end();
        self.etcd.end();
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

impl Ports {
    fn free() -> Self {
        let free = || free_port().port();
        Self {
            postgres: std::array::from_fn(|_| free()),
            patroni: std::array::from_fn(|_| free()),
            haproxy: free(),
        }
    }
}

fn url(user: &str, port: u16, database: &str) -> String {
    format!("postgres://{user}@127.0.0.1:{port}/{database}")
}

fn data(folder: &Path, node: usize) -> PathBuf {
    folder.join(format!("data{node}"))
}

/// The pid of the PostgreSQL that runs in a data folder.
fn postmaster(data: &Path) -> Option<i32> {
    let file = std::fs::read_to_string(data.join("postmaster.pid")).ok()?;
    let pid = file.lines().next()?.parse().ok()?;
    // The file of a killed server remains, and another process may have its pid now.
    let command = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
    command.contains(data.to_str()?).then_some(pid)
}

fn kill_postgres(data: &Path) {
    let Some(server) = postmaster(data) else {
        return;
    };
    let connections = children(server);
    for process in std::iter::once(Pid::from_raw(server)).chain(connections) {
        // An error means that the process has already ended.
        kill(process, Signal::SIGKILL).ok();
    }
}

fn spawn_node(user: &ServerUser, folder: &Path, ports: &Ports, etcd: &Etcd, node: usize) -> Child {
    let configuration = configuration(folder, ports, etcd, node);
    let file = folder.join(format!("n{node}.yml"));
    std::fs::write(&file, configuration).unwrap();
    user.give(&file, 0o600).unwrap();
    let args = [file.display().to_string()];
    spawn(user, folder, &format!("n{node}"), "patroni", &args)
}

fn configuration(folder: &Path, ports: &Ports, etcd: &Etcd, node: usize) -> String {
    let (rest, port) = (ports.patroni[node], ports.postgres[node]);
    let etcd = etcd.addresses();
    let (data, pgpass) = (data(folder, node), folder.join(format!("pgpass{node}")));
    let (data, pgpass, folder) = (data.display(), pgpass.display(), folder.display());
    let tools = Tools::newest().unwrap();
    let programs = tools.folder().display();
    format!(
        "scope: fleet
name: n{node}
restapi: {{listen: \"127.0.0.1:{rest}\", connect_address: \"127.0.0.1:{rest}\"}}
etcd3: {{hosts: {etcd}}}
bootstrap:
  dcs:
    {TTL}
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters: {{max_connections: 300, wal_level: replica, hot_standby: 'on', wal_log_hints: 'on', max_wal_senders: 10,
        wal_keep_size: 128MB}}
  initdb: [{{encoding: UTF8}}, {{locale: C.UTF-8}}, no-sync]
postgresql:
  listen: \"127.0.0.1:{port}\"
  connect_address: \"127.0.0.1:{port}\"
  data_dir: {data}
  bin_dir: {programs}
  pgpass: {pgpass}
  authentication:
    superuser: {{username: postgres, password: super}}
    replication: {{username: replicator, password: repl}}
    rewind: {{username: rewinder, password: rew}}
  parameters: {{unix_socket_directories: '{folder}', shared_buffers: 32MB, fsync: 'off', dynamic_shared_memory_type: mmap}}
  pg_hba:
    - local all postgres trust
    - host replication replicator 127.0.0.1/32 scram-sha-256
    - host all all 127.0.0.1/32 scram-sha-256
watchdog: {{mode: off}}
"
    )
}

fn spawn_haproxy(user: &ServerUser, folder: &Path, ports: &Ports) -> Child {
    let mut configuration = format!(
        "global
    maxconn 500
defaults
    mode tcp
    timeout connect 1s
    timeout client 30m
    timeout server 30m
    timeout check 1s
listen primary
    bind 127.0.0.1:{}
    option httpchk OPTIONS /primary
    http-check expect status 200
    default-server inter 500ms fastinter 250ms fall 2 rise 1 on-marked-down shutdown-sessions
",
        ports.haproxy
    );
    for node in 0..NODES {
        let (port, check) = (ports.postgres[node], ports.patroni[node]);
        writeln!(configuration, "    server n{node} 127.0.0.1:{port} check port {check}").unwrap();
    }
    let file = folder.join("haproxy.cfg");
    std::fs::write(&file, configuration).unwrap();
    user.give(&file, 0o600).unwrap();
    let args = ["-db".to_owned(), "-f".to_owned(), file.display().to_string()];
    spawn(user, folder, "haproxy", "haproxy", &args)
}

/// The members according to the first node that answers.
async fn members(ports: &Ports) -> Option<Vec<Value>> {
    for port in ports.patroni {
        let url = format!("http://127.0.0.1:{port}/cluster");
        let client = reqwest::Client::new();
        let answer = client.get(url).timeout(Duration::from_secs(2)).send().await;
        let Ok(answer) = answer else { continue };
        let text = answer.text().await.unwrap_or_default();
        let cluster: Value = serde_json::from_str(&text).unwrap_or_default();
        if let Some(members) = cluster["members"].as_array() {
            return Some(members.clone());
        }
    }
    None
}

fn leader(members: &[Value]) -> Option<usize> {
    let leader = members.iter().find(|member| member["role"] == "leader")?;
    let name = leader["name"].as_str()?;
    name.strip_prefix('n')?.parse().ok()
}

/// Whether all nodes run, and one of them is a synchronous standby.
async fn is_whole(ports: &Ports) -> bool {
    let Some(members) = members(ports).await else {
        return false;
    };
    let works = |member: &&Value| member["state"] == "running" || member["state"] == "streaming";
    let timelines: Vec<&Value> = members.iter().map(|member| &member["timeline"]).collect();
    leader(&members).is_some()
        && members.iter().filter(works).count() == NODES
        && members.iter().any(|member| member["role"] == "sync_standby")
        && timelines.windows(2).all(|pair| pair[0] == pair[1])
}
