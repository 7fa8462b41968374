//! A fleet for one test or benchmark, in its own folder.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::LazyLock;
use std::time::Duration;

use futures::StreamExt as _;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;

use crate::{Client, Fleet, Staff, eventually, eventually_within};

const UNLIMITED: &str =
    "[[plan]]\nname = \"unlimited\"\ntitle = \"Unlimited\"\nwebhook_events = true\n";

/// Timeout for the start of a fleet, which takes longer than anything else on a busy machine.
const UP: Duration = Duration::from_mins(10);

/// Deadlines that even a slow machine meets: one setting of a service per line.
const LONG_DEADLINES: &str = include_str!("../../deploy/data/long-deadlines.env");

/// A client with a thousand connections may take long before it sends the first head, and before it uses a connection again.
const SLOW_CLIENTS: [(&str, &str); 3] =
    [("GATEWAY_HTTP_HEAD", "120"), ("GATEWAY_HTTP_BODY", "120"), ("GATEWAY_HTTP_IDLE", "300")];

/// Starts one fleet per core at a time. More would only slow each other down.
static STARTS: LazyLock<Semaphore> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Semaphore::new(cores.max(2))
});

/// A fleet that ends with the test.
#[derive(Debug)]
pub struct SmallFleet {
    state: PathBuf,
    launcher: Option<Child>,
    settings: Vec<(String, String)>,
    /// A plan in addition to those of the gateway.
    plan: &'static str,
    /// The folder of the services' binaries.
    binaries: PathBuf,
    has_activity: bool,
    folder: tempfile::TempDir,
}

impl Default for SmallFleet {
    fn default() -> Self {
        Self::new()
    }
}

impl SmallFleet {
    /// Like [`new`](Self::new), with deadlines that even a slow machine meets: for a test in which nothing fails.
    pub fn patient() -> Self {
        let mut small = Self::new();
        let lines = LONG_DEADLINES.lines().filter(|line| !line.starts_with('#'));
        let deadlines = lines.filter_map(|line| line.split_once('='));
        for (variable, value) in deadlines.chain(SLOW_CLIENTS) {
            small.set(variable, value);
        }
        small
    }

    /// Like [`new`](Self::new), for a test in which only PostgreSQL fails: the deadlines for everything else are long.
    pub fn patient_except_with_postgresql() -> Self {
        let mut small = Self::new();
        for (deadline, value) in [
            ("GATEWAY_REDIS_PATIENCE", "20000"),
            ("GATEWAY_UPSTREAM_DEADLINE", "20"),
            ("GATEWAY_UPSTREAM_PATIENCE", "20000"),
            ("CATALOGUE_PATIENCE", "10000"),
        ] {
            small.set(deadline, value);
        }
        small
    }

