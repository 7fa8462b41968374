//! The lists of all rates that are streamed. The rates of a thousand currencies take some 160 MB and change with every report: slow readers of
//! many versions would fill the memory. A semaphore therefore limits how many lists are alive.

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

/// The most lists of live rates, of the current version and of earlier ones, that are in memory at once.
pub(super) const MAX_LISTS: usize = 7;

/// A JSON list of rates, in chunks. Its readers share it.
#[derive(Debug)]
pub(super) struct RateList {
    length: usize,
    chunks: Box<[Bytes]>,
    /// `None`: the list has the rates of one currency only, or of samples.
    _permit: Option<OwnedSemaphorePermit>,
}

impl RateList {
    pub(super) fn new(chunks: Box<[Bytes]>, permit: Option<OwnedSemaphorePermit>) -> Self {
        Self {
            length: chunks.iter().map(Bytes::len).sum(),
            chunks,
            _permit: permit,
        }
    }

    /// The length of the JSON in bytes.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// The chunk at `index`, which shares its memory with the list; `None` after the last one.
    pub(super) fn chunk(&self, index: usize) -> Option<Bytes> {
        self.chunks.get(index).cloned()
    }
}
