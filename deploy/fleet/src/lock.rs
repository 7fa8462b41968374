//! Two lock files show who uses a state folder. The kernel releases them, in whatever way the processes end.
//!
//! The launcher holds the first, and its pid is in it. The second is the standard input of every child, so that it is free when the last
//! child has ended, even if the launcher was killed.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::folder::Folder;
use crate::say::say;
use crate::wait::Signals;

const LAUNCHER: &str = "lock";
const CHILDREN: &str = "children.lock";

/// How long the children of a killed launcher may take to end. The kernel sends them SIGKILL; PostgreSQL gets SIGQUIT and needs 5 s at most.
const CHILDREN_LIMIT: Duration = Duration::from_secs(30);

/// Held while a launcher uses the folder.
pub(crate) struct Lock {
    _launcher: File,
    /// The lock that children inherit.
    pub(crate) children: File,
}

/// Locks the folder for this launcher, and waits for the children of one that was killed; `None` while another launcher holds the lock.
pub(crate) fn acquire(folder: &Folder, signals: &Signals) -> Result<Option<Lock>> {
    let Some(mut launcher) = try_lock(folder, LAUNCHER)? else {
        return Ok(None);
    };
    launcher
        .set_len(0)
        .and_then(|()| write!(launcher, "{}", std::process::id()))
        .context("cannot write the lock file")?;
    let children = match try_lock(folder, CHILDREN)? {
        Some(children) => children,
        None => wait_for_children(folder, signals)?,
    };
    Ok(Some(Lock { _launcher: launcher, children }))
}

fn wait_for_children(folder: &Folder, signals: &Signals) -> Result<File> {
    say("Waiting for the processes of a launcher that was killed");
    let children = signals.until(CHILDREN_LIMIT, || try_lock(folder, CHILDREN))?;
    children.with_context(|| {
        format!(
            "processes of a launcher that was killed still run after {} s: end them ({} has their pids), then try again",
            CHILDREN_LIMIT.as_secs(),
            folder.manifest().display()
        )
    })
}

/// Whether a launcher uses the folder.
pub(crate) fn is_held(folder: &Folder) -> Result<bool> {
    Ok(folder.path().join(LAUNCHER).exists() && try_lock(folder, LAUNCHER)?.is_none())
}

/// The pid of the launcher that holds the lock. It is absent for a moment after the launcher has locked the folder.
pub(crate) fn launcher_pid(folder: &Folder) -> Option<i32> {
    let text = fs::read_to_string(folder.path().join(LAUNCHER)).ok()?;
    text.parse().ok()
}

fn try_lock(folder: &Folder, name: &str) -> Result<Option<File>> {
    let path = folder.path().join(name);
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .mode(0o600)
        .open(&path)
        .with_context(|| format!("cannot open {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", path.display()))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn one_launcher_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::locate(Some(dir.path()), PathBuf::new()).unwrap();
        let signals = Signals::install().unwrap();
        let lock = acquire(&folder, &signals).unwrap();
        assert!(lock.is_some());
        assert!(is_held(&folder).unwrap());
        assert!(acquire(&folder, &signals).unwrap().is_none());
        assert_eq!(launcher_pid(&folder), i32::try_from(std::process::id()).ok());
        drop(lock);
        assert!(!is_held(&folder).unwrap());
    }
}
