//! The programs that a fleet requires, and their installation on Debian or Ubuntu.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use nix::unistd::geteuid;
use servers::find;
use servers::postgres::{Tools, psql};

use crate::say::say;

/// A required program.
#[derive(Clone, Copy)]
pub(crate) struct Requirement {
    program: &'static str,
    /// The Debian package.
    package: &'static str,
}

/// Drops root, and ends children with the launcher.
pub(crate) const SETPRIV: Requirement = Requirement::new("setpriv", "util-linux");
/// The PostgreSQL server with its tools.
pub(crate) const POSTGRES: Requirement = Requirement::new("postgres", "postgresql");
/// Only the client, for an external server.
pub(crate) const PSQL: Requirement = Requirement::new("psql", "postgresql-client");
pub(crate) const REDIS: Requirement = Requirement::new("redis-server", "redis-server");

impl Requirement {
    const fn new(program: &'static str, package: &'static str) -> Self {
        Self { program, package }
    }

    fn is_installed(self) -> bool {
        match self.program {
            "postgres" => Tools::newest().is_some(),
            "psql" => psql().is_some(),
            program => find(program).is_some(),
        }
    }
}

/// Installs missing packages with apt-get. Where it cannot, the error names the packages.
pub(crate) fn ensure(requirements: &[Requirement]) -> Result<()> {
    let missing = || -> Vec<&str> {
        let missing = requirements.iter().filter(|one| !one.is_installed());
        missing.map(|one| one.package).collect()
    };
    let names = missing();
    if names.is_empty() {
        return Ok(());
    }
    let packages = names.join(" ");
    let Some(apt) = find("apt-get") else {
        bail!(
            "{packages} missing, and apt-get is not there: install them with the package manager of this system, then try again"
        );
    };
    // Both take a variable before the command.
    let prefix = if geteuid().is_root() { "env" } else { "sudo" };
    let Some(prefix) = find(prefix) else {
        bail!("{packages} missing: run `apt-get install {packages}` as root, then try again");
    };
    say(format!("Installing {packages}"));
    // A fresh machine has no package lists. If the update fails, the installation may still succeed.
    apt_get(&prefix, &apt, &["update", "-q"])?;
    let install = ["install", "-y", "-q", "--no-install-recommends"];
    let installed = apt_get(&prefix, &apt, &[&install, &*names].concat())?;
    if !installed || !missing().is_empty() {
        bail!(
            "apt-get did not install {packages} (its error is above): install them yourself, then try again"
        );
    }
    Ok(())
}

/// Runs apt-get in the foreground, where sudo can ask for a password.
fn apt_get(prefix: &Path, apt: &Path, args: &[&str]) -> Result<bool> {
    let mut command = Command::new(prefix);
    command.arg("DEBIAN_FRONTEND=noninteractive").arg(apt);
    let status =
        command.args(args).status().with_context(|| format!("cannot start {}", apt.display()))?;
    Ok(status.success())
}
