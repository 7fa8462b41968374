//! The user of PostgreSQL and Redis.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;
use nix::unistd::{User, geteuid};

/// The temporary folder of the system, which every user can enter.
const TEMPORARY: &str = "/tmp";

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

    /// The path of a folder without symbolic links, if the user can enter it. A link in a private folder may lead out of it.
    ///
    /// # Errors
    /// The folder does not exist.
    pub fn enter(&self, folder: &Path) -> Result<Option<PathBuf>> {
        let target =
            folder.canonicalize().with_context(|| format!("cannot find {}", folder.display()))?;
        let mut test = self.command(Path::new("test"), None);
        let status = test.arg("-x").arg(&target).stdin(Stdio::null()).status();
        let can_enter = status.context("cannot start setpriv")?.success();
        Ok(can_enter.then_some(target))
    }

    /// A folder for temporary files that the user can enter: `folder`, or that of the system, for example when a checkout is in /root.
    ///
    /// # Errors
    /// The folder does not exist.
    pub fn temporary(&self, folder: &Path) -> Result<PathBuf> {
        let entered = self.enter(folder)?;
        Ok(entered.unwrap_or_else(|| TEMPORARY.into()))
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn temporary_files_are_not_in_a_private_folder() {
        let user = ServerUser::unprivileged().unwrap();
        let private = tempfile::tempdir_in(TEMPORARY).unwrap();
        let allow = |mode| {
            fs::set_permissions(private.path(), Permissions::from_mode(mode)).unwrap();
        };
        let inner = private.path().join("checkout");
        fs::create_dir(&inner).unwrap();
        allow(0o700);
        // Without root, the servers run as the user of the test, who can enter its own folders.
        let expected = match user.name() {
            Some(_) => Path::new(TEMPORARY),
            None => inner.as_path(),
        };
        assert_eq!(user.temporary(&inner).unwrap(), expected);
        allow(0o711);
        assert_eq!(user.temporary(&inner).unwrap(), inner);
    }

    #[test]
    fn a_link_in_a_private_folder_leads_to_a_folder_that_the_user_can_enter() {
        let private = tempfile::tempdir_in(TEMPORARY).unwrap();
        let link = private.path().join("data");
        symlink(TEMPORARY, &link).unwrap();
        let user = ServerUser::unprivileged().unwrap();
        let entered = user.enter(&link).unwrap();
        assert_eq!(entered.as_deref(), Some(Path::new(TEMPORARY)));
        let missing = user.enter(&private.path().join("missing"));
        assert!(missing.is_err(), "{missing:?}");
    }
}
