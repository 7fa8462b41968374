//! The state folder (`.fleet`) and its files.

use std::borrow::Cow;
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use nix::sys::statvfs::statvfs;
use nix::unistd::geteuid;

/// The minimum free space for a start. An empty PostgreSQL takes 40 MB; its write-ahead log grows up to 1 GB.
const NEEDED_MB: u64 = 200;

/// All files and folders that the launcher writes. `--fresh` removes only these, so that a `--dir` with other files in it loses
/// nothing.
const CONTENTS: [&str; 10] = [
    "fleet.json",
    "staff.toml",
    "staff-members",
    "secrets.json",
    "data",
    "addresses",
    "logs",
    "clock",
    "pictures",
    "mail",
];

/// A file without members of staff.
const NO_MEMBERS: &str =
    "# Members of staff, a line each: `staff member new NAME ROLE` prints it\n";

/// The state folder of a fleet.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// Whether `--dir` has named it.
    is_named: bool,
}

impl Folder {
    /// The folder `dir`, relative to the current directory, or `default`.
    pub(crate) fn locate(dir: Option<&Path>, default: PathBuf) -> Result<Self> {
        let path = match dir {
            Some(dir) => std::path::absolute(dir)
                .with_context(|| format!("cannot resolve --dir {}", dir.display()))?,
            None => default,
        };
        let is_named = dir.is_some();
        Ok(Self { path, is_named })
    }

    /// A command on the fleet of this folder, as it is typed in a shell: `deploy/down --dir /srv/fleet`.
    pub(crate) fn command(&self, command: &str) -> String {
        if !self.is_named {
            return format!("deploy/{command}");
        }
        let path = self.path.to_string_lossy();
        // Only a NUL cannot be quoted, and no path has one.
        let quoted = shlex::try_quote(&path).unwrap_or(Cow::Borrowed(&path));
        format!("deploy/{command} --dir {quoted}")
    }

    /// Creates the folder if it does not exist, and checks its owner and the free space.
    pub(crate) fn prepare(&self) -> Result<()> {
        let shown = self.path.display();
        DirBuilder::new()
            .recursive(true)
            .mode(0o755)
            .create(&self.path)
            .with_context(|| format!("cannot create {shown}; choose another folder with --dir"))?;
        let owner = fs::metadata(&self.path).with_context(|| format!("cannot read {shown}"))?.uid();
        if owner != geteuid().as_raw() {
            bail!(
                "{shown} belongs to user {owner}: run this as that user, or choose another folder with --dir"
            );
        }
        let free = free_mb(&self.path)?;
        if free < NEEDED_MB {
            bail!(
                "the disk of {shown} is full ({free} MB free, {NEEDED_MB} MB needed): \
                 free some space or choose another folder with --dir"
            );
        }
        for sub in ["addresses", "logs", "mail"] {
            fs::create_dir_all(self.path.join(sub))
                .with_context(|| format!("cannot create {shown}/{sub}"))?;
        }
        let members = self.staff_members();
        if !members.exists() {
            write(&members, NO_MEMBERS.as_bytes(), 0o644)?;
        }
        // The folder has secrets. Inside a checkout it must not be committed.
        write(&self.path.join(".gitignore"), b"*\n", 0o644)
    }

    /// A path outside of this folder for its data: `prefix`, and a name that no other folder has.
    pub(crate) fn elsewhere(&self, prefix: &str) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        self.path.hash(&mut hasher);
        format!("{prefix}{:016x}", hasher.finish()).into()
    }

    /// Removes data, keys and logs. Data may be behind a symbolic link (see `postgres::DataFolders`); its target is removed as well.
    pub(crate) fn wipe(&self) -> Result<()> {
        if let Ok(target) = fs::read_link(self.data()) {
            remove(&target)?;
        }
        CONTENTS.iter().try_for_each(|name| remove(&self.path.join(name)))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn manifest(&self) -> PathBuf {
        self.path.join("fleet.json")
    }

    /// The profile of the staff tool.
    pub(crate) fn staff_profile(&self) -> PathBuf {
        self.path.join("staff.toml")
    }

    /// The file of the members of staff.
    pub(crate) fn staff_members(&self) -> PathBuf {
        self.path.join("staff-members")
    }

    /// The secrets of keys, as `staff apply` writes them.
    pub(crate) fn secrets(&self) -> PathBuf {
        self.path.join("secrets.json")
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

    /// The picture store of listings-svc.
    pub(crate) fn pictures(&self) -> PathBuf {
        self.path.join("pictures")
    }

    /// The folder to which mails are written.
    pub(crate) fn mail(&self) -> PathBuf {
        self.path.join("mail")
    }

    pub(crate) fn logs(&self) -> PathBuf {
        self.path.join("logs")
    }

    pub(crate) fn log(&self, child: &str) -> PathBuf {
        self.logs().join(format!("{child}.log"))
    }
}

/// Writes a file atomically: a reader sees either the old or the new content.
pub(crate) fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    let new = path.with_extension("new");
    let replace = || -> std::io::Result<()> {
        let mut file =
            OpenOptions::new().create(true).truncate(true).write(true).mode(mode).open(&new)?;
        file.set_permissions(Permissions::from_mode(mode))?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    replace().with_context(|| format!("cannot write {}", path.display()))
}

/// The free space of the file system at `path`, in MB.
fn free_mb(path: &Path) -> Result<u64> {
    let free = statvfs(path)
        .with_context(|| format!("cannot read the free space of {}", path.display()))?;
    Ok(free.blocks_available() * free.fragment_size() / 1_048_576)
}

fn remove(path: &Path) -> Result<()> {
    let Ok(kind) = fs::symlink_metadata(path) else {
        return Ok(());
    };
    let removed = if kind.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.with_context(|| format!("cannot remove {}", path.display()))
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
    fn a_command_names_the_folder_that_was_given() {
        let default = PathBuf::from("/checkout/.fleet");
        let command = |dir: Option<&str>| {
            let folder = Folder::locate(dir.map(Path::new), default.clone()).unwrap();
            folder.command("down")
        };
        assert_eq!(command(None), "deploy/down");
        assert_eq!(command(Some("/srv/two")), "deploy/down --dir /srv/two");
        let quoted = command(Some("/srv/a fleet"));
        assert_eq!(quoted, "deploy/down --dir '/srv/a fleet'");
    }

    #[test]
    fn fresh_removes_only_files_of_the_launcher() {
        let (dir, folder) = folder();
        let theirs = dir.path().join("thesis.txt");
        fs::write(&theirs, "years of work").unwrap();
        fs::write(folder.manifest(), "{}").unwrap();
        folder.wipe().unwrap();
        assert!(theirs.exists());
        assert!(!folder.manifest().exists());
    }

    #[test]
    fn only_the_owner_may_read_secrets() {
        let (_dir, folder) = folder();
        fs::write(folder.manifest(), "{}").unwrap();
        write(&folder.manifest(), b"{\"secret\":1}", 0o600).unwrap();
        let mode = fs::metadata(folder.manifest()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
