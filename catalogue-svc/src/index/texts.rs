//! Keeps long texts, which only a single read needs, in a file instead of memory.
//!
//! The file has no name and ends with the process. The page cache of the system holds what is read often. The space of a
//! replaced text is free again when the process ends; once the file has its greatest size, further texts stay in memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file in the folder of temporary files (`TMPDIR`). `None`: no file could be opened there.
static FILE: LazyLock<Option<TextFile>> = LazyLock::new(|| match tempfile::tempfile() {
    Ok(file) => Some(TextFile {
        file,
        end: AtomicU64::new(0),
    }),
    Err(error) => {
        tracing::warn!(
            %error,
            "long texts stay in memory: no temporary file could be opened; set TMPDIR to a folder that can be written"
        );
        None
    }
});

/// Texts of at least this many bytes go into the file.
const LONG: usize = 64;
/// The greatest size of the file in bytes, below the `sizeLimit` of deploy/kubernetes: the texts of a million listings, and half a million
/// changes of them. Later texts stay in memory.
const MAX_SIZE: u64 = 3 << 29;
/// Bits that hold the length of a text in the file.
const LENGTH_BITS: u32 = 20;

struct TextFile {
    file: File,
    end: AtomicU64,
}

/// A text.
#[derive(Debug, Clone)]
pub(super) enum Text {
    Memory(Box<[u8]>),
    /// Offset and length.
    File(u64),
}

impl Text {
    /// The same text, in the file if it is long. It stays in memory when the file cannot be written.
    pub(super) fn store(&self) -> Self {
        match self {
            Self::Memory(text) if text.len() >= LONG => {
                let stored = FILE.as_ref().and_then(|file| file.append(text));
                stored.map_or_else(|| self.clone(), Self::File)
            }
            Self::Memory(_) | Self::File(_) => self.clone(),
        }
    }

    /// Appends the text to `to`. A text in the file is read on a blocking thread, since the disk may be slow.
    pub(super) async fn push_to(&self, mut to: Vec<u8>) -> io::Result<Vec<u8>> {
        let place = match self {
            Self::Memory(text) => {
                to.extend_from_slice(text);
                return Ok(to);
            }
            Self::File(place) => *place,
        };
        let file = FILE.as_ref().ok_or(io::ErrorKind::NotFound)?;
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
    /// Returns where the text is; `None` when it could not be written, it is too long, or the file is full.
    fn append(&self, text: &[u8]) -> Option<u64> {
        let length = u64::try_from(text.len()).ok()?;
        if length >> LENGTH_BITS > 0 {
            return None;
        }
        if self.end.load(Ordering::Relaxed) > MAX_SIZE {
            return None;
        }
        let at = self.end.fetch_add(length, Ordering::Relaxed);
        self.file.write_all_at(text, at).ok()?;
        Some(at << LENGTH_BITS | length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(text: &Text) -> Vec<u8> {
        let mut read = text.push_to(b"before ".to_vec()).await.unwrap();
        read.split_off(7)
    }

    #[tokio::test]
    async fn long_texts_are_stored_and_read_back() {
        let texts: Vec<Vec<u8>> = (0..100_u8).map(|n| vec![n; 60 + usize::from(n)]).collect();
        let stored: Vec<Text> = texts
            .iter()
            .map(|text| Text::Memory(text.as_slice().into()).store())
            .collect();
        for (text, stored) in texts.iter().zip(&stored) {
            let is_long = text.len() >= LONG;
            assert_eq!(matches!(stored, Text::File(_)), is_long);
            assert_eq!(&read(stored).await, text);
            assert_eq!(&read(&stored.store()).await, text);
        }
    }

    #[tokio::test]
    async fn a_text_that_is_too_long_for_the_file_stays_in_memory() {
        let text = vec![7; 1 << LENGTH_BITS];
        let stored = Text::Memory(text.as_slice().into()).store();
        assert!(matches!(stored, Text::Memory(_)));
        assert_eq!(read(&stored).await, text);
    }

    #[test]
    fn a_text_in_the_file_is_read_by_a_thread_that_may_block() {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.max_blocking_threads(1).build().unwrap();
        runtime.block_on(async {
            // The only such thread is busy.
            let (release, held) = std::sync::mpsc::channel();
            let busy = tokio::task::spawn_blocking(move || held.recv());
            let stored = Text::Memory([7; LONG].into()).store();
            assert!(matches!(stored, Text::File(_)));
            let mut read = std::pin::pin!(stored.push_to(Vec::new()));
            assert!(futures::poll!(&mut read).is_pending());
            release.send(()).unwrap();
            busy.await.unwrap().unwrap();
            assert_eq!(read.await.unwrap(), [7; LONG]);
        });
    }
}
