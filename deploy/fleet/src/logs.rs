//! The logs of children. Each has at most about twice [`LIMIT`]: `NAME.log`, and the part before it in `NAME.log.old`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::folder::Folder;
use crate::say::say;

/// The size in bytes from which a log of a running child moves to `NAME.log.old`.
const LIMIT: u64 = 64 << 20;

/// Opens a log to append to it.
pub(crate) fn open(path: &Path) -> Result<File> {
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path)
        .with_context(|| format!("cannot open {}", path.display()))
}

/// Renames the log of the previous start.
pub(crate) fn rotate(path: &Path) -> Result<()> {
    match fs::rename(path, old(path)) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot rename {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Moves the content of each log that has reached [`LIMIT`] to its old log.
pub(crate) fn shorten_all(folder: &Folder) {
    let entries = fs::read_dir(folder.logs()).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.extension().is_some_and(|extension| extension == "log")
            && let Err(error) = shorten(&path, LIMIT)
        {
            say(format!("cannot keep all of {}: {error}", path.display()));
        }
    }
}

/// The child has the file open, and appends to it. Therefore the content is copied, and the file is emptied, also when the copy fails, as on
/// a full disk.
fn shorten(path: &Path, limit: u64) -> io::Result<()> {
    let mut log = OpenOptions::new().read(true).write(true).open(path)?;
    if log.metadata()?.len() < limit {
        return Ok(());
    }
    let copied = OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(old(path))
        .and_then(|mut old| io::copy(&mut log, &mut old));
    log.set_len(0)?;
    copied.map(drop)
}

/// The last lines of a log, indented for the terminal.
pub(crate) fn tail(log: &Path, count: usize) -> String {
    let text = fs::read(log)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let last = lines
        .get(lines.len().saturating_sub(count)..)
        .unwrap_or_default();
    last.iter()
        .map(|line| format!("    {line}\n"))
        .collect::<Vec<_>>()
        .concat()
}

fn old(log: &Path) -> PathBuf {
    log.with_extension("log.old")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_log_that_reaches_the_limit_goes_on_empty() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.log");
        let mut child = open(&path).unwrap();
        let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
        writeln!(child, "one").unwrap();
        shorten(&path, 5).unwrap();
        assert_eq!(
            (read(&path), read(&old(&path))),
            ("one\n".into(), String::new())
        );
        writeln!(child, "two").unwrap();
        shorten(&path, 5).unwrap();
        writeln!(child, "three").unwrap();
        let texts = (read(&path), read(&old(&path)));
        assert_eq!(texts, ("three\n".into(), "one\ntwo\n".into()));
    }

    #[test]
    fn the_last_lines_are_indented() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("a.log");
        fs::write(&log, "one\ntwo\nthree\n").unwrap();
        assert_eq!(tail(&log, 2), "    two\n    three\n");
        assert_eq!(tail(&dir.path().join("none.log"), 2), "");
    }
}