    /// A fleet with the default deadlines, which is not started yet.
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("mchezo-").tempdir().unwrap();
        // PostgreSQL runs as another user when the tests run as root.
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(folder.path(), open).unwrap();
        Self {
            state: folder.path().join("state"),
            launcher: None,
            settings: Vec::new(),
            plan: UNLIMITED,
            binaries: binaries(),
            has_activity: false,
            folder,
        }
    }

    /// Sets a setting of a service, such as `GATEWAY_LOG`.
    pub fn set(&mut self, variable: &str, value: &str) {
        self.settings.push((variable.to_owned(), value.to_owned()));
    }

    /// Replaces the plan `unlimited`.
    pub fn set_plan(&mut self, plan: &'static str) {
        self.plan = plan;
    }

    /// Starts with a month of reports and votes, and without the data of a template.
    pub fn create_activity(&mut self) {
        self.has_activity = true;
    }

    /// Takes the services, and the tools that prepare the fleet, from this folder.
    pub fn use_binaries(&mut self, folder: &Path) {
        folder.clone_into(&mut self.binaries);
    }

    /// The output of `up`, which a failed test prints.
    fn launcher_log(&self) -> PathBuf {
        self.folder.path().join("launcher.log")
    }

    /// The last line that `up` has printed.
    pub fn last_line(&self) -> String {
        let log = std::fs::read_to_string(self.launcher_log()).unwrap();
        log.lines().last().unwrap_or_default().to_owned()
    }

    fn command(&self, command: &str, args: &[&str]) -> Command {
        let mut launcher = Command::new(binaries().join("fleet"));
        launcher.arg(command).arg("--dir").arg(&self.state).args(args);
        for (name, _) in std::env::vars_os().filter(|(name, _)| names_server(name)) {
            launcher.env_remove(name);
        }
        launcher.envs(self.settings.iter().map(|(variable, value)| (variable, value)));
        launcher
    }

    /// Runs the launcher on this fleet; returns its standard output.
    pub async fn launcher(&self, command: &str, args: &[&str]) -> String {
        let output = self.command(command, args).output().await.unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "fleet {command}: {said}{complained}");
        said
    }

    /// Starts the fleet, with the plan `unlimited`. The launcher is a child of the test and ends with it.
    pub async fn up(&mut self) -> Fleet {
        self.up_with(&[]).await
    }

    /// Like [`up`](Self::up), with more options.
    pub async fn up_with(&mut self, args: &[&str]) -> Fleet {
        let _permit = STARTS.acquire().await.unwrap();
        // Newer than the built-in table, which a copied fleet has published.
        let built_in = include_str!("../../proto/src/plans.toml").lines();
        let built_in: Vec<&str> = built_in.filter(|it| !it.starts_with("version")).collect();
        let table = format!("version = 1000\n{}\n{}", built_in.join("\n"), self.plan);
        let plans = self.write("plans.toml", table);
        let output = self.launcher_log();
        let log = std::fs::OpenOptions::new().create(true).append(true).open(&output).unwrap();
        let launcher = self
            .command("up", &["--bin-dir", self.binaries.to_str().unwrap(), "--port", "0"])
            .args(["--plans", &plans])
            .args(self.test_options())
            .args(args)
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let launcher = self.launcher.insert(launcher);
        eventually_within(UP, "the fleet is up", async || {
            let ended = launcher.try_wait().unwrap();
            assert!(
                ended.is_none(),
                "the launcher ended: {ended:?}: {}",
                std::fs::read_to_string(&output).unwrap_or_default()
            );
            let text = std::fs::read_to_string(self.state.join("fleet.json")).ok()?;
            text.contains("\"state\": \"running\"").then_some(())
        })
        .await;
        self.fleet()
    }

    /// Without activity. Under `deploy/test`, the fleet copies the data of a template and does not sync to disk, since no test crashes the machine. A benchmark does
    /// sync, and a fleet with external servers creates its data there.
    fn test_options(&self) -> Vec<OsString> {
        if self.has_activity {
            return Vec::new();
        }
        let template = std::env::var_os("FLEET_TEMPLATE");
        let mut settings = self.settings.iter();
        let has_servers = settings.any(|(name, _)| names_server(name.as_ref()));
        match template {
            Some(template) if !has_servers => {
                vec!["--no-activity".into(), "--no-fsync".into(), "--template".into(), template]
            }
            _ => vec!["--no-activity".into()],
        }
    }

    /// Runs the `staff` tool, which must succeed; returns its standard output.
    pub async fn staff(&self, args: &[&str]) -> String {
        let output = self.run_staff(args).await;
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "staff {args:?}: {complained}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Takes a game down and restores it, several times. After each write, the next call at each gateway must show it.
    pub async fn assert_own_writes_are_read(&self, fleet: &Fleet) {
        let slug = "adventures-of-nyangi";
        let path = format!("/games/{slug}");
        let key = &fleet.account("partner").keys.live;
        let gateways = fleet.by_gateway();
        let callers: Vec<Client> = gateways.iter().map(|it| Client::new(it, key)).collect();
        for _ in 0..3 {
            let take_down = ["game", "take-down", slug, "--reason", "A test"];
            self.staff(&take_down).await;
            for caller in &callers {
                caller.get(&path).await.assert_error(404, "not_found");
            }
            self.staff(&["game", "restore", slug]).await;
            for caller in &callers {
                assert_eq!(caller.get(&path).await.status, 200);
            }
        }
    }

    /// Imports published games with these slugs.
    pub async fn import_games(&self, slugs: &[String]) {
        let row = |slug: &String| {
            format!(
                r#"{{"slug":"{slug}","title":"{slug}","release_year":2024,"creator":"maliyo-games"}}"#
            )
        };
        let rows: Vec<String> = slugs.iter().map(row).collect();
        let file = self.write(&format!("games-{}.ndjson", slugs[0]), rows.join("\n"));
        self.staff(&["listing", "import", &file]).await;
    }

    /// Imports published games with these slugs, and changes each, which webhooks announce as `listing.updated`.
    pub async fn announce_games(&self, slugs: &[String]) {
        self.import_games(slugs).await;
        let staff = Staff::new(&self.fleet()).await;
        let changes = json!({"tagline": "Announced"});
        let edits = futures::stream::iter(slugs);
        edits.for_each_concurrent(16, |slug| staff.edit("game", slug, &changes)).await;
    }

    pub async fn run_staff(&self, args: &[&str]) -> Output {
        let mut staff = Command::new(binaries().join("staff"));
        staff.arg("--profile").arg(self.state.join("staff.toml")).args(args);
        staff.output().await.unwrap()
    }

    /// The log of a service since the first start of the fleet.
    pub fn log(&self, service: &str) -> String {
        let file = self.state.join("logs").join(format!("{service}.log"));
        std::fs::read_to_string(file).unwrap()
    }

    /// Writes a file in the folder of the test; returns its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Kills a process, and waits until the launcher has replaced it.
    pub async fn kill(&self, pid: i32) {
        let pids = || {
            let fleet = self.fleet();
            let services = fleet.services.iter().map(|one| one.pid);
            let all = services.chain(fleet.servers.iter().map(|one| one.pid));
            all.flatten().collect::<Vec<i32>>()
        };
        let before = pids().len();
        kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
        eventually("the process is started again", async || {
            let now = pids();
            (now.len() == before && !now.contains(&pid)).then_some(())
        })
        .await;
    }

    pub async fn down(&self) {
        self.launcher("down", &[]).await;
    }

    /// Reads the current description of the fleet.
    pub fn fleet(&self) -> Fleet {
        Fleet::read(&self.state.join("fleet.json"))
    }
}

