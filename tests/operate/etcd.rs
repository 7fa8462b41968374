//! The store of Patroni: three members of etcd. Two are a quorum.

use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use e2e::{Paused, eventually_within};
use serde_json::Value;
use servers::ServerUser;

use crate::ports::free_port;
use crate::server_process::{Server, spawn};

/// Timeout for the members to elect a leader.
const GIVE_UP: Duration = Duration::from_mins(5);
const MEMBERS: usize = 3;

pub(crate) struct Etcd {
    folder: PathBuf,
    user: ServerUser,
    ports: Ports,
    members: [Server; MEMBERS],
}

struct Ports {
    clients: [u16; MEMBERS],
    peers: [u16; MEMBERS],
}

impl Etcd {
    /// The names of the members' logs in the folder.
    pub(crate) const LOGS: [&str; MEMBERS] = ["etcd0", "etcd1", "etcd2"];

    pub(crate) fn spawn(user: &ServerUser, folder: &Path) -> Self {
        let free = |_: usize| free_port().port();
        let ports = Ports { clients: std::array::from_fn(free), peers: std::array::from_fn(free) };
        let members: [Child; MEMBERS] =
            std::array::from_fn(|member| spawn_member(user, folder, &ports, member));
        Self {
            folder: folder.to_owned(),
            user: user.clone(),
            ports,
            members: members.map(Server::new),
        }
    }

    /// The client addresses as a YAML list.
    pub(crate) fn addresses(&self) -> String {
        let addresses = self.ports.clients.map(|port| format!("\"127.0.0.1:{port}\""));
        format!("[{}]", addresses.join(", "))
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.members.iter().any(Server::has_ended)
    }

    /// Kills all members, and restarts them with their data.
    pub(crate) fn restart(&self) {
        self.end();
        for member in 0..MEMBERS {
            self.start(member);
        }
    }

    /// Kills the leader, and waits until another member leads; returns the number of the killed member.
    pub(crate) async fn kill_leader(&self) -> usize {
        let killed = self.leader_other_than(None).await;
        self.members[killed].end();
        self.leader_other_than(Some(killed)).await;
        killed
    }

    /// Restarts a killed member with its data.
    pub(crate) fn start(&self, member: usize) {
        let started = spawn_member(&self.user, &self.folder, &self.ports, member);
        self.members[member].replace(started);
    }

    /// Pauses all members until the value is dropped.
    pub(crate) fn pause(&self) -> Paused {
        let [first, others @ ..] = self.members.each_ref().map(Server::pid);
        Paused::process(first).and(others)
    }

    pub(crate) fn end(&self) {
        self.members.iter().for_each(Server::end);
    }

    async fn leader_other_than(&self, killed: Option<usize>) -> usize {
        eventually_within(GIVE_UP, "etcd has a leader", async || {
            for member in (0..MEMBERS).filter(|member| Some(*member) != killed) {
                if leads(self.ports.clients[member]).await {
                    return Some(member);
                }
            }
            None
        })
        .await
    }
}

fn spawn_member(user: &ServerUser, folder: &Path, ports: &Ports, member: usize) -> Child {
    let url = |port: u16| format!("http://127.0.0.1:{port}");
    let (name, clients) = (Etcd::LOGS[member], url(ports.clients[member]));
    let peers = ports.peers.map(url);
    let cluster: Vec<String> =
        Etcd::LOGS.iter().zip(&peers).map(|(name, peer)| format!("{name}={peer}")).collect();
    let peer = &peers[member];
    let args = [
        format!("--name={name}"),
        format!("--data-dir={}/{name}", folder.display()),
        format!("--listen-client-urls={clients}"),
        format!("--advertise-client-urls={clients}"),
        format!("--listen-peer-urls={peer}"),
        format!("--initial-advertise-peer-urls={peer}"),
        format!("--initial-cluster={}", cluster.join(",")),
        // No test crashes the machine.
        "--unsafe-no-fsync".to_owned(),
    ];
    spawn(user, folder, name, "etcd", &args)
}

/// Whether the member at this port says that it is the leader.
async fn leads(port: u16) -> bool {
    let url = format!("http://127.0.0.1:{port}/v3/maintenance/status");
    let request = reqwest::Client::new().post(url).body("{}");
    let Ok(answer) = request.timeout(Duration::from_secs(2)).send().await else {
        return false;
    };
    let text = answer.text().await.unwrap_or_default();
    let status: Value = serde_json::from_str(&text).unwrap_or_default();
    status["leader"].is_string() && status["leader"] == status["header"]["member_id"]
}
