//! Starts a private PostgreSQL: creates its data folder, and configures it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;
use servers::ServerUser;
use servers::postgres::{Tools, arguments};

use crate::folder::Folder;
use crate::process::{self, Spec};
use crate::say::say;
use crate::wait::Signals;

/// The folder for data when the user of PostgreSQL cannot access the state folder, for example in /root.
const FALLBACK: &str = "/var/lib/mchezo-fleet/";

/// The superuser of a private server, and its database.
pub(crate) const OWNER: &str = "fleet";

/// The data folders of the servers, and their owner.
#[derive(Clone, Debug)]
pub(crate) struct DataFolders {
    pub(crate) postgres: PathBuf,
    pub(crate) redis: PathBuf,
    /// The user that runs the servers.
    pub(crate) user: ServerUser,
}

impl DataFolders {
    /// Creates the data folders, owned by the user that runs the servers.
    pub(crate) fn prepare(folder: &Folder) -> Result<Self> {
        let user = ServerUser::unprivileged()?;
        let data = folder.data();
        // An earlier start may have left a symbolic link to the fallback folder.
        if !data.exists() {
            fs::create_dir(&data).with_context(|| format!("cannot create {}", data.display()))?;
        }
        let mut home = data.canonicalize().with_context(|| {
            format!("the target of the link {} is missing: start with --fresh", data.display())
        })?;
        if user.enter(home.parent().unwrap_or(&home))?.is_none() {
            home = use_fallback(folder, &data, user.name().unwrap_or_default())?;
        }
        let folders = Self { postgres: home.join("postgres"), redis: home.join("redis"), user };
        // initdb creates the folder of PostgreSQL.
        fs::create_dir_all(&folders.redis)
            .with_context(|| format!("cannot create {}", folders.redis.display()))?;
        for path in [&home, &folders.redis] {
            folders.user.give(path, 0o700)?;
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
}

fn use_fallback(folder: &Folder, data: &Path, user: &str) -> Result<PathBuf> {
    let home = folder.elsewhere(FALLBACK);
    say(format!(
        "The data folder is {}, because user {user} cannot access {}",
        home.display(),
        folder.path().display()
    ));
    let make = || {
        fs::create_dir_all(&home)?;
        fs::remove_dir(data)?;
        symlink(&home, data)
    };
    make().with_context(|| {
        format!(
            "cannot create {}; choose a folder that user {user} can access with --dir",
            home.display()
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
    let tools = Tools::for_data(&folders.postgres)?;
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
    folders.user.give(&secret, 0o600)?;
    let mut command = tools.command("initdb", &folders.user, Some(Signal::SIGTERM));
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
        .args((!durable).then_some("--no-sync"));
    let output = process::capture(&mut command, "", signals);
    fs::remove_file(&secret).with_context(|| format!("cannot remove {}", secret.display()))?;
    let output = output?;
    if !output.status.success() {
        bail!(
            "initdb cannot create the data folder of PostgreSQL: {}",
            output.stderr.trim().lines().last().unwrap_or("no reason given")
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
        "max_connections=400",
        // The tables of a new database have no statistics; PostgreSQL then takes small queries for expensive ones, and compiles them.
        "jit=off",
    ];
    if !durable {
        settings.extend(["fsync=off", "full_page_writes=off", "max_wal_size=128MB"]);
    }
    // The immediate shutdown, which leaves recovery to the next start, but ends all processes of PostgreSQL.
    let kill_signal = Signal::SIGQUIT;
    let mut command = tools.command("postgres", &folders.user, Some(kill_signal));
    command.args(arguments(&folders.postgres, port, &settings));
    Spec {
        name: "postgres".to_owned(),
        command,
        // The fast shutdown, which ends open connections. SIGTERM would wait for the last client.
        stop_signal: Signal::SIGINT,
        kill_signal,
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
    fn the_pid_file_of_a_dead_server_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("postmaster.pid");
        // A process that runs, but not in the data folder: this test.
        fs::write(&file, format!("{}\n", std::process::id())).unwrap();
        clear_stale_pid(dir.path()).unwrap();
        assert!(!file.exists());
        clear_stale_pid(dir.path()).unwrap();
    }
}
