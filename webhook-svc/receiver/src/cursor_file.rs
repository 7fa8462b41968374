//! The file that remembers how far messages were forwarded.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// No cursor of the API is so long.
const MAX_LENGTH: usize = 1_024;

/// Stores one cursor. Without a path, nothing is stored.
#[derive(Debug, Clone)]
pub struct CursorFile(Option<PathBuf>);

impl CursorFile {
    pub fn new(path: Option<PathBuf>) -> Self {
        Self(path)
    }

    /// The stored cursor; `None`: there is no file yet.
    ///
    /// # Errors
    /// The file cannot be read, or holds something else.
    pub fn read(&self) -> anyhow::Result<Option<String>> {
        let Some(path) = &self.0 else {
            return Ok(None);
        };
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| shown(path)),
        };
        let cursor = text.trim_end();
        let is_cursor = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        anyhow::ensure!(
            !cursor.is_empty() && cursor.len() <= MAX_LENGTH && cursor.bytes().all(is_cursor),
            "{} is not a file of webhook-listen: name another one with --state",
            path.display()
        );
        Ok(Some(cursor.to_owned()))
    }

    /// Stores a cursor. After a crash the file holds this cursor or the one before, never a part.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, cursor: &str) -> anyhow::Result<()> {
        let Some(path) = &self.0 else {
            return Ok(());
        };
        let mut name = path.clone().into_os_string();
        name.push(".new");
        let new = PathBuf::from(name);
        let written = || -> io::Result<()> {
            let mut file = File::create(&new)?;
            writeln!(file, "{cursor}")?;
            file.sync_all()?;
            fs::rename(&new, path)
        };
        written().with_context(|| shown(path))
    }
}

fn shown(path: &Path) -> String {
    format!("cannot use the file {}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_cursor_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let file = CursorFile::new(Some(path.clone()));
        assert_eq!(file.read().unwrap(), None);
        for cursor in ["a-b_9", "c"] {
            file.write(cursor).unwrap();
            assert_eq!(file.read().unwrap().as_deref(), Some(cursor));
        }
        for bad in ["", "two words", "a\nb\n", "<html>"] {
            fs::write(&path, bad).unwrap();
            assert!(file.read().is_err(), "{bad}");
        }
        let nowhere = CursorFile::new(Some(folder.path().join("none/state")));
        assert!(nowhere.write("a").is_err());
        assert_eq!(CursorFile::new(None).read().unwrap(), None);
    }
}
