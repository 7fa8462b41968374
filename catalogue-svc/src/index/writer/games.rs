//! Games.

use std::sync::Arc;

use uuid::Uuid;

use super::pages::PageEntry;
use super::{IndexWriter, Listed};
use crate::index::entity::NewGame;
use crate::index::games::Game;
use kit::Mode;

/// A game that is public as soon as its page is: on the feed, a game may come before its page.
#[derive(Debug)]
pub(super) struct GameState {
    pub(super) mode: Mode,
    pub(super) page: Uuid,
    /// If the game is public, the row of the index; otherwise a row with the creator that it showed last, if any.
    pub(super) game: Arc<Game>,
    /// Whether `game` is in the index.
    pub(super) listed: bool,
}

impl GameState {
    /// Its row in the index.
    fn listed(&self) -> Option<Listed<Game>> {
        self.listed.then(|| (self.mode, Arc::clone(&self.game)))
    }
}

impl IndexWriter {
    /// Updates the row of a game in the index.
    pub(super) fn apply_game(&mut self, id: Uuid, new: Option<(Mode, Box<NewGame>)>) {
        let old = self.insert_game(id, new);
        self.replace_game(id, old);
    }

    /// Stores a game without touching the index, or removes one that is hidden. Returns the row that is in the index.
    pub(super) fn insert_game(
        &mut self,
        id: Uuid,
        new: Option<(Mode, Box<NewGame>)>,
    ) -> Option<Listed<Game>> {
        let old = self.games.remove(&id);
        let page = new.as_ref().map(|(_, new)| new.page);
        if let Some(old) = &old
            && page != Some(old.page)
            && let Some(left) = self.pages.get_mut(&old.page)
        {
            left.games.retain(|game| *game != id);
        }
        if let Some((mode, new)) = new {
            let page = self.pages.entry(new.page).or_default();
            if let Err(at) = page.games.binary_search(&id) {
                page.games.insert(at, id);
            }
            let held = GameState { mode, page: new.page, game: Arc::new(new.game), listed: false };
            self.games.insert(id, held);
        }
        old?.listed()
    }

    /// Updates the row of a game whose page changed.
    pub(super) fn update_game(&mut self, id: Uuid) {
        let old = self.games.get(&id).and_then(GameState::listed);
        self.replace_game(id, old);
    }

    /// Replaces the row `old` of a game by its new row, if the game is public now.
    fn replace_game(&mut self, id: Uuid, old: Option<Listed<Game>>) {
        let new = self.games.get_mut(&id).and_then(|held| {
            let summary = self.pages.get(&held.page).and_then(PageEntry::summary);
            if let Some(summary) = summary
                && held.game.creator != *summary
            {
                Arc::make_mut(&mut held.game).creator = Arc::clone(summary);
            }
            held.listed = summary.is_some();
            held.listed()
        });
        for (mode, game) in [&old, &new].into_iter().flatten() {
            self.cities.mark_changed(*mode, &game.creator);
        }
        self.replace(|dataset| &mut dataset.games, old, new);
    }
}
