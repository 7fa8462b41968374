//! Games.

use std::sync::Arc;

use contracts::listings::v1 as listings;
use uuid::Uuid;

use super::Writer;
use crate::domain::listing::{Mode, State};
use crate::feeds::entity::Header;
use crate::index::games::Game;

/// What is remembered of a game, public or not: it becomes public when its page does.
#[derive(Debug)]
pub(super) struct Held {
    mode: Mode,
    published: bool,
    page: Uuid,
    /// Shared with the shelf when the game is public; else rendered with the maker it had last, or none.
    pub(super) row: Arc<Game>,
}

impl Writer {
    /// Remembers a game.
    pub(super) fn hold_game(
        &mut self,
        header: &Header,
        game: listings::Game,
    ) -> anyhow::Result<()> {
        let page: Uuid = game.page_id.parse()?;
        let under = self.pages.entry(page).or_default();
        if let Err(place) = under.games.binary_search(&header.id) {
            under.games.insert(place, header.id);
        }
        let maker = under.maker().cloned().unwrap_or_default();
        let genres = game.genres.iter();
        let genres = genres.map(|key| self.snapshot.genres.note(key)).collect();
        let new = Held {
            mode: header.mode,
            published: header.state == State::Published,
            page,
            row: Arc::new(Game::new(game, genres, maker)?),
        };
        let stays = (new.mode, Arc::clone(&new.row.key.slug));
        let Some(old) = self.games.insert(header.id, new) else {
            return Ok(());
        };
        self.cities.touch(old.mode, &old.row.maker);
        if old.page != page
            && let Some(left) = self.pages.get_mut(&old.page)
        {
            left.games.retain(|id| *id != header.id);
        }
        if stays != (old.mode, Arc::clone(&old.row.key.slug)) {
            let games = &mut self.snapshot.dataset_mut(old.mode).games;
            games.remove(&old.row.key.slug)?;
        }
        Ok(())
    }

    /// Puts a game on its shelf as it is now, or takes it off.
    pub(super) fn list_game(&mut self, id: Uuid) -> anyhow::Result<()> {
        let Some(held) = self.games.get_mut(&id) else {
            return Ok(());
        };
        self.cities.touch(held.mode, &held.row.maker);
        let page = self.pages.get(&held.page).filter(|_| held.published);
        let games = &mut self.snapshot.dataset_mut(held.mode).games;
        let Some(maker) = page.and_then(|page| page.maker()) else {
            return games.remove(&held.row.key.slug);
        };
        if held.row.maker != *maker {
            held.row = Arc::new(held.row.with_maker(Arc::clone(maker))?);
            self.cities.touch(held.mode, maker);
        }
        games.put(Arc::clone(&held.row))
    }
}
