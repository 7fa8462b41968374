//! The ranks of listings on a board.

use std::collections::HashMap;
use std::sync::Arc;

use uuid::Uuid;

use super::rankings::{BoardKind, Window};

/// The ranks of a board. A clone shares them.
#[derive(Debug, Clone, Default)]
pub struct Ranks(Arc<HashMap<Uuid, u32>>);

impl Ranks {
    /// The ranks of listings, best first.
    pub fn new(order: &[Uuid]) -> Self {
        Self(Arc::new(order.iter().copied().zip(1..).collect()))
    }

    /// The rank of a listing; 0 when it is not on the board.
    pub fn get(&self, listing: &Uuid) -> u32 {
        self.0.get(listing).copied().unwrap_or_default()
    }
}

/// The ranks of all boards in the board snapshot before the latest (§2.5).
#[derive(Debug, Clone, Default)]
#[expect(clippy::module_name_repetitions, reason = "`Previous` alone does not say what")]
pub struct PreviousRanks(HashMap<(BoardKind, Window), Ranks>);

impl PreviousRanks {
    pub fn get(&self, kind: BoardKind, window: Window) -> Ranks {
        self.0.get(&(kind, window)).cloned().unwrap_or_default()
    }

    pub fn insert(&mut self, kind: BoardKind, window: Window, ranks: Ranks) {
        self.0.insert((kind, window), ranks);
    }
}
