//! The fleet on two hosts: latency, loss and partitions.
//!
//! A host is a network namespace. The test, its launcher, PostgreSQL, Redis and one process of each service run on the first host, and a
//! second process of each service on the other. The wire between them delays packets by 10 ms in each direction, so 20 ms for a round trip,
//! and loses some; rules of the first host's firewall cut off some of its ports.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use e2e::{Fleet, Receiver, SmallFleet, eventually, long_form};
use nix::sched::{CloneFlags, setns};
use nix::sys::signal::Signal;
use nix::unistd::geteuid;
use servers::ServerUser;
use sqlx::{Connection as _, PgConnection};
use url::Url;

use crate::model::Model;

/// The addresses of the hosts.
const FIRST: &str = "10.78.0.1";
const OTHER: &str = "10.78.0.2";
/// Milliseconds from one host to the other, in each direction, and the share of the packets that is lost.
const WIRE: [&str; 2] = ["10", "0.01"];
/// The first ports of the processes on the other host, which has no others.
const GRPC: u16 = 7_000;
const HTTP: u16 = 8_000;
const ADMIN: u16 = 9_000;

/// Two hosts and the wire between them.
struct Hosts {
    /// The namespaces of both hosts and of the wire.
    names: [String; 3],
    processes: Vec<Child>,
}

fn run(line: &str) {
    let words: Vec<&str> = line.split(' ').collect();
    let output = Command::new(words[0]).args(&words[1..]).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {complaint}");
}

impl Hosts {
    /// Makes the hosts. The thread of the test, and what it starts, is on the first from now on.
    fn new() -> Self {
        assert!(geteuid().is_root(), "network namespaces need root");
        let names = ["first", "other", "wire"].map(|it| format!("{it}-{}", std::process::id()));
        let mut hosts = Self {
            names,
            processes: Vec::new(),
        };
        let [first, other, wire] = &hosts.names;
        for name in &hosts.names {
            run(&format!("ip netns add {name}"));
        }
        for (host, end, address) in [(first, "w0", FIRST), (other, "w1", OTHER)] {
            run(&format!(
                "ip link add {end} netns {wire} type veth peer name v0 netns {host}"
            ));
            run(&format!("ip -n {wire} link set {end} up"));
            run(&format!("ip -n {host} addr add {address}/24 dev v0"));
            run(&format!("ip -n {host} link set v0 up"));
            run(&format!("ip -n {host} link set lo up"));
            // The wire gets the packets as they are on a real one.
            let off = "tx off tso off gso off gro off";
            run(&format!("ip netns exec {host} ethtool -K v0 {off}"));
            run(&format!("ip netns exec {wire} ethtool -K {end} {off}"));
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("operate/wire.py");
        let [delay, loss] = WIRE;
        let mut program = in_namespace(wire, Path::new("/usr/bin/python3"));
        program.arg(script).args(["w0", "w1", delay, loss]);
        let namespace = File::open(Path::new("/var/run/netns").join(first)).unwrap();
        hosts.processes.push(program.spawn().unwrap());
        setns(namespace, CloneFlags::CLONE_NEWNET).unwrap();
        // What listens on 127.0.0.1 of the first host answers the other host as well.
        std::fs::write("/proc/sys/net/ipv4/conf/v0/route_localnet", "1").unwrap();
        run("iptables -t nat -A PREROUTING -i v0 -p tcp -j DNAT --to-destination 127.0.0.1");
        hosts
    }

    /// Starts a second process of each service on the other host, with the settings of the first. Returns their description.
    async fn start_other(&mut self, fleet: &Fleet) -> Fleet {
        let state = fleet.clock_file.parent().unwrap();
        let mut lists: BTreeMap<&str, String> = BTreeMap::new();
        for (number, service) in (0..).zip(&fleet.services) {
            let theirs = format!("http://{OTHER}:{}\n", GRPC + number);
            let list = state.join("addresses").join(&service.name);
            File::options()
                .append(true)
                .open(list)
                .unwrap()
                .write_all(theirs.as_bytes())
                .unwrap();
            let first = service.grpc.replace("127.0.0.1", FIRST);
            lists.insert(&service.name, format!("{first}\n{theirs}"));
        }
        let folder = state.join("other");
        std::fs::create_dir(&folder).unwrap();
        for (name, list) in lists {
            std::fs::write(folder.join(name), list).unwrap();
        }
        let mut other = fleet.clone();
        for (number, service) in (0..).zip(&mut other.services) {
            let environment = service.environment();
            let pid = service.pid.take().unwrap();
            let program = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap();
            let mut process = in_namespace(&self.names[1], &program);
            process
                .env_clear()
                .envs(settings(environment, number, &folder));
            let log = folder.join(format!("{}.log", service.name));
            process.stdout(File::create(log).unwrap());
            self.processes.push(process.spawn().unwrap());
            service.grpc = format!("http://{OTHER}:{}", GRPC + number);
            service.http = service
                .http
                .as_ref()
                .map(|_| format!("http://{OTHER}:{}", HTTP + number));
            let ready = format!("http://{OTHER}:{}/readyz", ADMIN + number);
            eventually("a service on the other host is ready", async || {
                let answer = reqwest::get(&ready).await.ok()?;
                answer.status().is_success().then_some(())
            })
            .await;
        }
        other.base_url = format!("{}/v1", other.service("gateway").http.as_ref().unwrap());
        other
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for process in &mut self.processes {
            // An error means that it has already ended.
            drop(process.kill());
            drop(process.wait());
        }
        for name in &self.names {
            drop(Command::new("ip").args(["netns", "del", name]).output());
        }
    }
}

/// A command that runs a program in a network namespace; it ends with the test.
fn in_namespace(name: &str, program: &Path) -> Command {
    let user = ServerUser::default();
    let mut command = user.command(Path::new("ip"), Some(Signal::SIGKILL));
    command.args(["netns", "exec", name]).arg(program);
    command
}

/// The environment of a process on the first host, for one on the other.
fn settings(
    environment: BTreeMap<String, String>,
    number: u16,
    folder: &Path,
) -> BTreeMap<String, String> {
    let changed = |name: &str, value: &str| match name {
        _ if name.ends_with("_GRPC_LISTEN") => format!("{OTHER}:{}", GRPC + number),
        _ if name.ends_with("_HTTP_LISTEN") => format!("{OTHER}:{}", HTTP + number),
        _ if name.ends_with("_ADMIN_LISTEN") => format!("{OTHER}:{}", ADMIN + number),
        _ if name.ends_with("_DATABASE_URL") || name.ends_with("_REDIS_URL") => {
            value.replace("127.0.0.1", FIRST)
        }
        _ if name.ends_with("_ADDRESSES") => {
            let list = PathBuf::from(value);
            let list = folder.join(list.file_name().unwrap());
            format!("file:{}", list.display())
        }
        _ => value.to_owned(),
    };
    let settings = environment.into_iter().map(|(name, value)| {
        let value = changed(&name, &value);
        (name, value)
    });
    settings.collect()
}

/// Lets PostgreSQL accept the other host.
#[expect(
    clippy::disallowed_methods,
    reason = "the tests have no schema of their own"
)]
async fn admit_other(fleet: &Fleet) {
    let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
    let file: String = sqlx::query_scalar("show hba_file")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    let mut file = File::options().append(true).open(file).unwrap();
    writeln!(file, "host all all {OTHER}/32 scram-sha-256").unwrap();
    sqlx::raw_sql("select pg_reload_conf()")
        .execute(&mut connection)
        .await
        .unwrap();
}

