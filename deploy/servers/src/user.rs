//! The user of PostgreSQL and Redis.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;
use nix::unistd::{User, geteuid};

/// The user that runs a program: the caller, or an unprivileged one when root calls. PostgreSQL refuses root, and Redis does not need it.
#[derive(Clone, Debug, Default)]
pub struct ServerUser(Option<User>);

impl ServerUser {
    /// The caller, unless it is root.
    ///
    /// # Errors
    /// Root calls, and there is no unprivileged user.
    pub fn unprivileged() -> Result<Self> {
        if !geteuid().is_root() {
            return Ok(Self::default());
        }
        for name in ["postgres", "nobody"] {
            let user = User::from_name(name).context("cannot read the users of this machine")?;
            if user.is_some() {
                return Ok(Self(user));
            }
        }
        bail!(
            "PostgreSQL refuses to run as root: create a user `postgres`, or run this as an ordinary user"
        )
    }

    /// The name, when it is not the caller.
    pub fn name(&self) -> Option<&str> {
        self.0.as_ref().map(|user| user.name.as_str())
    }

    /// Whether the user can access the files of a folder.
    pub fn can_search(&self, folder: &Path) -> Result<bool> {
        let mut test = self.command(Path::new("test"), None);
        let status = test.arg("-x").arg(folder).stdin(Stdio::null()).status();
        Ok(status.context("cannot start setpriv")?.success())
    }

    /// Makes the user the owner of a file or folder, and sets its mode.
    pub fn give(&self, path: &Path, mode: u32) -> Result<()> {
        let give = || {
            fs::set_permissions(path, Permissions::from_mode(mode))?;
            let Some(user) = &self.0 else { return Ok(()) };
            chown(path, Some(user.uid.as_raw()), Some(user.gid.as_raw()))
        };
        give().with_context(|| format!("cannot change the owner of {}", path.display()))
    }

    /// A command that runs as this user. With `parent_death_signal`, the kernel sends that signal to the program when the thread that has
    /// started it ends.
    pub fn command(&self, program: &Path, parent_death_signal: Option<Signal>) -> Command {
        if self.0.is_none() && parent_death_signal.is_none() {
            return Command::new(program);
        }
        let mut command = Command::new("setpriv");
        if let Some(user) = &self.0 {
            let group = user.gid.to_string();
            command.args(["--reuid", &user.name, "--regid", &group, "--init-groups"]);
        }
        if let Some(signal) = parent_death_signal {
            command.args(["--pdeathsig", signal.as_str().trim_start_matches("SIG")]);
        }
        command.arg("--").arg(program);
        command
    }
}
