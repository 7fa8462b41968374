//! Rows that were replaced in the indexes, for the ranking boards.

use super::Listed;
use crate::domain::listing::Mode;
use crate::index::creators::Creator;
use crate::index::games::Game;

/// A row, and the one that took its place; either may be missing, but not both.
type Replaced<L> = (Option<Listed<L>>, Option<Listed<L>>);

/// Replaced rows in the order of their changes: the old row and the new one.
#[derive(Debug, Default)]
pub struct ReplacedRows {
    /// Games.
    pub games: Vec<Replaced<Game>>,
    /// Creators.
    pub creators: Vec<Replaced<Creator>>,
}

impl ReplacedRows {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.games.is_empty() && self.creators.is_empty()
    }

    /// Whether a row of this mode changed.
    pub fn is_in(&self, mode: Mode) -> bool {
        let games = self.games.iter().flat_map(modes);
        let creators = self.creators.iter().flat_map(modes);
        games.chain(creators).any(|one| one == Some(mode))
    }
}

/// Records that a row replaced another.
pub(super) fn record<L>(
    replaced: &mut Vec<Replaced<L>>,
    old: Option<&Listed<L>>,
    new: Option<&Listed<L>>,
) {
    if old.is_some() || new.is_some() {
        replaced.push((old.cloned(), new.cloned()));
    }
}

fn modes<L>((old, new): &Replaced<L>) -> [Option<Mode>; 2] {
    [old, new].map(|listed| listed.as_ref().map(|(mode, _)| *mode))
}