/// Drops what the first host gets from the other and what a rule of iptables matches, for a time.
async fn partition(rules: &[String], time: Duration) {
    for rule in rules {
        run(&format!("iptables -A INPUT -i v0 {rule} -j DROP"));
    }
    tokio::time::sleep(time).await;
    run("iptables -F INPUT");
}

fn port(url: &str) -> u16 {
    Url::parse(url).unwrap().port().unwrap()
}

/// The rules that cut off the services of both hosts from each other.
fn between_services(fleet: &Fleet, other: &Fleet) -> Vec<String> {
    let called = fleet.services.iter().map(|it| ("dport", port(&it.grpc)));
    let calls = other.services.iter().map(|it| ("sport", port(&it.grpc)));
    let ports = called.chain(calls);
    ports
        .map(|(side, port)| format!("-p tcp --{side} {port}"))
        .collect()
}

/// Each partition takes `HOSTS_SECONDS`, and then heals.
#[tokio::test]
#[ignore = "takes minutes and needs root; tests/README.md has its command and what came of it"]
async fn the_other_host_is_cut_off() {
    let seconds: u64 = long_form("HOSTS_SECONDS", 10);
    let time = Duration::from_secs(seconds);
    let mut hosts = Hosts::new();
    let receiver = Receiver::start_on("0.0.0.0", FIRST).await;
    let mut small = SmallFleet::new();
    small.set("WEBHOOK_ALLOW", &format!("http://{}", receiver.address));
    let plans = small.plans();
    let fleet = small.up_with(&["--plans", &plans]).await;
    admit_other(&fleet).await;
    let other = hosts.start_other(&fleet).await;
    // Callers read on the first host; staff write, and a caller reads, on the other.
    let model = Model::new(&fleet, &other, receiver).await;
    // A read that has waited for the other host has no time for another process.
    model.load.may_fail();

    let postgres = [format!("-p tcp --dport {}", port(&fleet.database_url))];
    let redis = [format!("-p tcp --dport {}", port(&fleet.redis_url))];
    let services = between_services(&fleet, &other);
    for (what, rules) in [
        ("the other host does not reach PostgreSQL", &postgres[..]),
        ("the other host does not reach Redis", &redis[..]),
        (
            "the services of both hosts do not reach each other",
            &services[..],
        ),
        ("the other host is cut off", &["-p all".to_owned()][..]),
    ] {
        let fault = async || partition(rules, time).await;
        model.through(what, fault).await;
    }
    // Before the hosts.
    drop(small);
    drop(hosts);
}
