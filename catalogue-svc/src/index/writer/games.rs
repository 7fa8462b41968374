//! Games.

use std::sync::Arc;

use uuid::Uuid;

use super::{IndexWriter, Listed};
use crate::domain::listing::{Header, Mode};
use crate::index::entity::NewGame;
use crate::index::games::Game;

/// The state of a game, public or not: it becomes public when its page does.
#[derive(Debug)]
pub(super) struct GameState {
    pub(super) mode: Mode,
    pub(super) visible: bool,
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
    pub(super) fn apply_game(&mut self, header: Header, game: NewGame) {
        let old = self.insert_game(header, game);
        self.replace_game(header.id, old);
    }

    /// Stores a game without touching the index. Returns the row that is in the index.
    pub(super) fn insert_game(&mut self, header: Header, new: NewGame) -> Option<Listed<Game>> {
        let page = self.pages.entry(new.page).or_default();
        if let Err(at) = page.games.binary_search(&header.id) {
            page.games.insert(at, header.id);
        }
        let held = GameState {
            mode: header.mode,
            visible: header.visible,
            page: new.page,
            game: Arc::new(new.game),
            listed: false,
        };
        let old = self.games.insert(header.id, held)?;
        if old.page != new.page
            && let Some(left) = self.pages.get_mut(&old.page)
        {
            left.games.retain(|id| *id != header.id);
        }
        old.listed.then_some((old.mode, old.game))
    }

    /// Updates the row of a game whose page changed.
    pub(super) fn update_game(&mut self, id: Uuid) {
        let old = self.games.get(&id).and_then(GameState::listed);
        self.replace_game(id, old);
    }

    /// Replaces the row `old` of a game by its new row, if the game is public now.
    fn replace_game(&mut self, id: Uuid, old: Option<Listed<Game>>) {
        let Some(held) = self.games.get_mut(&id) else {
            return;
        };
        let page = self.pages.get(&held.page).filter(|_| held.visible);
        let summary = page.and_then(|page| page.summary());
        if let Some(summary) = summary
            && held.game.creator != *summary
        {
            held.game = Arc::new(held.game.with_creator(summary));
        }
        held.listed = summary.is_some();
        let new = held.listed();
        for (mode, game) in [&old, &new].into_iter().flatten() {
            self.cities.mark_changed(*mode, &game.creator);
        }
        self.replace(|dataset| &mut dataset.games, old, new);
    }
}
