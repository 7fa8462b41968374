//! Games.

use std::sync::Arc;

use uuid::Uuid;

use super::{IndexWriter, Listed};
use crate::domain::changes::LastChange;
use crate::domain::listing::{Header, Mode};
use crate::index::entity::NewGame;
use crate::index::games::Game;

/// The state of a game, public or not: it becomes public when its page does.
#[derive(Debug)]
pub(super) struct GameState {
    pub(super) mode: Mode,
    pub(super) visible: bool,
    pub(super) last_change: LastChange,
    pub(super) page: Uuid,
    /// Shared with the index when the game is public; else with the creator it had last, or none.
    pub(super) game: Arc<Game>,
    /// Whether it is in the index, as it is here.
    pub(super) listed: bool,
}

impl IndexWriter {
    /// Lists a game as it is now.
    pub(super) fn apply_game(&mut self, header: Header, game: NewGame) {
        let was = self.insert_game(header, game);
        if let Some((mode, game)) = &was {
            self.cities.mark_changed(*mode, &game.creator);
        }
        self.show_game(header.id, was);
    }

    /// Takes in a game without listing it; returns the row that is in the index.
    pub(super) fn insert_game(&mut self, header: Header, new: NewGame) -> Option<Listed<Game>> {
        let page = self.pages.entry(new.page).or_default();
        if let Err(at) = page.games.binary_search(&header.id) {
            page.games.insert(at, header.id);
        }
        let genres = new.genres.iter();
        let genres = genres.map(|key| self.snapshot.genres.intern(key));
        let held = GameState {
            mode: header.mode,
            visible: header.visible,
            last_change: header.last_change,
            page: new.page,
            game: Arc::new(new.game.with_genres(genres)),
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

    /// Lists a game whose page changed, or removes it from the index.
    pub(super) fn list_game(&mut self, id: Uuid) {
        let Some(held) = self.games.get(&id) else {
            return;
        };
        let was = held.listed.then(|| (held.mode, Arc::clone(&held.game)));
        if let Some((mode, game)) = &was {
            self.cities.mark_changed(*mode, &game.creator);
        }
        self.show_game(id, was);
    }

    /// Replaces the row that `was` in the index by the new one, if the game is public now.
    fn show_game(&mut self, id: Uuid, was: Option<Listed<Game>>) {
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
        let is = held.listed.then(|| (held.mode, Arc::clone(&held.game)));
        if let Some((mode, game)) = &is {
            self.cities.mark_changed(*mode, &game.creator);
        }
        self.replace(|dataset| &mut dataset.games, was, is);
    }
}
