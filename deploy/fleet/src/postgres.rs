//! Starts a private PostgreSQL: finds its programs, creates its data folder, and configures it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;

use crate::folder::Folder;
use crate::process::{self, Spec, UnixUser};
use crate::program;
use crate::say::say;
use crate::wait::Signals;

/// The oldest supported major version.
const MIN_VERSION: u32 = 15;

/// The folder of all installed versions on Debian, which is not in PATH.
const DEBIAN: &str = "/usr/lib/postgresql";

/// The folder for data when the user of PostgreSQL cannot access the state folder, for example in /root.
const FALLBACK: &str = "/var/lib/mchezo-fleet/";

/// The superuser of a private server, and its database.
pub(crate) const OWNER: &str = "fleet";

/// The programs of one version of PostgreSQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tools {
    folder: PathBuf,
    /// Such as `15.18`.
    pub(crate) version: String,
}

impl Tools {
    /// The newest version in PATH or in [`DEBIAN`].
    pub(crate) fn newest() -> Option<Self> {
        Self::all()
            .into_iter()
            .max_by_key(|tools| major(&tools.version))
    }

    /// The programs for a data folder: the version that created it, or the newest.
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
                    "PostgreSQL {made} created the data, and it is not installed any more: \
                 install postgresql-{made}, or remove the data with --fresh"
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

/// The path of psql: in PATH, or next to a server.
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

/// Fails for a version that is too old.
pub(crate) fn require(version: &str) -> Result<()> {
    if major(version) < MIN_VERSION {
        bail!(
            "PostgreSQL {version} is too old: install {MIN_VERSION} or newer \
             (https://www.postgresql.org/download/linux/debian/), or set DATABASE_URL to another one"
        );
    }
    Ok(())
}

/// The data folders of the servers, and their owner.
#[derive(Clone, Debug)]
pub(crate) struct DataFolders {
    pub(crate) postgres: PathBuf,
    pub(crate) redis: PathBuf,
    /// The user that runs the servers when the launcher runs as root.
    pub(crate) user: Option<UnixUser>,
}

impl DataFolders {
    /// Creates the data folders, owned by the user that runs the servers.
    pub(crate) fn prepare(folder: &Folder) -> Result<Self> {
        let user = UnixUser::unprivileged()?;
        let data = folder.data();
        // An earlier start may have left a symbolic link to the fallback folder.
        if !data.exists() {
            fs::create_dir(&data).with_context(|| format!("cannot create {}", data.display()))?;
        }
        let mut home = data.canonicalize().with_context(|| {
            format!(
                "the target of the link {} is missing: start with --fresh",
                data.display()
            )
        })?;
        if let Some(user) = &user
            && !can_reach(user, &home)?
        {
            home = use_fallback(folder, &data, user)?;
        }
        let folders = Self {
            postgres: home.join("postgres"),
            redis: home.join("redis"),
            user,
        };
        // initdb creates the folder of PostgreSQL.
        fs::create_dir_all(&folders.redis)
            .with_context(|| format!("cannot create {}", folders.redis.display()))?;
        for path in [&home, &folders.redis] {
            folders.set_owner(path, 0o700)?;
        }
        Ok(folders)
    }

    /// Copies the data of a stopped fleet, unless these folders have data. PostgreSQL's folder gets its name when it is complete.
    pub(crate) fn copy(&self, template: &Path, signals: &Signals) -> Result<()> {
        if self.postgres.exists() {
            return Ok(());
        }
        let new = self.postgres.with_extension("new");
        for (name, to) in [("redis", &self.redis), ("postgres", &new)] {
            let mut copy = Command::new("cp");
            let from = template.join("data").join(name).join(".");
            copy.args(["-a", "--reflink=auto"]).arg(&from).arg(to);
            let output = process::capture(&mut copy, "", signals)?;
            if !output.status.success() {
                bail!("cannot copy {}: {}", from.display(), output.stderr.trim());
            }
        }
        fs::rename(&new, &self.postgres).with_context(|| format!("cannot rename {}", new.display()))
    }

    /// Sets the owner and the mode of a file or folder.
    pub(crate) fn set_owner(&self, path: &Path, mode: u32) -> Result<()> {
        let set = || {
            fs::set_permissions(path, Permissions::from_mode(mode))?;
            self.user
                .as_ref()
                .map_or(Ok(()), |user| chown(path, Some(user.uid), Some(user.gid)))
        };
        set().with_context(|| format!("cannot change the owner of {}", path.display()))
    }
}

/// Whether a user can access the parent folder of `path`.
fn can_reach(user: &UnixUser, path: &Path) -> Result<bool> {
    let parent = path.parent().unwrap_or(path);
    let status = process::setpriv(Path::new("test"), Some(user), None)
        .arg("-x")
        .arg(parent)
        .status()
        .context("cannot start setpriv")?;
    Ok(status.success())
}

fn use_fallback(folder: &Folder, data: &Path, user: &UnixUser) -> Result<PathBuf> {
    let home = folder.elsewhere(FALLBACK);
    say(format!(
        "The data folder is {}, because user {} cannot access {}",
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
            "cannot create {}; choose a folder that user {} can access with --dir",
            home.display(),
            user.name
        )
    })?;
    Ok(home)
}

