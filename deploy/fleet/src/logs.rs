//! The logs of children: `NAME.log`, and that of the start before in `NAME.log.old`.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

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

/// The last lines of a log, indented for the terminal.
pub(crate) fn tail(log: &Path, count: usize) -> String {
    let text =
        fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.get(lines.len().saturating_sub(count)..).unwrap_or_default();
    last.iter().map(|line| format!("    {line}\n")).collect::<Vec<_>>().concat()
}

fn old(log: &Path) -> PathBuf {
    log.with_extension("log.old")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_indented() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("a.log");
        fs::write(&log, "one\ntwo\nthree\n").unwrap();
        assert_eq!(tail(&log, 2), "    two\n    three\n");
        assert_eq!(tail(&dir.path().join("none.log"), 2), "");
    }
}
