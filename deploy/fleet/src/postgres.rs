//! A private PostgreSQL: which programs, where its data lies, and how it is started.

use std::fs::{self, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;

use crate::folder::Folder;
use crate::process::{self, Account, Spec};
use crate::program;
use crate::say::say;
use crate::wait::Signals;

/// The oldest major version whose SQL the services use.
const OLDEST: u32 = 15;

/// Where Debian keeps the servers of each version, outside everybody's PATH.
const DEBIAN: &str = "/usr/lib/postgresql";

/// Where data goes when the checkout is where PostgreSQL's user cannot reach it, as in /root.
const ELSEWHERE: &str = "/var/lib/mchezo-fleet";

/// The superuser of a private server, and its database.
pub(crate) const OWNER: &str = "fleet";

/// The programs of one version of PostgreSQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tools {
    folder: PathBuf,
    /// As the program says it: `15.18`.
    pub(crate) version: String,
}

impl Tools {
    /// The newest version in PATH or where Debian keeps them.
    pub(crate) fn newest() -> Option<Self> {
        Self::all()
            .into_iter()
            .max_by_key(|tools| major(&tools.version))
    }

    /// The programs for a data folder: those of the version that made it, else the newest.
    fn choose(data: &Path) -> Result<Self> {
        let newest = Self::newest().context("PostgreSQL is missing")?;
        let Some(made) = fs::read_to_string(data.join("PG_VERSION")).ok() else {
            require(&newest.version)?;
            return Ok(newest);
        };
        let made = made.trim();
        Self::all()
            .into_iter()
            .find(|tools| major(&tools.version) == major(made))
            .with_context(|| {
                format!(
                    "the data was made by PostgreSQL {made}, which is no longer here: \
                 install postgresql-{made}, or throw the data away with --fresh"
                )
            })
    }

    fn all() -> Vec<Self> {
        let debian = fs::read_dir(DEBIAN)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path().join("bin"));
        let path = program::find("postgres")
            .and_then(|program| program.canonicalize().ok())
            .and_then(|program| program.parent().map(Path::to_owned));
        let has_all =
            |folder: &PathBuf| folder.join("postgres").is_file() && folder.join("initdb").is_file();
        debian
            .chain(path)
            .filter(has_all)
            .filter_map(|folder| {
                let version = version_of(&folder.join("postgres"))?;
                Some(Self { folder, version })
            })
            .collect()
    }
}

/// The client: in PATH, or beside a server.
pub(crate) fn psql() -> Option<PathBuf> {
    program::find("psql").or_else(|| {
        Tools::newest()
            .map(|tools| tools.folder.join("psql"))
            .filter(|program| program.is_file())
    })
}

fn version_of(program: &Path) -> Option<String> {
    let output = Command::new(program)
        .arg("--version")
        .env("LC_ALL", "C")
        .output()
        .ok()?;
    parse_version(&String::from_utf8_lossy(&output.stdout))
}

/// `postgres (PostgreSQL) 15.18 (Debian …)` → `15.18`.
fn parse_version(text: &str) -> Option<String> {
    let word = text.split(") ").nth(1)?.split_whitespace().next()?;
    word.starts_with(|first: char| first.is_ascii_digit())
        .then(|| word.to_owned())
}

fn major(version: &str) -> u32 {
    let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// Refuses a version that is too old.
pub(crate) fn require(version: &str) -> Result<()> {
    if major(version) < OLDEST {
        bail!(
            "PostgreSQL {version} is too old: the fleet needs {OLDEST} or newer; install one \
             (https://www.postgresql.org/download/linux/debian/), or give another by DATABASE_URL"
        );
    }
    Ok(())
}

/// Where the servers' data lies, and who owns it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) postgres: PathBuf,
    pub(crate) redis: PathBuf,
    /// The user to drop to when root calls.
    pub(crate) user: Option<Account>,
}