impl Drop for SmallFleet {
    fn drop(&mut self) {
        // A failed test leaves nothing running, either.
        let down = std::process::Command::new(binaries().join("fleet"))
            .arg("down")
            .arg("--dir")
            .arg(&self.state)
            .output();
        drop(down);
        if std::thread::panicking() {
            #[expect(clippy::print_stderr, reason = "the logs of a test that failed")]
            {
                eprint!("{}", self.logs());
            }
        }
    }
}

impl SmallFleet {
    /// The log of the launcher, and the warnings and errors of the services.
    fn logs(&self) -> String {
        let mut text = std::fs::read_to_string(self.launcher_log()).unwrap_or_default();
        let logs = std::fs::read_dir(self.state.join("logs"));
        for log in logs.into_iter().flatten().flatten() {
            let lines = std::fs::read_to_string(log.path()).unwrap_or_default();
            let is_warning = |line: &&str| line.contains(" WARN ") || line.contains(" ERROR ");
            for line in lines.lines().filter(is_warning) {
                text.extend([&*log.file_name().to_string_lossy(), ": ", line, "\n"]);
            }
        }
        text
    }
}

/// Whether a variable names a PostgreSQL or a Redis for the fleet or a service.
fn names_server(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    ["DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL"].iter().any(|end| name.ends_with(end))
}

/// The folder with the launcher, the services and the tools of this build.
///
/// # Panics
/// The program of the test is not below that folder.
pub fn binaries() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(Path::parent).unwrap().to_owned()
}
