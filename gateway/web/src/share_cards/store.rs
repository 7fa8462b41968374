//! Share cards that were drawn, as files of a folder that never takes more than a given size.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use anyhow::Context as _;
use bytes::Bytes;
use tempfile::TempDir;

use crate::domain::picture_name::is_file_name;

/// The prefix of the names of incomplete files. A process that was killed leaves one.
const TEMPORARY: &str = ".card-";

/// The folder. Several replicas may share it, since the name of a file is a hash of the card's content.
#[derive(Debug)]
pub(crate) struct CardStore {
    folder: PathBuf,
    /// Bytes of all files at most.
    most: u64,
    /// Bytes written since the files were counted last.
    unchecked: AtomicU64,
    /// Removes the folder at exit, unless the operator named one.
    _temporary: Option<TempDir>,
}

impl CardStore {
    /// # Errors
    /// The folder cannot be made.
    pub(crate) fn open(folder: Option<&Path>, most: u64) -> anyhow::Result<Self> {
        let (folder, temporary) = if let Some(folder) = folder {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
            (folder.to_owned(), None)
        } else {
            let made = TempDir::new().context("cannot make a folder for share cards")?;
            (made.path().to_owned(), Some(made))
        };
        Ok(Self {
            folder,
            most,
            // Earlier processes may have filled the folder.
            unchecked: AtomicU64::new(most),
            _temporary: temporary,
        })
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.jpg"))
    }

    /// A card, if it was drawn. `key` has 64 hexadecimal digits.
    pub(crate) async fn find(&self, key: &str) -> Option<Bytes> {
        tokio::fs::read(self.path(key)).await.ok().map(Bytes::from)
    }

    /// Stores a card. A card's file is always complete: it is written under another name, and then renamed.
    pub(crate) fn insert(&self, key: &str, card: &[u8]) -> anyhow::Result<()> {
        let file = tempfile::Builder::new()
            .prefix(TEMPORARY)
            .tempfile_in(&self.folder)?;
        fs::write(file.path(), card)?;
        file.persist(self.path(key))?;
        let length = u64::try_from(card.len())?;
        // A twentieth of the space may be written before the files are counted again.
        let written = self.unchecked.fetch_add(length, Ordering::Relaxed) + length;
        if written > self.most / 20 {
            self.unchecked.store(0, Ordering::Relaxed);
            self.evict()?;
        }
        Ok(())
    }

    /// Removes the oldest files until nine tenths of the space are left. Files that are not the store's stay, and do not count.
    fn evict(&self) -> anyhow::Result<()> {
        let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            // Another replica may have removed the file.
            let name = entry.file_name();
            let is_own = |name: &str| is_file_name(name) || name.starts_with(TEMPORARY);
            if name.to_str().is_some_and(is_own)
                && let Ok(about) = entry.metadata()
                && about.is_file()
            {
                files.push((about.modified()?, about.len(), entry.path()));
            }
        }
        files.sort_unstable();
        let mut size: u64 = files.iter().map(|(_, size, _)| size).sum();
        for (_, length, path) in files {
            if size <= self.most / 10 * 9 {
                break;
            }
            fs::remove_file(path).ok();
            size -= length;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(folder: &Path) -> u64 {
        let files = fs::read_dir(folder).unwrap();
        files
            .map(|file| file.unwrap().metadata().unwrap().len())
            .sum()
    }

    fn key(number: u32) -> String {
        format!("{number:064}")
    }

    #[tokio::test]
    async fn the_store_keeps_what_is_new_and_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let store = CardStore::open(Some(folder.path()), 10_000).unwrap();
        assert_eq!(store.find(&key(0)).await, None);
        for number in 0..50 {
            store.insert(&key(number), &[7; 700]).unwrap();
            assert!(size(folder.path()) <= 10_000, "{number}");
        }
        assert_eq!(store.find(&key(49)).await.unwrap().len(), 700);
        assert_eq!(store.find(&key(0)).await, None);
        drop(store);
        // A later process continues with the existing files.
        let store = CardStore::open(Some(folder.path()), 2_000).unwrap();
        assert!(store.find(&key(49)).await.is_some());
        store.insert(&key(50), &[7; 700]).unwrap();
        assert!(size(folder.path()) <= 2_000);
    }

    #[test]
    fn files_of_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let cut_off = format!("{TEMPORARY}x");
        for name in ["letter.txt", "photo.jpg", &cut_off] {
            fs::write(path(name), [7; 900]).unwrap();
        }
        let store = CardStore::open(Some(folder.path()), 1_000).unwrap();
        store.insert(&key(1), &[7; 700]).unwrap();
        assert!(path("letter.txt").exists() && path("photo.jpg").exists());
        assert!(!path(&cut_off).exists(), "a killed process left it");
    }

    #[test]
    fn a_temporary_folder_goes_with_the_process() {
        let store = CardStore::open(None, 1_000).unwrap();
        let folder = store.folder.clone();
        store.insert(&key(1), b"card").unwrap();
        assert!(folder.join(format!("{}.jpg", key(1))).exists());
        drop(store);
        assert!(!folder.exists());
    }
}
