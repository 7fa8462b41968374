//! Every process is replaced under load, also by another release and back: no request fails, no read is stale, no message is repeated.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use e2e::{Fleet, Receiver, Service, SmallFleet, Staff, binaries, eventually, long_form};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::proxies::{HAPROXY, Proxy};
use crate::upgrade_load::{Load, STUDIO};

/// The services with the prefixes of their settings, in the order of their replacement.
const SERVICES: [(&str, &str); 6] = [
    ("listings-svc", "LISTINGS"),
    ("catalogue-svc", "CATALOGUE"),
    ("economy-svc", "ECONOMY"),
    ("webhook-svc", "WEBHOOK"),
    ("gateway", "GATEWAY"),
    ("web", "WEB"),
];
/// Other programs that the launcher needs.
const TOOLS: [&str; 3] = ["staff", "local-activity", "local-people"];
/// How long a process keeps serving after SIGTERM, in seconds, while haproxy and the other services notice. haproxy checks every second.
const SHUTDOWN_DELAY: &str = "3";
/// The number of games. Each is changed by one request at a time.
const GAMES: usize = 16;

/// The binaries of the fleet, as links. Replacing the links installs another release.
struct Installation {
    folder: tempfile::TempDir,
    /// The binaries of another release, with which the fleet starts.
    before: Option<PathBuf>,
}

impl Installation {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let before = std::env::var_os("UPGRADE_FROM").map(PathBuf::from);
        let before = before.map(|before| before.canonicalize().unwrap());
        let installation = Self { folder, before };
        let first = installation.before.clone().unwrap_or_else(binaries);
        installation.link_all(&first);
        installation
    }

    fn link_all(&self, release: &Path) {
        let services = SERVICES.map(|(name, _)| name);
        for name in services.iter().chain(&TOOLS) {
            let new = self.folder.path().join("new");
            std::os::unix::fs::symlink(release.join(name), &new).unwrap();
            std::fs::rename(new, self.folder.path().join(name)).unwrap();
        }
    }

    /// Runs the migrations of this release while the processes of the previous one run.
    async fn migrate(&self, fleet: &Fleet) {
        for (name, prefix) in SERVICES {
            // A migration uses the settings of its service, and the role that owns the schema.
            let role = format!("{}_owner", prefix.to_lowercase());
            let owner = format!("{}?options[role]={role}", fleet.database_url);
            let migrated = Command::new(binaries().join(name))
                .arg("migrate")
                .env_clear()
                .envs(fleet.service(name).environment())
                .env(format!("{prefix}_DATABASE_OWNER_URL"), owner)
                .output()
                .await
                .unwrap();
            let complaint = String::from_utf8_lossy(&migrated.stderr);
            assert!(migrated.status.success(), "{name} migrate: {complaint}");
        }
    }
}

/// Creates the published games that the test changes; returns their slugs, and a key that may change them.
async fn games(fleet: &Fleet) -> (Vec<String>, String) {
    let mut staff = Staff::new(fleet).await;
    let account = staff.account("unlimited").await;
    staff.page(&account, STUDIO).await;
    let slug = |game: usize| format!("upgrade-{game:02}");
    let slugs: Vec<String> = (0..GAMES).map(slug).collect();
    let row = |slug: &String| json!({"slug": slug, "title": slug, "platforms": ["web"], "release_year": 2026, "creator": STUDIO});
    let rows: Vec<Value> = slugs.iter().map(row).collect();
    staff.import("game", &rows).await;
    let wanted = e2e::KeyRequest { may_write: true, ..e2e::KeyRequest::live() };
    let (_, secret) = staff.key(&account, wanted).await;
    (slugs, secret)
}

/// haproxy with all replicas, over plain HTTP, and its table of servers on the same port.
struct Balancer {
    _proxy: Proxy,
    public: String,
    table: String,
}

impl Balancer {
    async fn start(fleet: &Fleet) -> Self {
        let mut configuration = HAPROXY.to_owned();
        for name in ["gateway", "web"] {
            let start = format!("    server-template {name} ");
            let line = HAPROXY.lines().find(|line| line.starts_with(&start));
            let servers = servers(fleet, name);
            configuration = configuration.replace(line.unwrap(), &servers);
        }
        for (text, replacement) in [
            (
                r#" ssl crt "${CERTIFICATE}" alpn h2,http/1.1"#,
                "\n    stats enable\n    stats uri /table",
            ),
            // A replica that is slow because the machine is busy stays up.
            ("timeout check 5s", "timeout check 120s"),
        ] {
            assert!(configuration.contains(text), "{text}");
            configuration = configuration.replace(text, replacement);
        }
        let proxy = Proxy::haproxy(&configuration, &[]).await;
        let public = format!("http://{}", proxy.address);
        Self { table: format!("{public}/table;csv"), public, _proxy: proxy }
    }

