//! Share cards: pictures of 1200 × 630 pixels with which networks show a link. They are drawn when they are first asked for, as SVG that
//! [`resvg`] shapes, orders and paints.

mod drawing;
mod font;
mod wrap;

use axum::body::Bytes;
use kit::overload::ConcurrencyLimit;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

pub(crate) use self::drawing::{PictureShape, SIZE, Words, draw};

/// Cards that are drawn at once. Each takes some 50 ms of a core, more with a drawing, and 10 MB.
const DRAWN_AT_ONCE: usize = 2;
/// Further cards that may wait.
const WAITING: usize = 32;
/// Bytes of the cards in memory. Each has some 100 KB.
const MAX_BYTES: u64 = 64_000_000;
const EXPECTED_CARDS: usize = 640;

/// The cards of this process.
pub struct ShareCards {
    /// By the hash of their content. Only one of the requests for a card draws it.
    pub(crate) drawn: Cache<String, Bytes, CardSize>,
    pub(crate) drawing: ConcurrencyLimit,
}

#[derive(Clone)]
pub(crate) struct CardSize;

impl Weighter<String, Bytes> for CardSize {
    fn weight(&self, key: &String, card: &Bytes) -> u64 {
        u64::try_from(key.len() + card.len()).unwrap_or(u64::MAX)
    }
}

impl Default for ShareCards {
    fn default() -> Self {
        Self {
            drawn: Cache::with_weighter(EXPECTED_CARDS, MAX_BYTES, CardSize),
            drawing: ConcurrencyLimit::with_queue("share cards", DRAWN_AT_ONCE, WAITING),
        }
    }
}
