//! Pages, which the public calls creators.

use std::sync::Arc;

use uuid::Uuid;

use super::{IndexWriter, Listed};
use crate::index::creators::{Creator, CreatorSummary};

/// A page and the ids of its games. A game may arrive before its page.
#[derive(Debug, Default)]
pub(super) struct PageEntry {
    /// `Some` if it is public.
    pub(super) creator: Option<Listed<Creator>>,
    /// The ids of its games, in ascending order.
    pub(super) games: Vec<Uuid>,
}

impl PageEntry {
    /// The fields that its games show of it, if it is public; otherwise its games are not public either.
    pub(super) fn summary(&self) -> Option<&Arc<CreatorSummary>> {
        Some(&self.creator.as_ref()?.1.summary)
    }
}

impl IndexWriter {
    /// Updates the row of a page in the index. Returns whether the fields that its games show have changed.
    pub(super) fn apply_page(&mut self, id: Uuid, new: Option<Listed<Creator>>) -> bool {
        let old = self.insert_page(id, new.clone());
        let summary = |page: &Option<Listed<Creator>>| {
            let page = page.as_ref();
            page.map(|(_, creator)| Arc::clone(&creator.summary))
        };
        let changes_games = summary(&old) != summary(&new);
        self.replace(|dataset| &mut dataset.creators, old, new);
        changes_games
    }

    /// Stores a page without touching the index. Returns the row that was public.
    pub(super) fn insert_page(
        &mut self,
        id: Uuid,
        new: Option<Listed<Creator>>,
    ) -> Option<Listed<Creator>> {
        let page = self.pages.entry(id).or_default();
        let old = std::mem::replace(&mut page.creator, new);
        for (mode, creator) in old.iter().chain(&page.creator) {
            self.cities.mark_changed(*mode, &creator.summary);
        }
        old
    }

    /// Updates the rows of a page's games, which show its name and place and are public only while it is.
    pub(super) fn update_games_of(&mut self, id: Uuid) {
        let games = self.pages.get(&id).map(|page| page.games.clone());
        for game in games.unwrap_or_default() {
            self.update_game(game);
        }
    }
}