impl Place {
    /// Makes the data folders, owned by whoever runs the servers.
    pub(crate) fn prepare(folder: &Folder) -> Result<Self> {
        let user = Account::unprivileged()?;
        let data = folder.data();
        // A link left of an earlier start, or to where the data went, is resolved here once.
        if !data.exists() {
            fs::create_dir(&data).with_context(|| format!("{} cannot be made", data.display()))?;
        }
        let mut home = data
            .canonicalize()
            .with_context(|| format!("{} is lost: start with --fresh", data.display()))?;
        if let Some(user) = &user
            && !reaches(user, &home)?
        {
            home = move_elsewhere(folder, &data, user)?;
        }
        let place = Self {
            postgres: home.join("postgres"),
            redis: home.join("redis"),
            user,
        };
        // PostgreSQL's own folder is made by initdb.
        fs::create_dir_all(&place.redis)
            .with_context(|| format!("{} cannot be made", place.redis.display()))?;
        for path in [&home, &place.redis] {
            place.hand_over(path, 0o700)?;
        }
        Ok(place)
    }

    /// Gives a file or folder to whoever runs the servers.
    fn hand_over(&self, path: &Path, mode: u32) -> Result<()> {
        let give = || {
            fs::set_permissions(path, Permissions::from_mode(mode))?;
            self.user
                .as_ref()
                .map_or(Ok(()), |user| chown(path, Some(user.uid), Some(user.gid)))
        };
        give().with_context(|| format!("{} cannot be given to PostgreSQL's user", path.display()))
    }
}

/// Whether a user may pass through all folders on the way to `path`.
fn reaches(user: &Account, path: &Path) -> Result<bool> {
    let parent = path.parent().unwrap_or(path);
    let status = process::wrapped(Path::new("test"), Some(user), None)
        .arg("-x")
        .arg(parent)
        .status()
        .context("setpriv cannot be started")?;
    Ok(status.success())
}

fn move_elsewhere(folder: &Folder, data: &Path, user: &Account) -> Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    folder.path().hash(&mut hasher);
    let home = Path::new(ELSEWHERE).join(format!("{:016x}", hasher.finish()));
    say(format!(
        "Data goes to {}: user {} cannot reach {}",
        home.display(),
        user.name,
        folder.path().display()
    ));
    let make = || {
        fs::create_dir_all(&home)?;
        fs::remove_dir(data)?;
        symlink(&home, data)
    };
    make().with_context(|| {
        format!(
            "{} cannot be made; choose a place that user {} can reach with --dir",
            home.display(),
            user.name
        )
    })?;
    Ok(home)
}

/// Makes an empty data folder, unless there is one.
///
/// It is made under another name and renamed when complete: what a killed launcher left half made is never started.
pub(crate) fn initialise(place: &Place, password: &str, signals: &Signals) -> Result<Tools> {
    let tools = Tools::choose(&place.postgres)?;
    if place.postgres.exists() {
        clear_stale_pid(&place.postgres)?;
        return Ok(tools);
    }
    let new = place.postgres.with_extension("new");
    if new.exists() {
        fs::remove_dir_all(&new).with_context(|| format!("{} cannot be removed", new.display()))?;
    }
    let secret = place.postgres.with_extension("password");
    fs::write(&secret, password)
        .with_context(|| format!("{} cannot be written", secret.display()))?;
    place.hand_over(&secret, 0o600)?;
    let mut command = process::wrapped(
        &tools.folder.join("initdb"),
        place.user.as_ref(),
        Some(Signal::SIGTERM),
    );
    command
        .args([
            "--username",
            OWNER,
            "--auth",
            "scram-sha-256",
            "--encoding",
            "UTF8",
            "--locale",
            "C.UTF-8",
        ])
        .arg("--pgdata")
        .arg(&new)
        .arg("--pwfile")
        .arg(&secret)
        .env("LC_ALL", "C")
        .current_dir("/");
    let output = process::capture(&mut command, "", signals);
    fs::remove_file(&secret).with_context(|| format!("{} cannot be removed", secret.display()))?;
    let output = output?;
    if !output.status.success() {
        if output.stderr.contains("No space left on device") {
            bail!(
                "the disk of {} is full: make room or choose another place with --dir",
                new.display()
            );
        }
        bail!(
            "PostgreSQL's data folder cannot be made: {}",
            output
                .stderr
                .trim()
                .lines()
                .last()
                .unwrap_or("no reason given")
        );
    }
    fs::rename(&new, &place.postgres)
        .with_context(|| format!("{} cannot be renamed", new.display()))?;
    Ok(tools)
}

