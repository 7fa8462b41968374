//! A fleet of a test's, or a benchmark's, own, in a folder of its own.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::LazyLock;
use std::time::Duration;

use futures::StreamExt as _;
use serde_json::json;
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;

use crate::{Fleet, Staff, eventually_within};

/// A plan that stops nobody.
const UNLIMITED: &str =
    "[[plan]]\nname = \"unlimited\"\ntitle = \"Unlimited\"\nwebhook_events = true\n";

/// When a test gives up on a fleet that does not come up: on a busy machine that takes longer than all else.
const UP: Duration = Duration::from_mins(10);

/// Deadlines that no machine is so slow as to miss: settings of the services, a line each.
const LONG_DEADLINES: &str = include_str!("../../deploy/data/long-deadlines.env");

/// A client that opens a thousand connections may take long before it sends the first head, and before it uses a connection again.
const SLOW_CLIENTS: [(&str, &str); 3] = [
    ("GATEWAY_HTTP_HEAD", "120"),
    ("GATEWAY_HTTP_BODY", "120"),
    ("GATEWAY_HTTP_IDLE", "300"),
];

/// One permit per core: if more fleets started at once, each would take longer.
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
    /// The folder of its services.
    binaries: PathBuf,
    folder: tempfile::TempDir,
}

impl Default for SmallFleet {
    fn default() -> Self {
        Self::new()
    }
}

impl SmallFleet {
    /// The same, for a test in which nothing fails: with deadlines that pass on no machine.
    pub fn patient() -> Self {
        let mut small = Self::new();
        let lines = LONG_DEADLINES.lines().filter(|line| !line.starts_with('#'));
        let deadlines = lines.filter_map(|line| line.split_once('='));
        for (variable, value) in deadlines.chain(SLOW_CLIENTS) {
            small.set(variable, value);
        }
        small
    }

    /// A folder for a fleet with the deadlines that a user has; nothing runs yet.
    pub fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("mchezo-")
            .tempdir()
            .unwrap();
        // PostgreSQL runs as another user when the tests run as root.
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(folder.path(), open).unwrap();
        Self {
            state: folder.path().join("state"),
            launcher: None,
            settings: Vec::new(),
            binaries: binaries(),
            folder,
        }
    }

    /// A setting of one of its services, such as `GATEWAY_LOG`.
    pub fn set(&mut self, variable: &str, value: &str) {
        self.settings.push((variable.to_owned(), value.to_owned()));
    }

    /// Its services, and the tools that prepare it, come from this folder.
    pub fn use_binaries(&mut self, folder: &Path) {
        folder.clone_into(&mut self.binaries);
    }

    /// What `up` prints. It is shown when the test fails.
    fn launcher_log(&self) -> PathBuf {
        self.folder.path().join("launcher.log")
    }

    fn command(&self, command: &str, args: &[&str]) -> Command {
        let mut launcher = Command::new(binaries().join("fleet"));
        launcher
            .arg(command)
            .arg("--dir")
            .arg(&self.state)
            .args(args);
        for (name, _) in std::env::vars_os().filter(|(name, _)| names_server(name)) {
            launcher.env_remove(name);
        }
        launcher.envs(
            self.settings
                .iter()
                .map(|(variable, value)| (variable, value)),
        );
        launcher
    }

    /// Runs the launcher with `args` on this fleet and returns what it said.
    pub async fn launcher(&self, command: &str, args: &[&str]) -> String {
        let output = self.command(command, args).output().await.unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "fleet {command}: {said}{complained}"
        );
        said
    }

    /// Brings it up. Its launcher is a child of the test, so that it ends with it.
    pub async fn up(&mut self) -> Fleet {
        self.up_with(&[]).await
    }

    /// The same, with more options of `up`.
    pub async fn up_with(&mut self, args: &[&str]) -> Fleet {
        let _permit = STARTS.acquire().await.unwrap();
        let output = self.launcher_log();
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&output)
            .unwrap();
        let launcher = self
            .command(
                "up",
                &["--bin-dir", self.binaries.to_str().unwrap(), "--port", "0"],
            )
            .arg("--no-activity")
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

    /// In a run of `deploy/test`, the fleet copies the data of a template and does not wait for the disk: no test crashes the machine. A
    /// benchmark does wait, and a fleet with servers of its own makes its data there.
    fn test_options(&self) -> Vec<OsString> {
        let template = std::env::var_os("FLEET_TEMPLATE");
        let mut settings = self.settings.iter();
        let has_servers = settings.any(|(name, _)| names_server(name.as_ref()));
        match template {
            Some(template) if !has_servers => {
                vec!["--no-fsync".into(), "--template".into(), template]
            }
            _ => Vec::new(),
        }
    }

    /// Runs the `staff` tool on it and returns what it said.
    pub async fn staff(&self, args: &[&str]) -> String {
        let output = self.run_staff(args).await;
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "staff {args:?}: {complained}");
        String::from_utf8(output.stdout).unwrap()
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

    /// Imports published games with these slugs and changes each, which webhooks announce as `listing.updated`.
    pub async fn announce_games(&self, slugs: &[String]) {
        self.import_games(slugs).await;
        let staff = Staff::of(&self.fleet()).await;
        let changes = json!({"tagline": "Announced"});
        let edits = futures::stream::iter(slugs);
        edits
            .for_each_concurrent(16, |slug| staff.edit("game", slug, &changes))
            .await;
    }

    /// Runs the `staff` tool on it.
    pub async fn run_staff(&self, args: &[&str]) -> Output {
        let mut staff = Command::new(binaries().join("staff"));
        staff
            .arg("--profile")
            .arg(self.state.join("staff.toml"))
            .args(args);
        staff.output().await.unwrap()
    }

    /// What a service has logged since the fleet first came up.
    pub fn log(&self, service: &str) -> String {
        let file = self.state.join("logs").join(format!("{service}.log"));
        std::fs::read_to_string(file).unwrap()
    }

    /// Writes a file into the test's folder and returns its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Writes a table of plans for `--plans`: the gateway's own, and one without limits. Returns its path.
    pub fn plans(&self) -> String {
        let own = include_str!("../../proto/src/plans.toml");
        self.write("plans.toml", format!("{own}\n{UNLIMITED}"))
    }

    /// Takes it down.
    pub async fn down(&self) {
        self.launcher("down", &[]).await;
    }

    /// Its description.
    pub fn fleet(&self) -> Fleet {
        Fleet::read(&self.state.join("fleet.json"))
    }
}

impl Drop for SmallFleet {
    fn drop(&mut self) {
        // Also after a failed test: nothing is left running.
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

/// Whether a variable names PostgreSQL or Redis for a fleet or a service.
fn names_server(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    ["DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// The folder with the launcher, the services and the tools of this build.
///
/// # Panics
/// When the test does not lie below it.
pub fn binaries() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(Path::parent).unwrap().to_owned()
}
