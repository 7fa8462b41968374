//! The programs a fleet needs beside its own, and how they come onto a Debian or Ubuntu machine.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use nix::unistd::geteuid;

use crate::postgres;
use crate::program::find;
use crate::say::say;

/// A program and the Debian package that brings it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Drops root and ties children to the launcher.
    Setpriv,
    /// The PostgreSQL server with its tools.
    Postgres,
    /// Only the client, when the server is given.
    Psql,
    Redis,
    /// Only the client, when the server is given.
    RedisCli,
    /// Python's environments: a test installs a server that speaks S3 into one.
    Python,
    /// A client whose decoders are not ours.
    Curl,
}

impl Need {
    fn package(self) -> &'static str {
        match self {
            Self::Setpriv => "util-linux",
            Self::Postgres => "postgresql",
            Self::Psql => "postgresql-client",
            Self::Redis => "redis-server",
            Self::RedisCli => "redis-tools",
            Self::Python => "python3-venv",
            Self::Curl => "curl",
        }
    }

    fn is_there(self) -> bool {
        match self {
            Self::Setpriv => find("setpriv").is_some(),
            Self::Postgres => postgres::Tools::newest().is_some(),
            Self::Psql => postgres::psql().is_some(),
            Self::Redis => find("redis-server").is_some(),
            Self::RedisCli => find("redis-cli").is_some(),
            Self::Python => has_environments(),
            Self::Curl => find("curl").is_some(),
        }
    }
}

/// Debian has a Python without what its environments are made with.
fn has_environments() -> bool {
    let mut python = Command::new("python3");
    let tried = python.args(["-c", "import ensurepip, venv"]).output();
    tried.is_ok_and(|output| output.status.success())
}

/// Installs what is missing with apt; says which packages to install where it cannot.
pub(crate) fn ensure(needs: &[Need]) -> Result<()> {
    let missing: Vec<&str> = needs
        .iter()
        .filter(|need| !need.is_there())
        .map(|need| need.package())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages = missing.join(" ");
    let Some(apt) = find("apt-get") else {
        bail!(
            "{packages} missing and apt-get is not there: install them with this system's own tool, then try again"
        );
    };
    let sudo = if geteuid().is_root() {
        None
    } else {
        find("sudo")
    };
    if !geteuid().is_root() && sudo.is_none() {
        bail!("{packages} missing: run `apt-get install {packages}` as root, then try again");
    }
    say(format!("Installing {packages}"));
    // The lists of a fresh machine are empty, so they come first; one that cannot be renewed may still do.
    apt_get(sudo.as_deref(), &apt, &["update", "-q"])?;
    let mut install = vec!["install", "-y", "-q", "--no-install-recommends"];
    install.extend(&missing);
    let installed = apt_get(sudo.as_deref(), &apt, &install)?;
    if !installed || needs.iter().any(|need| !need.is_there()) {
        bail!(
            "apt-get did not install {packages} (its reason is above): install them yourself, then try again"
        );
    }
    Ok(())
}

/// Runs apt-get in the foreground, where sudo can ask for a password.
fn apt_get(sudo: Option<&Path>, apt: &Path, args: &[&str]) -> Result<bool> {
    let mut command = match sudo {
        Some(sudo) => {
            let mut command = Command::new(sudo);
            command.arg("DEBIAN_FRONTEND=noninteractive").arg(apt);
            command
        }
        None => Command::new(apt),
    };
    let status = command
        .env("DEBIAN_FRONTEND", "noninteractive")
        .args(args)
        .status()
        .with_context(|| format!("{} cannot be started", apt.display()))?;
    Ok(status.success())
}
