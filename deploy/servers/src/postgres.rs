//! The programs of PostgreSQL.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;

use crate::{ServerUser, find};

/// The oldest supported major version.
const MIN_VERSION: u32 = 15;

/// The folder of all installed versions on Debian, which is not in PATH.
const DEBIAN: &str = "/usr/lib/postgresql";

/// The programs of one version of PostgreSQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    folder: PathBuf,
    /// Such as `15.18`.
    pub version: String,
}

impl Tools {
    /// The newest version in PATH or in [`DEBIAN`].
    pub fn newest() -> Option<Self> {
        Self::all().into_iter().max_by_key(|tools| major(&tools.version))
    }

    /// The programs for a data folder: the version that created it, or the newest.
    pub fn for_data(data: &Path) -> Result<Self> {
        let newest = Self::newest().context("PostgreSQL is missing")?;
        let Some(made) = fs::read_to_string(data.join("PG_VERSION")).ok() else {
            require(&newest.version)?;
            return Ok(newest);
        };
        let made = made.trim();
        Self::all().into_iter().find(|tools| major(&tools.version) == major(made)).with_context(
            || {
                format!(
                    "PostgreSQL {made} created the data, and it is not installed any more: \
                 install postgresql-{made}, or remove the data with --fresh"
                )
            },
        )
    }

    /// The folder of the programs.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn all() -> Vec<Self> {
        let debian = fs::read_dir(DEBIAN)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path().join("bin"));
        let path = find("postgres")
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

    /// A command of this version. With `parent_death_signal`, the kernel ends it with the thread that has started it.
    pub fn command(
        &self,
        name: &str,
        user: &ServerUser,
        parent_death_signal: Option<Signal>,
    ) -> Command {
        let mut command = user.command(&self.folder.join(name), parent_death_signal);
        // A folder that each user can access.
        command.env("LC_ALL", "C").current_dir("/");
        command
    }
}

/// The arguments of a server on 127.0.0.1, with further settings, such as `fsync=off`.
pub fn arguments(data: &Path, port: u16, settings: &[&str]) -> Vec<OsString> {
    let common = [
        "listen_addresses=127.0.0.1",
        // The path of a Unix socket could be too long.
        "unix_socket_directories=",
        // In files of its folder: a server that is killed leaves segments behind.
        "dynamic_shared_memory_type=mmap",
    ];
    let mut arguments = vec!["-D".into(), data.into(), "-p".into(), port.to_string().into()];
    for setting in common.iter().chain(settings) {
        arguments.extend(["-c".into(), setting.into()]);
    }
    arguments
}

/// The path of psql: in PATH, or next to a server.
pub fn psql() -> Option<PathBuf> {
    find("psql").or_else(|| {
        Tools::newest().map(|tools| tools.folder.join("psql")).filter(|program| program.is_file())
    })
}

fn version_of(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").env("LC_ALL", "C").output().ok()?;
    parse_version(&String::from_utf8_lossy(&output.stdout))
}

/// `postgres (PostgreSQL) 15.18 (Debian …)` → `15.18`.
fn parse_version(text: &str) -> Option<String> {
    let word = text.split(") ").nth(1)?.split_whitespace().next()?;
    word.starts_with(|first: char| first.is_ascii_digit()).then(|| word.to_owned())
}

fn major(version: &str) -> u32 {
    let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// Fails for a version that is too old.
fn require(version: &str) -> Result<()> {
    if major(version) < MIN_VERSION {
        bail!(
            "PostgreSQL {version} is too old: install {MIN_VERSION} or newer \
             (https://www.postgresql.org/download/linux/debian/), or set DATABASE_URL to another one"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_parsed_from_the_output() {
        let debian = "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n";
        assert_eq!(parse_version(debian).as_deref(), Some("15.18"));
        assert_eq!(parse_version("postgres (PostgreSQL) 18beta1\n").as_deref(), Some("18beta1"));
        assert_eq!(parse_version("what?"), None);
        assert_eq!((major("15.18"), major("18beta1"), major("9.6.24")), (15, 18, 9));
    }

    #[test]
    fn old_versions_are_rejected() {
        require("15.0").unwrap();
        require("18beta1").unwrap();
        for old in ["14.9", "9.6.24"] {
            let error = require(old).unwrap_err().to_string();
            assert!(error.contains("15 or newer") && error.contains("DATABASE_URL"), "{error}");
        }
    }
}