/// Removes the pid file of a server that was killed. A server that still runs on this data (and is none of ours: those have
/// been ended by now) is left alone.
fn clear_stale_pid(data: &Path) -> Result<()> {
    let file = data.join("postmaster.pid");
    let Ok(text) = fs::read_to_string(&file) else {
        return Ok(());
    };
    let pid = text.lines().next().unwrap_or_default().trim();
    let at_work = fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == data);
    if at_work {
        bail!(
            "a PostgreSQL that the fleet did not start (pid {pid}) works on {}: end it, then try again",
            data.display()
        );
    }
    fs::remove_file(&file).with_context(|| format!("{} cannot be removed", file.display()))
}

/// How to start the server. `durable` is off for tests alone: a crash of the machine may then cost the data.
pub(crate) fn spec(
    tools: &Tools,
    place: &Place,
    folder: &Folder,
    port: u16,
    durable: bool,
) -> Spec {
    let mut settings = vec![
        "listen_addresses=127.0.0.1".to_owned(),
        format!("port={port}"),
        // Everybody signs in with a password over the loopback address; a socket's path could also be too long.
        "unix_socket_directories=".to_owned(),
        "max_connections=400".to_owned(),
    ];
    if !durable {
        settings.extend(
            [
                "fsync=off",
                "synchronous_commit=off",
                "full_page_writes=off",
            ]
            .map(str::to_owned),
        );
    }
    let mut args = vec!["-D".into(), place.postgres.clone().into_os_string()];
    args.extend(
        settings
            .into_iter()
            .flat_map(|setting| ["-c".into(), setting.into()]),
    );
    Spec {
        name: "postgres".to_owned(),
        program: tools.folder.join("postgres"),
        args,
        env: vec![("LC_ALL".to_owned(), "C".to_owned())],
        input: String::new(),
        user: place.user.clone(),
        // Ends open connections and writes everything down; SIGTERM would wait for the last client.
        stop: Signal::SIGINT,
        log: folder.log("postgres"),
    }
}

/// The address of a database on a private server.
pub(crate) fn url(port: u16, user: &str, password: &str, database: &str) -> String {
    format!("postgres://{user}:{password}@127.0.0.1:{port}/{database}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_the_program_says() {
        let debian = "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n";
        assert_eq!(parse_version(debian).as_deref(), Some("15.18"));
        assert_eq!(
            parse_version("postgres (PostgreSQL) 18beta1\n").as_deref(),
            Some("18beta1")
        );
        assert_eq!(parse_version("what?"), None);
        assert_eq!(
            (major("15.18"), major("18beta1"), major("9.6.24")),
            (15, 18, 9)
        );
    }

    #[test]
    fn old_versions_are_refused_with_a_way_out() {
        require("15.0").unwrap();
        require("18beta1").unwrap();
        for old in ["14.9", "9.6.24"] {
            let error = require(old).unwrap_err().to_string();
            assert!(
                error.contains("15 or newer") && error.contains("DATABASE_URL"),
                "{error}"
            );
        }
    }

    #[test]
    fn the_pid_file_of_a_dead_server_is_removed_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("postmaster.pid");
        // This test's own process: it lives, but does not work in that folder.
        fs::write(&file, format!("{}\n", std::process::id())).unwrap();
        clear_stale_pid(dir.path()).unwrap();
        assert!(!file.exists());
        clear_stale_pid(dir.path()).unwrap();
    }
}