/// Creates an empty data folder, unless it exists.
///
/// The folder gets its name when it is complete, so that PostgreSQL never starts on one that a killed launcher has left incomplete.
pub(crate) fn initialize(
    folders: &DataFolders,
    password: &str,
    durable: bool,
    signals: &Signals,
) -> Result<Tools> {
    let tools = Tools::choose(&folders.postgres)?;
    if folders.postgres.exists() {
        clear_stale_pid(&folders.postgres)?;
        return Ok(tools);
    }
    let new = folders.postgres.with_extension("new");
    if new.exists() {
        fs::remove_dir_all(&new).with_context(|| format!("cannot remove {}", new.display()))?;
    }
    let secret = folders.postgres.with_extension("password");
    fs::write(&secret, password).with_context(|| format!("cannot write {}", secret.display()))?;
    folders.set_owner(&secret, 0o600)?;
    let mut command = process::setpriv(
        &tools.folder.join("initdb"),
        folders.user.as_ref(),
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
        .args((!durable).then_some("--no-sync"))
        .env("LC_ALL", "C")
        .current_dir("/");
    let output = process::capture(&mut command, "", signals);
    fs::remove_file(&secret).with_context(|| format!("cannot remove {}", secret.display()))?;
    let output = output?;
    if !output.status.success() {
        if output.stderr.contains("No space left on device") {
            bail!(
                "the disk of {} is full: free some space or choose another folder with --dir",
                new.display()
            );
        }
        bail!(
            "initdb cannot create the data folder of PostgreSQL: {}",
            output
                .stderr
                .trim()
                .lines()
                .last()
                .unwrap_or("no reason given")
        );
    }
    fs::rename(&new, &folders.postgres)
        .with_context(|| format!("cannot rename {}", new.display()))?;
    Ok(tools)
}

/// Removes the pid file of a server that was killed. Fails when a server still runs in this folder: it is not one of ours, because those
/// have ended by now.
fn clear_stale_pid(data: &Path) -> Result<()> {
    let file = data.join("postmaster.pid");
    let Ok(text) = fs::read_to_string(&file) else {
        return Ok(());
    };
    let pid = text.lines().next().unwrap_or_default().trim();
    let is_running = fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == data);
    if is_running {
        bail!(
            "a PostgreSQL that the fleet did not start (pid {pid}) uses {}: stop it, then try again",
            data.display()
        );
    }
    fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))
}

/// How to start the server. Only tests are not `durable`: a crash of the machine may then lose the data. A crash of the server does not.
pub(crate) fn spec(
    tools: &Tools,
    folders: &DataFolders,
    folder: &Folder,
    port: u16,
    durable: bool,
) -> Spec {
    let mut settings = vec![
        "listen_addresses=127.0.0.1".to_owned(),
        format!("port={port}"),
        // All clients use a password over the loopback address. The path of a Unix socket could be too long.
        "unix_socket_directories=".to_owned(),
        "max_connections=400".to_owned(),
        // In files of its folder: a server that is killed leaves segments behind.
        "dynamic_shared_memory_type=mmap".to_owned(),
        // The tables of a new database have no statistics; PostgreSQL then takes small queries for expensive ones, and compiles them.
        "jit=off".to_owned(),
    ];
    if !durable {
        settings
            .extend(["fsync=off", "full_page_writes=off", "max_wal_size=128MB"].map(str::to_owned));
    }
    let mut args = vec!["-D".into(), folders.postgres.clone().into_os_string()];
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
        user: folders.user.clone(),
        // The fast shutdown, which ends open connections. SIGTERM would wait for the last client.
        stop_signal: Signal::SIGINT,
        // The immediate shutdown, which leaves recovery to the next start, but ends all processes of PostgreSQL.
        kill_signal: Signal::SIGQUIT,
        log: folder.log("postgres"),
    }
}

/// The URL of a database on the private server.
pub(crate) fn url(port: u16, user: &str, password: &str, database: &str) -> String {
    format!("postgres://{user}:{password}@127.0.0.1:{port}/{database}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_parsed_from_the_output() {
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
    fn old_versions_are_rejected() {
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
    fn the_pid_file_of_a_dead_server_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("postmaster.pid");
        // The process of this test runs, but not in that folder.
        fs::write(&file, format!("{}\n", std::process::id())).unwrap();
        clear_stale_pid(dir.path()).unwrap();
        assert!(!file.exists());
        clear_stale_pid(dir.path()).unwrap();
    }
}
