//! Keeps long texts, which only a single read needs, in a file instead of memory.
//!
//! Each writer, and thus each rebuild, has a file of its own, which has no name and ends with its last text. The page cache of the system holds
//! what is read often. The space of a replaced text is free again when the file ends; once the files have their greatest size together, further
//! texts stay in memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Texts of at least this many bytes go into the file.
const LONG: usize = 64;
/// The greatest size of all files in bytes, below the `sizeLimit` of deploy/kubernetes: the texts of a million listings, and half a million
/// changes of them. Later texts stay in memory, also those of a rebuild that do not fit next to the texts of the snapshot that it replaces.
const MAX_SIZE: u64 = 3 << 29;
/// Bits that hold the length of a text in the file.
const LENGTH_BITS: u32 = 20;

/// The size of all files.
static SIZE: AtomicU64 = AtomicU64::new(0);

/// A file of texts.
#[derive(Debug)]
pub(super) struct TextFile {
    file: File,
    end: AtomicU64,
}

/// A text.
#[derive(Debug, Clone)]
pub(super) enum Text {
    Memory(Box<[u8]>),
    /// Offset and length.
    File(Arc<TextFile>, u64),
}

impl Text {
    /// Whether the text is in memory and belongs into the file.
    fn is_long(&self) -> bool {
        matches!(self, Self::Memory(text) if (LONG..1 << LENGTH_BITS).contains(&text.len()))
    }

    /// Appends the text to `to`. A text in the file is read on a blocking thread, since the disk may be slow.
    pub(super) async fn push_to(&self, mut to: Vec<u8>) -> io::Result<Vec<u8>> {
        let (file, place) = match self {
            Self::Memory(text) => {
                to.extend_from_slice(text);
                return Ok(to);
            }
            Self::File(file, place) => (Arc::clone(file), *place),
        };
        let length = usize::try_from(place & ((1 << LENGTH_BITS) - 1)).unwrap_or_default();
        let read = tokio::task::spawn_blocking(move || {
            let start = to.len();
            to.resize(start + length, 0);
            file.file
                .read_exact_at(&mut to[start..], place >> LENGTH_BITS)?;
            Ok(to)
        });
        read.await?
    }
}

impl TextFile {
    /// A new file in the folder of temporary files (`TMPDIR`). `None`: no file could be opened there.
    pub(super) fn open() -> Option<Arc<Self>> {
        let opened = tempfile::tempfile().inspect_err(|error| {
            tracing::warn!(
                %error,
                "long texts stay in memory: no temporary file could be opened; set TMPDIR to a folder that can be written"
            );
        });
        let file = opened.ok()?;
        let end = AtomicU64::new(0);
        Some(Arc::new(Self { file, end }))
    }

    /// Moves long texts into the file, all in one write. They stay in memory when the file cannot be written, or is full.
    pub(super) fn store<'a>(self: &Arc<Self>, texts: impl Iterator<Item = &'a mut Text>) {
        let long: Vec<&mut Text> = texts.filter(|text| text.is_long()).collect();
        let mut bytes = Vec::new();
        for text in &long {
            if let Text::Memory(text) = text {
                bytes.extend_from_slice(text);
            }
        }
        let Some(mut at) = self.append(&bytes) else {
            return;
        };
        for text in long {
            if let Text::Memory(bytes) = text {
                let length = bytes.len() as u64;
                *text = Text::File(Arc::clone(self), at << LENGTH_BITS | length);
                at += length;
            }
        }
    }

    /// Returns where the bytes are; `None` when they could not be written, or the files are full.
    fn append(&self, bytes: &[u8]) -> Option<u64> {
        if bytes.is_empty() || SIZE.load(Ordering::Relaxed) > MAX_SIZE {
            return None;
        }
        let length = bytes.len() as u64;
        SIZE.fetch_add(length, Ordering::Relaxed);
        let at = self.end.fetch_add(length, Ordering::Relaxed);
        self.file.write_all_at(bytes, at).ok()?;
        Some(at)
    }
}

impl Drop for TextFile {
    fn drop(&mut self) {
        SIZE.fetch_sub(*self.end.get_mut(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(text: &Text) -> Vec<u8> {
        let mut read = text.push_to(b"before ".to_vec()).await.unwrap();
        read.split_off(7)
    }

    fn in_memory(text: &[u8]) -> Text {
        Text::Memory(text.into())
    }

    #[tokio::test]
    async fn long_texts_are_stored_and_read_back() {
        let mut texts: Vec<Vec<u8>> = (0..100_u8).map(|n| vec![n; 60 + usize::from(n)]).collect();
        // A text whose length does not fit the file's length bits stays in memory.
        texts.insert(50, vec![7; 1 << LENGTH_BITS]);
        let mut stored: Vec<Text> = texts.iter().map(|text| in_memory(text)).collect();
        let file = TextFile::open().unwrap();
        for _ in 0..2 {
            file.store(stored.iter_mut());
            for (text, stored) in texts.iter().zip(&stored) {
                let is_long = (LONG..1 << LENGTH_BITS).contains(&text.len());
                assert_eq!(matches!(stored, Text::File(..)), is_long);
                assert_eq!(&read(stored).await, text);
            }
        }
        // The file ends with its last text.
        let weak = Arc::downgrade(&file);
        drop(file);
        assert!(weak.upgrade().is_some());
        drop(stored);
        assert!(weak.upgrade().is_none());
    }

    #[test]
    fn a_text_in_the_file_is_read_on_the_blocking_pool() {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.max_blocking_threads(1).build().unwrap();
        runtime.block_on(async {
            // The runtime's only blocking thread is busy.
            let (release, held) = std::sync::mpsc::channel();
            let busy = tokio::task::spawn_blocking(move || held.recv());
            let mut stored = in_memory(&[7; LONG]);
            let file = TextFile::open().unwrap();
            file.store(std::iter::once(&mut stored));
            assert!(matches!(stored, Text::File(..)));
            let mut read = std::pin::pin!(stored.push_to(Vec::new()));
            assert!(futures::poll!(&mut read).is_pending());
            release.send(()).unwrap();
            busy.await.unwrap().unwrap();
            assert_eq!(read.await.unwrap(), [7; LONG]);
        });
    }
}
