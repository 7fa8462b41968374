//! The ranks of listings in the snapshot before the latest (§2.5).

use std::sync::Arc;

use uuid::Uuid;

use crate::domain::rankings::{BoardKind, Window};

/// The ranks of a board in a snapshot, sorted by listing.
#[derive(Debug, Clone, Default)]
pub struct Ranks(Arc<[(Uuid, u32)]>);

impl Ranks {
    /// The ranks of listings, best first.
    pub fn of(order: Vec<Uuid>) -> Self {
        let mut ranks: Vec<(Uuid, u32)> = order.into_iter().zip(1..).collect();
        ranks.sort_unstable();
        Self(ranks.into())
    }

    /// The rank of a listing; 0 when it was not on the board.
    pub fn get(&self, listing: Uuid) -> u32 {
        let found = self.0.binary_search_by_key(&listing, |(id, _)| *id);
        found.map_or(0, |at| self.0[at].1)
    }
}

/// The ranks of all boards.
#[derive(Debug, Clone, Default)]
pub struct PreviousRanks {
    games: [Ranks; 3],
    creators: [Ranks; 3],
}

impl PreviousRanks {
    /// The ranks of a board.
    pub fn of(&self, kind: BoardKind, window: Window) -> &Ranks {
        let boards = match kind {
            BoardKind::Games => &self.games,
            BoardKind::Creators => &self.creators,
        };
        &boards[window.index()]
    }

    /// Sets the ranks of a board.
    pub fn set(&mut self, kind: BoardKind, window: Window, ranks: Ranks) {
        let boards = match kind {
            BoardKind::Games => &mut self.games,
            BoardKind::Creators => &mut self.creators,
        };
        boards[window.index()] = ranks;
    }
}
