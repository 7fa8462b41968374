//! Every process is replaced under load, also by another release: no request fails, no read is stale, no message is repeated.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use e2e::{Client, Fleet, Receiver, Service, SmallFleet, Staff, binaries, eventually};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::task::JoinSet;

use crate::ports::free_port;
use crate::proxies::{HAPROXY, Proxy};

/// The services, each with the prefix of its settings, in the order in which they are replaced.
const SERVICES: [(&str, &str); 6] = [
    ("listings-svc", "LISTINGS"),
    ("catalogue-svc", "CATALOGUE"),
    ("economy-svc", "ECONOMY"),
    ("webhook-svc", "WEBHOOK"),
    ("gateway", "GATEWAY"),
    ("web", "WEB"),
];
/// The other programs that a launcher needs.
const TOOLS: [&str; 2] = ["staff", "local-people"];
/// How long an idle connection is used again.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// The time in which haproxy and the other services learn that a process stops, in seconds: haproxy asks each second.
const SHUTDOWN_DELAY: &str = "3";
const STUDIO: &str = "upgrade-studio";
/// Each game is changed by one request at a time.
const GAMES: usize = 16;
/// A page of the site.
const PAGE: &str = "/games";

/// A variable of the environment, or the value of the short form.
fn variable(name: &str, short: u64) -> u64 {
    #[expect(clippy::disallowed_methods, reason = "a test has no settings")]
    let value = std::env::var(name);
    value.map_or(short, |value| value.parse().unwrap())
}

/// The binaries of the fleet, as links: replacing a link is the installation of another release.
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

    /// Installs this release. Its migrations run first, while the processes of the release before it run.
    async fn upgrade(&self, fleet: &Fleet) {
        if self.before.is_none() {
            return;
        }
        for (name, prefix) in SERVICES {
            // A migration has the settings of its service, and the role that owns the schema.
            let pid = fleet.service(name).pid.unwrap();
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
            let environment = String::from_utf8(environment).unwrap();
            let settings = environment.split('\0').filter_map(|it| it.split_once('='));
            let role = format!("{}_owner", prefix.to_lowercase());
            let owner = format!("{}?options[role]={role}", fleet.database_url);
            let migrated = Command::new(binaries().join(name))
                .arg("migrate")
                .env_clear()
                .envs(settings)
                .env(format!("{prefix}_DATABASE_OWNER_URL"), owner)
                .output()
                .await
                .unwrap();
            let complaint = String::from_utf8_lossy(&migrated.stderr);
            assert!(migrated.status.success(), "{name} migrate: {complaint}");
        }
        self.link_all(&binaries());
    }
}

/// The public games that the test changes, and the key that may change them.
async fn games(fleet: &Fleet) -> (Vec<String>, String) {
    let mut staff = Staff::of(fleet).await;
    let account = staff.account("unlimited").await;
    staff.page(&account, STUDIO).await;
    let slug = |game: usize| format!("upgrade-{game:02}");
    let slugs: Vec<String> = (0..GAMES).map(slug).collect();
    let row = |slug: &String| json!({"slug": slug, "title": slug, "platforms": ["web"], "release_year": 2026, "creator": STUDIO});
    let rows: Vec<Value> = slugs.iter().map(row).collect();
    staff.import("game", &rows).await;
    let wanted = e2e::KeyRequest {
        may_write: true,
        ..e2e::KeyRequest::live()
    };
    let (_, secret) = staff.key(&account, wanted).await;
    (slugs, secret)
}

/// haproxy with all replicas, over plain HTTP as well, and with its table of servers.
struct Balancer {
    _proxy: Proxy,
    public: String,
    table: String,
}

impl Balancer {
    async fn start(fleet: &Fleet) -> Self {
        let (public, table) = (free_port(), free_port());
        let mut configuration = HAPROXY.to_owned();
        for name in ["gateway", "web"] {
            let start = format!("    server-template {name} ");
            let line = HAPROXY.lines().find(|line| line.starts_with(&start));
            let servers = servers(fleet, name);
            configuration = configuration.replace(line.unwrap(), &servers);
        }
        let tls = "    bind \"${LISTEN}\" ssl";
        for (line, replacement) in [
            (tls, format!("    bind {public}\n{tls}")),
            // A replica that is only slow, since the machine is busy, stays.
            ("timeout check 5s", "timeout check 120s".to_owned()),
        ] {
            assert!(configuration.contains(line), "{line}");
            configuration = configuration.replace(line, &replacement);
        }
        write!(
            configuration,
            "\nfrontend table\n    bind {table}\n    stats enable\n    stats uri /\n"
        )
        .unwrap();
        Self {
            _proxy: Proxy::haproxy(&configuration, &[]).await,
            public: format!("http://{public}"),
            table: format!("http://{table}/;csv"),
        }
    }

