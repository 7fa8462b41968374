//! The programs that a fleet requires, and their installation on Debian or Ubuntu.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use nix::unistd::geteuid;
use servers::find;

use crate::say::say;

/// A required program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requirement {
    /// Drops root, and ends children with the launcher.
    Setpriv,
    /// The PostgreSQL server with its tools.
    Postgres,
    /// Only the client, for an external server.
    Psql,
    Redis,
    /// Python with virtual environments: a test installs an S3 server.
    Python,
    /// Runs the examples of the documentation that are in JavaScript.
    Node,
    /// An HTTP client with its own decoders, for tests of compression.
    Curl,
    /// A receiver of webhooks as customers have it.
    Nginx,
    /// The browser of the dashboard's tests.
    Chromium,
    /// The program that drives Chromium.
    Chromedriver,
}

impl Requirement {
    /// The Debian package.
    fn package(self) -> &'static str {
        match self {
            Self::Setpriv => "util-linux",
            Self::Postgres => "postgresql",
            Self::Psql => "postgresql-client",
            Self::Redis => "redis-server",
            Self::Python => "python3-venv",
            Self::Node => "nodejs",
            Self::Curl => "curl",
            Self::Nginx => "nginx",
            Self::Chromium => "chromium",
            Self::Chromedriver => "chromium-driver",
        }
    }

    fn is_installed(self) -> bool {
        match self {
            Self::Setpriv => find("setpriv").is_some(),
            Self::Postgres => servers::postgres::Tools::newest().is_some(),
            Self::Psql => servers::postgres::psql().is_some(),
            Self::Redis => find("redis-server").is_some(),
            Self::Python => has_venv(),
            Self::Node => find("node").is_some(),
            Self::Curl => find("curl").is_some(),
            Self::Nginx => find("nginx").is_some(),
            Self::Chromium => find("chromium").is_some(),
            Self::Chromedriver => find("chromedriver").is_some(),
        }
    }
}

/// Debian has Python without `venv` by default.
fn has_venv() -> bool {
    let mut python = Command::new("python3");
    let tried = python.args(["-c", "import ensurepip, venv"]).output();
    tried.is_ok_and(|output| output.status.success())
}

/// Installs missing packages with apt-get. Where it cannot, the error names the packages.
pub(crate) fn ensure(requirements: &[Requirement]) -> Result<()> {
    let missing: Vec<&str> = requirements
        .iter()
        .filter(|requirement| !requirement.is_installed())
        .map(|requirement| requirement.package())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages = missing.join(" ");
    let Some(apt) = find("apt-get") else {
        bail!(
            "{packages} missing, and apt-get is not there: install them with the package manager of this system, then try again"
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
    // A fresh machine has no package lists. If the update fails, the installation may still succeed.
    apt_get(sudo.as_deref(), &apt, &["update", "-q"])?;
    let mut install = vec!["install", "-y", "-q", "--no-install-recommends"];
    install.extend(&missing);
    let installed = apt_get(sudo.as_deref(), &apt, &install)?;
    if !installed
        || requirements
            .iter()
            .any(|requirement| !requirement.is_installed())
    {
        bail!(
            "apt-get did not install {packages} (its error is above): install them yourself, then try again"
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
        .with_context(|| format!("cannot start {}", apt.display()))?;
    Ok(status.success())
}