    /// Waits until haproxy sends requests to every replica.
    async fn has_all(&self) {
        eventually("haproxy has all replicas", async || {
            let table = reqwest::get(&self.table).await.ok()?.text().await.ok()?;
            // Only names of servers contain a dash.
            let servers: Vec<&str> = table
                .lines()
                .filter(|line| {
                    let name = line.split(',').nth(1);
                    name.is_some_and(|name| name.contains('-'))
                })
                .collect();
            assert_eq!(servers.len(), 4, "{table}");
            let is_up = |line: &&str| line.split(',').any(|column| column == "UP");
            servers.iter().all(is_up).then_some(())
        })
        .await;
    }
}

/// The lines of haproxy's configuration for the replicas of a service.
fn servers(fleet: &Fleet, name: &str) -> String {
    let replicas = fleet.replicas(name);
    let place = |url: &str| url.trim_start_matches("http://").to_owned();
    let lines = replicas.enumerate().map(|(number, replica)| {
        let ready = place(&replica.ready);
        let (admin, _) = ready.split_once('/').unwrap();
        let http = place(replica.http.as_ref().unwrap());
        format!("    server {name}-{number} {http} port {}", port(admin))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn port(place: &str) -> &str {
    place.rsplit_once(':').unwrap().1
}

/// Ends a process with SIGTERM, and waits until the launcher has restarted it.
async fn replace(small: &SmallFleet, old: &Service) {
    let pid = old.pid.unwrap();
    kill(Pid::from_raw(pid), Signal::SIGTERM).unwrap();
    let what = format!("{} at {} is replaced", old.name, old.grpc);
    eventually(&what, async || {
        let fleet = small.fleet();
        let now = fleet.services.iter().find(|now| now.grpc == old.grpc)?;
        let is_other = now.pid.is_some_and(|now| now != pid);
        let ready = async || reqwest::get(&now.ready).await.is_ok_and(|it| it.status() == 200);
        (is_other && ready().await).then_some(())
    })
    .await;
}

/// Replaces every process, one at a time.
async fn replace_all(small: &SmallFleet, balancer: &Balancer) {
    for (name, _) in SERVICES {
        let fleet = small.fleet();
        for old in fleet.replicas(name) {
            replace(small, old).await;
            // Wait until the new process gets requests before the next one stops.
            balancer.has_all().await;
        }
    }
}

/// A fleet with two replicas of each service, from these binaries, whose webhooks go to `receiver`.
async fn up(installation: &Installation, receiver: &Receiver) -> (SmallFleet, Fleet) {
    let mut small = SmallFleet::patient();
    small.use_binaries(installation.folder.path());
    for (_, prefix) in SERVICES {
        small.set(&format!("{prefix}_SHUTDOWN_DELAY"), SHUTDOWN_DELAY);
    }
    for prefix in ["GATEWAY", "WEB"] {
        small.set(&format!("{prefix}_TRUSTED_PROXIES"), "127.0.0.1");
    }
    small.set("WEBHOOK_ALLOW", &format!("http://{}", receiver.address));
    let replicas = SERVICES.map(|(name, _)| format!("{name}=2")).join(",");
    let fleet = small.up_with(&["--replicas", &replicas]).await;
    (small, fleet)
}

#[tokio::test]
#[ignore = "long: drains and stops twelve processes"]
async fn every_process_is_replaced_and_no_caller_notices() {
    let rate: u64 = long_form("UPGRADE_RATE", 60);
    let minutes: u64 = long_form("UPGRADE_MINUTES", 0);
    let receiver = Receiver::start().await;
    let installation = Installation::new();
    let (small, fleet) = up(&installation, &receiver).await;
    receiver.subscribe(&fleet, &["listing.updated"]).await;
    let (slugs, key) = games(&fleet).await;
    let balancer = Balancer::start(&fleet).await;
    balancer.has_all().await;

    let load = Arc::new(Load::new(&balancer.public, key, slugs));
    let since = Instant::now();
    let replacing = async {
        if let Some(before) = &installation.before {
            installation.migrate(&fleet).await;
            // First this release, then back: the previous one starts with the new schema, and reads what the new release has written.
            for release in [&binaries(), before] {
                installation.link_all(release);
                replace_all(&small, &balancer).await;
            }
            installation.link_all(&binaries());
        }
        loop {
            replace_all(&small, &balancer).await;
            if since.elapsed() >= Duration::from_secs(60 * minutes) {
                break;
            }
        }
    };
    tokio::select! {
        () = Arc::clone(&load).run(rate) => {}
        () = replacing => {}
    }

    let changes = load.assert_all_seen(&fleet).await;
    eventually("the messages of all changes arrive", async || {
        (receiver.count() >= changes).then_some(())
    })
    .await;
    assert_eq!(receiver.repeats(), 0);
    let requests = load.requests();
    println!(
        "{requests} requests in {:.0?}, {changes} changes; none failed, none was stale, no message came twice",
        since.elapsed()
    );
}