    /// Waits until haproxy sends requests to every replica.
    async fn has_all(&self) {
        eventually("haproxy has all replicas", async || {
            let table = reqwest::get(&self.table).await.ok()?.text().await.ok()?;
            // Servers have a dash in their names.
            let servers = table.lines().filter(|line| {
                let name = line.split(',').nth(1);
                name.is_some_and(|name| name.contains('-'))
            });
            let servers: Vec<&str> = servers.collect();
            assert_eq!(servers.len(), 4, "{table}");
            let is_up = |line: &&str| line.split(',').any(|column| column == "UP");
            servers.iter().all(is_up).then_some(())
        })
        .await;
    }
}

/// The lines of the replicas of a service.
fn servers(fleet: &Fleet, name: &str) -> String {
    let replicas = fleet.services.iter().filter(|one| one.name == name);
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

/// What callers do all the time.
struct Load {
    http: reqwest::Client,
    /// Opens a connection for each request.
    new_connections: reqwest::Client,
    base: String,
    key: String,
    /// Each with the number of its changes.
    games: Vec<(String, tokio::sync::Mutex<u64>)>,
    failures: Mutex<Vec<String>>,
    requests: AtomicUsize,
}

impl Load {
    fn new(balancer: &Balancer, key: String, slugs: Vec<String>) -> Self {
        let client = |idle| {
            let client = reqwest::Client::builder().pool_max_idle_per_host(idle);
            // Less than haproxy's, so that no request meets a connection that is being closed.
            client.pool_idle_timeout(KEEP_ALIVE).build().unwrap()
        };
        let games = slugs
            .into_iter()
            .map(|slug| (slug, tokio::sync::Mutex::default()));
        Self {
            http: client(usize::MAX),
            new_connections: client(0),
            base: balancer.public.clone(),
            key,
            games: games.collect(),
            failures: Mutex::default(),
            requests: AtomicUsize::new(0),
        }
    }

    /// Nothing failed, and the games are as the last changes made them. Returns the number of changes.
    async fn assert_all_seen(&self, fleet: &Fleet) -> usize {
        assert_eq!(*self.failures.lock().unwrap(), [""; 0]);
        let reader = Client::new(fleet, &self.key);
        let mut changes = 0;
        for (slug, count) in &self.games {
            let count = *count.lock().await;
            assert!(count > 0, "{slug} was never changed");
            let game = reader.get(&format!("/games/{slug}")).await;
            let tagline = game.data()["tagline"].as_str().unwrap();
            // The load ended while a change was on its way.
            let shown = [count, count + 1].map(|count| format!("Change {count}"));
            assert!(
                shown.iter().any(|shown| shown == tagline),
                "{slug}: {tagline}"
            );
            changes += usize::try_from(count).unwrap();
        }
        changes
    }

    /// Sends a request; `None` if it failed, which is recorded.
    async fn send(
        &self,
        client: &reqwest::Client,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Option<String> {
        let what = format!("{method} {path}");
        let mut request = client
            .request(method, format!("{}{path}", self.base))
            .bearer_auth(&self.key);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = async {
            let response = request.send().await?;
            let status = response.status();
            Ok::<_, reqwest::Error>((status, response.text().await?))
        };
        self.requests.fetch_add(1, Ordering::Relaxed);
        match answer.await {
            Ok((status, text)) if status == 200 => return Some(text),
            Ok((status, text)) => self.fail(format!("{what}: {status} {text}")),
            Err(error) => self.fail(format!("{what}: {error:?}")),
        }
        None
    }

    fn fail(&self, what: String) {
        self.failures.lock().unwrap().push(what);
    }

    /// The request with this number.
    async fn request(&self, number: usize) {
        let game = number / 8 % self.games.len();
        let (slug, changes) = &self.games[game];
        let list = format!("/v1/games?limit=20&creator={STUDIO}");
        match number % 8 {
            0 => self.change(slug, changes).await,
            1 | 2 => drop(
                self.send(&self.new_connections, Method::GET, &list, None)
                    .await,
            ),
            3 => drop(self.send(&self.http, Method::GET, PAGE, None).await),
            4 => {
                let search = format!("/v1/search?q={slug}");
                drop(self.send(&self.http, Method::GET, &search, None).await);
            }
            _ => drop(self.send(&self.http, Method::GET, &list, None).await),
        }
    }

    /// Changes a game; the next read must show the change.
    async fn change(&self, slug: &str, changes: &tokio::sync::Mutex<u64>) {
        let mut changes = changes.lock().await;
        let tagline = format!("Change {}", *changes + 1);
        let path = format!("/v1/games/{slug}");
        let body = json!({"tagline": tagline});
        let changed = self
            .send(&self.http, Method::PATCH, &path, Some(body))
            .await;
        if changed.is_none() {
            return;
        }
        *changes += 1;
        let Some(text) = self
            .send(&self.new_connections, Method::GET, &path, None)
            .await
        else {
            return;
        };
        let body: Value = serde_json::from_str(&text).unwrap();
        if body["data"]["tagline"] != *tagline {
            self.fail(format!("a stale read of {slug} after {tagline}: {text}"));
        }
    }

    /// Sends `rate` requests a second, whether or not the ones before are answered.
    async fn run(self: Arc<Self>, rate: u64) {
        let mut pace = tokio::time::interval(Duration::from_secs(1) / u32::try_from(rate).unwrap());
        let mut running = JoinSet::new();
        for number in 0.. {
            pace.tick().await;
            let load = Arc::clone(&self);
            running.spawn(async move { load.request(number).await });
            while let Some(ended) = running.try_join_next() {
                ended.unwrap();
            }
            let failures = self.failures.lock().unwrap();
            assert!(
                failures.is_empty(),
                "after {number} requests: {failures:#?}"
            );
        }
    }
}

/// Ends a process by SIGTERM, and waits until the launcher has started it again.
async fn replace(small: &SmallFleet, old: &Service) {
    let pid = old.pid.unwrap();
    kill(Pid::from_raw(pid), Signal::SIGTERM).unwrap();
    let what = format!("{} at {} is replaced", old.name, old.grpc);
    eventually(&what, async || {
        let fleet = small.fleet();
        let now = fleet.services.iter().find(|now| now.grpc == old.grpc)?;
        let is_other = now.pid.is_some_and(|now| now != pid);
        let ready = async || {
            reqwest::get(&now.ready)
                .await
                .is_ok_and(|it| it.status() == 200)
        };
        (is_other && ready().await).then_some(())
    })
    .await;
}

/// Replaces every process, one after another.
async fn replace_all(small: &SmallFleet, balancer: &Balancer) {
    for (name, _) in SERVICES {
        let fleet = small.fleet();
        for old in fleet.services.iter().filter(|one| one.name == name) {
            replace(small, old).await;
            // The next process stops when this one gets requests.
            balancer.has_all().await;
        }
    }
}

/// A fleet of two replicas of each service, from these binaries, whose webhooks go to `receiver`.
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
    let plans = small.plans();
    let replicas = SERVICES.map(|(name, _)| format!("{name}=2")).join(",");
    let options = ["--replicas", &replicas, "--plans", &plans];
    let fleet = small.up_with(&options).await;
    (small, fleet)
}

#[tokio::test]
async fn every_process_is_replaced_and_no_caller_notices() {
    let (rate, minutes) = (variable("UPGRADE_RATE", 60), variable("UPGRADE_MINUTES", 0));
    let receiver = Receiver::start().await;
    let installation = Installation::new();
    let (small, fleet) = up(&installation, &receiver).await;
    receiver.subscribe(&fleet, &["listing.updated"]).await;
    let (slugs, key) = games(&fleet).await;
    let balancer = Balancer::start(&fleet).await;
    balancer.has_all().await;

    let load = Arc::new(Load::new(&balancer, key, slugs));
    let since = Instant::now();
    let replacing = async {
        installation.upgrade(&fleet).await;
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
    let requests = load.requests.load(Ordering::Relaxed);
    println!(
        "{requests} requests in {:.0?}, {changes} changes; none failed, none was stale, no message came twice",
        since.elapsed()
    );
}
