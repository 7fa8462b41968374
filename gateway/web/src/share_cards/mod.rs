//! Share cards: pictures of 1200 × 630 pixels with which networks show a link. They are drawn once, and stored in a folder.

mod drawing;
mod font;
mod store;
mod wrap;

use std::path::Path;

use kit::overload::ConcurrencyLimit;
use tokio::sync::{Mutex, MutexGuard};

pub(crate) use self::drawing::{PictureShape, SIZE, Words, draw};
use self::store::CardStore;

/// Cards that are drawn at once. Each takes some 50 ms of a core, and 10 MB.
const DRAWN_AT_ONCE: usize = 2;
/// Further cards that may wait.
const WAITING: usize = 32;
/// Cards whose first request is drawn while the others wait for it.
const LOCKS: usize = 64;

/// The cards of this process.
pub struct ShareCards {
    pub(crate) store: CardStore,
    pub(crate) drawing: ConcurrencyLimit,
    /// Locks by key, so that only one of the requests for a card draws it.
    locks: [Mutex<()>; LOCKS],
}

impl ShareCards {
    /// Stores up to `most` bytes in the folder, or in a temporary one.
    ///
    /// # Errors
    /// The folder cannot be opened.
    pub fn new(folder: Option<&Path>, most: u64) -> anyhow::Result<Self> {
        Ok(Self {
            store: CardStore::open(folder, most)?,
            drawing: ConcurrencyLimit::with_queue("share cards", DRAWN_AT_ONCE, WAITING),
            locks: std::array::from_fn(|_| Mutex::new(())),
        })
    }

    /// The lock of a card.
    pub(crate) async fn lock(&self, key: &str) -> MutexGuard<'_, ()> {
        let place = key
            .bytes()
            .fold(0, |sum: usize, byte| sum * 31 % LOCKS + usize::from(byte));
        self.locks[place % LOCKS].lock().await
    }
}
