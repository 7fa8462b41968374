//! The lists of all rates that are streamed. The rates of a thousand currencies take some 160 MB and change with every report: slow readers of
//! many versions would fill the memory. The oldest lists are therefore withdrawn from their readers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;
use kit::Fault;

/// How many lists are held besides the newest one, while they are read.
const OLDER_LISTS: usize = 6;

/// A JSON list of rates, in chunks. Its readers share it.
#[derive(Debug)]
pub(super) struct RateList {
    length: usize,
    /// `None`: it was withdrawn.
    chunks: Mutex<Option<Arc<[Bytes]>>>,
}

impl RateList {
    pub(super) fn new(chunks: Arc<[Bytes]>) -> Self {
        Self {
            length: chunks.iter().map(Bytes::len).sum(),
            chunks: Mutex::new(Some(chunks)),
        }
    }

    /// Bytes.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// The chunk at `index`, which shares its memory with the list; `None` after the last one.
    ///
    /// # Errors
    /// `unavailable`: the list was withdrawn.
    pub(super) fn chunk(&self, index: usize) -> Result<Option<Bytes>, Fault> {
        let chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        let chunks = chunks
            .as_ref()
            .ok_or_else(|| Fault::unavailable("a version of the rates that was read too slowly"))?;
        Ok(chunks.get(index).cloned())
    }

    /// Frees the memory, even if a reader never asks for the next chunk.
    fn withdraw(&self) {
        *self.chunks.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The lists of the present and of earlier versions that are still read, the newest last.
#[derive(Debug, Default)]
pub(super) struct CurrentLists(Mutex<VecDeque<Weak<RateList>>>);

impl CurrentLists {
    /// Adds the newest list, and withdraws the oldest one of too many.
    pub(super) fn add(&self, list: &Arc<RateList>) {
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lists.retain(|list| list.strong_count() > 0);
        lists.push_back(Arc::downgrade(list));
        while lists.len() > OLDER_LISTS + 1 {
            if let Some(oldest) = lists.pop_front().and_then(|list| list.upgrade()) {
                tracing::warn!("the rates of an old version are withdrawn from slow readers");
                oldest.withdraw();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_lists_that_are_still_read_are_freed() {
        let lists = CurrentLists::default();
        let (mut held, mut memory) = (Vec::new(), Vec::new());
        for _ in 0..30 {
            let chunks: Arc<[Bytes]> = Arc::new([Bytes::from_static(b"[]")]);
            memory.push(Arc::downgrade(&chunks));
            held.push(Arc::new(RateList::new(chunks)));
            lists.add(&held[held.len() - 1]);
        }
        let alive = memory.iter().map(|chunks| chunks.strong_count() > 0);
        let expected = (0..30).map(|at| at >= 30 - 1 - OLDER_LISTS);
        assert!(alive.eq(expected));
        assert!(held[0].chunk(0).is_err());
        assert_eq!(held[29].chunk(0).unwrap().unwrap(), "[]");
        assert_eq!(held[29].chunk(1).unwrap(), None);
    }

    #[test]
    fn a_list_that_nobody_reads_counts_no_more() {
        let lists = CurrentLists::default();
        let list = || Arc::new(RateList::new(Arc::new([])));
        let first = list();
        lists.add(&first);
        for _ in 0..30 {
            lists.add(&list());
        }
        assert!(first.chunk(0).is_ok());
    }
}
