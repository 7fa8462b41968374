//! The state folder (`.fleet`): what lies where, and who may write it just now.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use nix::sys::statvfs::statvfs;
use nix::unistd::geteuid;

/// Free space below which a start is not tried: an empty PostgreSQL takes 40 MB, its log of changes up to 1 GB over time.
const NEEDED_MB: u64 = 200;

/// Everything the launcher ever writes into the folder. `--fresh` removes these names and nothing else, so a `--dir` that
/// points at a folder with other things in it costs nobody anything.
const OWN: [&str; 10] = [
    "fleet.json",
    "run.json",
    "data",
    "addresses",
    "logs",
    "clock",
    "queries",
    "plans.toml",
    "pictures",
    "mail",
];

/// One fleet's state folder.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

/// Held while a launcher works on the folder; the kernel lets go of it however the launcher ends.
pub(crate) struct Lock {
    _file: File,
}

impl Folder {
    /// The folder `dir`, seen from the current directory, or `default`.
    pub(crate) fn locate(dir: Option<&Path>, default: PathBuf) -> Result<Self> {
        let path = match dir {
            Some(dir) => std::path::absolute(dir)
                .with_context(|| format!("--dir {} cannot be resolved", dir.display()))?,
            None => default,
        };
        Ok(Self { path })
    }

    /// Makes the folder if need be, and checks that it is ours and has room.
    pub(crate) fn prepare(&self) -> Result<()> {
        let shown = self.path.display();
        DirBuilder::new()
            .recursive(true)
            .mode(0o755)
            .create(&self.path)
            .with_context(|| format!("{shown} cannot be made; choose another place with --dir"))?;
        let owner = fs::metadata(&self.path)
            .with_context(|| format!("{shown} cannot be read"))?
            .uid();
        if owner != geteuid().as_raw() {
            bail!(
                "{shown} belongs to user {owner}: run this as that user, or choose another place with --dir"
            );
        }
        let free = statvfs(&self.path).with_context(|| format!("{shown} cannot be measured"))?;
        let free_mb = free.blocks_available() * free.fragment_size() / 1_048_576;
        if free_mb < NEEDED_MB {
            bail!(
                "the disk of {shown} is full ({free_mb} MB free, {NEEDED_MB} MB needed): \
                 make room or choose another place with --dir"
            );
        }
        for sub in ["addresses", "logs"] {
            fs::create_dir_all(self.path.join(sub))
                .with_context(|| format!("{shown}/{sub} cannot be made"))?;
        }
        // Secrets lie here; a state folder inside a checkout must never be committed.
        self.write(&self.path.join(".gitignore"), b"*\n", 0o644)
    }

    /// Takes the folder for this launcher; `None` while another launcher works on it.
    pub(crate) fn lock(&self) -> Result<Option<Lock>> {
        let path = self.path.join("lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&path)
            .with_context(|| format!("{} cannot be opened", path.display()))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("{} cannot be locked", path.display()))
            }
        }
    }

    /// Whether a launcher works on the folder now.
    pub(crate) fn is_busy(&self) -> Result<bool> {
        Ok(self.path.join("lock").exists() && self.lock()?.is_none())
    }

    /// Throws away data, keys and logs.
    pub(crate) fn wipe(&self) -> Result<()> {
        // Data may lie elsewhere behind a link (see `postgres::place`): what the link shows goes too.
        let data = self.data();
        if let Ok(target) = fs::read_link(&data) {
            remove(&target)?;
        }
        OWN.iter()
            .try_for_each(|name| remove(&self.path.join(name)))
    }

    /// Writes a file so that a reader sees the old text or the new, never half of one.
    #[expect(
        clippy::unused_self,
        reason = "every file the launcher writes goes through its folder"
    )]
    pub(crate) fn write(&self, path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
        let new = path.with_extension("new");
        let put = || -> std::io::Result<()> {
            let mut file = OpenOptions::new()
                .create(true)
                .truncate(true)
                .write(true)
                .mode(mode)
                .open(&new)?;
            file.set_permissions(Permissions::from_mode(mode))?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(&new, path)
        };
        put().with_context(|| format!("{} cannot be written", path.display()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn manifest(&self) -> PathBuf {
        self.path.join("fleet.json")
    }

    pub(crate) fn run(&self) -> PathBuf {
        self.path.join("run.json")
    }

    pub(crate) fn clock(&self) -> PathBuf {
        self.path.join("clock")
    }

    pub(crate) fn addresses(&self, service: &str) -> PathBuf {
        self.path.join("addresses").join(service)
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    /// Where fresh query data is put to be compared.
    pub(crate) fn queries(&self) -> PathBuf {
        self.path.join("queries")
    }

    /// The table of plans of a test fleet.
    pub(crate) fn plans(&self) -> PathBuf {
        self.path.join("plans.toml")
    }

    /// Where listings-svc keeps the files of pictures.
    pub(crate) fn pictures(&self) -> PathBuf {
        self.path.join("pictures")
    }

    /// Where webhook-svc writes mails.
    pub(crate) fn mail(&self) -> PathBuf {
        self.path.join("mail")
    }

    pub(crate) fn log(&self, child: &str) -> PathBuf {
        self.path.join("logs").join(format!("{child}.log"))
    }
}

fn remove(path: &Path) -> Result<()> {
    let Ok(kind) = fs::symlink_metadata(path) else {
        return Ok(());
    };
    let removed = if kind.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    removed.with_context(|| format!("{} cannot be removed", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::locate(Some(dir.path()), PathBuf::new()).unwrap();
        folder.prepare().unwrap();
        (dir, folder)
    }

    #[test]
    fn one_launcher_at_a_time() {
        let (_dir, folder) = folder();
        let lock = folder.lock().unwrap();
        assert!(lock.is_some());
        assert!(folder.is_busy().unwrap());
        drop(lock);
        assert!(!folder.is_busy().unwrap());
    }

    #[test]
    fn fresh_removes_only_what_the_launcher_wrote() {
        let (dir, folder) = folder();
        let theirs = dir.path().join("thesis.txt");
        fs::write(&theirs, "years of work").unwrap();
        fs::write(folder.manifest(), "{}").unwrap();
        folder.wipe().unwrap();
        assert!(theirs.exists());
        assert!(!folder.manifest().exists());
    }

    #[test]
    fn secrets_are_for_their_owner_alone() {
        let (_dir, folder) = folder();
        fs::write(folder.manifest(), "{}").unwrap();
        folder
            .write(&folder.manifest(), b"{\"secret\":1}", 0o600)
            .unwrap();
        let mode = fs::metadata(folder.manifest())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
