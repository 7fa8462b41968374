//! A fleet of fake services in a temporary folder. It stops when the test ends.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Suffixes of the variables that name servers. Tests remove these variables, since the launcher would use the servers that they name.
const SERVERS: [&str; 3] = ["DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL"];

/// A fleet and its folder.
pub(crate) struct TestFleet {
    guard: Child,
    home: TempDir,
}

impl TestFleet {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let binaries = home.path().join("bin");
        fs::create_dir(&binaries).unwrap();
        let stand_in =
            Path::new(env!("CARGO_BIN_EXE_fleet")).with_file_name("examples").join("stand_in");
        for name in [
            "gateway",
            "catalogue-svc",
            "listings-svc",
            "economy-svc",
            "webhook-svc",
            "web",
            "local-activity",
            "local-people",
            "staff",
        ] {
            symlink(&stand_in, binaries.join(name)).unwrap();
        }
        // The user of PostgreSQL must be able to access the folder when root runs the test.
        use_by_all(home.path());
        let guard = guard(&home.path().join("state"));
        Self { guard, home }
    }

    pub(crate) fn dir(&self) -> PathBuf {
        self.home.path().join("state")
    }

    pub(crate) fn bin_dir(&self) -> PathBuf {
        self.home.path().join("bin")
    }

    /// A subcommand of the launcher for this folder.
    pub(crate) fn command(&self, subcommand: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fleet"));
        command.arg(subcommand).arg("--dir").arg(self.dir()).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if SERVERS.iter().any(|end| text.ends_with(end)) {
                command.env_remove(&name);
            }
        }
        if subcommand == "up" {
            command.arg("--bin-dir").arg(self.bin_dir());
        }
        command
    }

    /// Runs `up --detach`; returns when the fleet is up or has failed.
    pub(crate) fn up(&self, args: &[&str]) -> Output {
        self.command("up").arg("--detach").args(args).output().unwrap()
    }

    /// Runs `up`, which must succeed; returns its output.
    pub(crate) fn must_start(&self, args: &[&str]) -> String {
        let output = self.up(args);
        assert!(output.status.success(), "{}", said(&output));
        said(&output)
    }

    pub(crate) fn down(&self) -> String {
        let output = self.command("down").output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        said(&output)
    }

    pub(crate) fn status(&self) -> Output {
        self.command("status").output().unwrap()
    }

    /// Asserts that no fleet runs in the folder.
    pub(crate) fn assert_stopped(&self) {
        let status = self.status();
        assert!(!status.status.success());
        assert!(said(&status).starts_with("No fleet runs here"));
    }

    pub(crate) fn manifest(&self) -> Value {
        read(&self.dir().join("fleet.json"))
    }

    /// The pid of the launcher.
    pub(crate) fn launcher(&self) -> i32 {
        let lock = fs::read_to_string(self.dir().join("lock")).unwrap();
        lock.parse().unwrap()
    }

    /// Names and pids of the running children.
    fn children(&self) -> Vec<(String, i32)> {
        let manifest = self.manifest();
        let of = |list: &str| manifest[list].as_array().unwrap().clone();
        let mut children = Vec::new();
        for child in [of("services"), of("servers")].concat() {
            let name = child["name"].as_str().unwrap();
            let name = match child["replica"].as_u64() {
                Some(replica @ 2..) => format!("{name}-{replica}"),
                _ => name.to_owned(),
            };
            let pid = child["pid"].as_i64();
            children.extend(pid.map(|pid| (name, i32::try_from(pid).unwrap())));
        }
        children
    }

    /// `None` while the child is down.
    pub(crate) fn pid(&self, name: &str) -> Option<i32> {
        let children = self.children();
        children.iter().find(|child| child.0 == name).map(|child| child.1)
    }

    /// The pids of the children, then of the launcher.
    pub(crate) fn pids(&self) -> Vec<i32> {
        let children = self.children().into_iter().map(|child| child.1);
        children.chain([self.launcher()]).collect()
    }

    /// Runs SQL with psql; returns its output or error.
    pub(crate) fn sql(url: &str, sql: &str) -> String {
        let mut psql = Command::new("psql");
        psql.args(["-X", "-A", "-t", "-q", "-d", url, "-c", sql])
            .env("PGOPTIONS", "-c client_min_messages=warning");
        let output = psql.output().unwrap();
        said(&output).trim().to_owned()
    }
}

impl Drop for TestFleet {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        drop(self.guard.wait());
    }
}

/// Stops the fleet when the process of the test ends, even if it is killed: the guard waits for the end of its standard input. It has its own process
/// group, which Ctrl-C does not reach.
fn guard(dir: &Path) -> Child {
    let mut guard = Command::new("sh");
    guard
        .args([
            "-c",
            r#"cat; [ ! -e "$2" ] || exec "$1" down --dir "$2""#,
            "guard",
            env!("CARGO_BIN_EXE_fleet"),
        ])
        .arg(dir);
    guard.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    guard.spawn().unwrap()
}

/// A zombie counts as ended.
pub(crate) fn is_alive(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// Standard output and standard error.
pub(crate) fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Waits until the condition holds, and fails the test after three minutes.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(3);
    while !holds() {
        assert!(Instant::now() < deadline, "never happened: {what}");
        thread::park_timeout(Duration::from_millis(50));
    }
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn use_by_all(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
