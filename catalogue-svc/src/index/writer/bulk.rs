//! Builds the writer and its indexes whole: at a start, and at the end of a rebuild.

use std::sync::Arc;

use kit::feed::Position;
use rayon::iter::{IntoParallelRefMutIterator as _, ParallelIterator as _};

use super::{IndexWriter, Listed};
use crate::index::document::Document;
use crate::index::entity::Entity;
use crate::index::games::Game;
use crate::index::list::Index;
use crate::index::snapshot::Dataset;
use kit::Mode;

impl IndexWriter {
    /// Indexes all entities that were stored, whose last change is that at `position`. It uses all processors.
    ///
    /// # Errors
    /// The words cannot be indexed, or a city cannot be rendered.
    pub fn index_all(mut self, position: Position) -> anyhow::Result<Self> {
        self.snapshot.position = position;
        self.pack();
        let pages = self.pages.values();
        let creators: Vec<_> = pages.filter_map(|page| page.creator.clone()).collect();
        let events = self.events.values().cloned().collect();
        let games = self.list_all_games();
        self.index(creators, |dataset| &mut dataset.creators)?;
        self.index(games, |dataset| &mut dataset.games)?;
        self.index(events, |dataset| &mut dataset.events)?;
        self.flush(position.seq)?;
        Ok(self)
    }

    /// Stores an entity, or a later state of one, without touching the index.
    pub fn store(&mut self, entity: Entity) {
        match entity {
            Entity::Page(id, page) => {
                self.insert_page(id, page);
            }
            Entity::Game(id, game) => {
                self.insert_game(id, game);
            }
            Entity::Event(id, event) => {
                self.insert_event(id, event);
            }
        }
    }

    /// Shrinks collections that will hardly grow. A tree that is built from sorted items has full nodes.
    fn pack(&mut self) {
        for page in self.pages.values_mut() {
            page.games.shrink_to_fit();
        }
        self.pages = std::mem::take(&mut self.pages).into_iter().collect();
        self.games = std::mem::take(&mut self.games).into_iter().collect();
        self.events = std::mem::take(&mut self.events).into_iter().collect();
    }

    /// The rows of all public games, with the fields of their creators. Marks these games as listed.
    fn list_all_games(&mut self) -> Vec<Listed<Game>> {
        let pages = &self.pages;
        let listed = self.games.par_iter_mut().filter_map(|(_, held)| {
            let summary = pages.get(&held.page)?.summary()?;
            Arc::make_mut(&mut held.game).creator = Arc::clone(summary);
            held.listed = true;
            Some((held.mode, Arc::clone(&held.game)))
        });
        listed.collect()
    }

    fn index<L: Document>(
        &mut self,
        rows: Vec<Listed<L>>,
        index: impl Fn(&mut Dataset) -> &mut Index<L>,
    ) -> anyhow::Result<()> {
        let (live, test): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|(mode, _)| *mode == Mode::Live);
        for (mode, rows) in [(Mode::Live, live), (Mode::Test, test)] {
            let rows = rows.into_iter().map(|(_, row)| row).collect();
            *index(self.snapshot.dataset_mut(mode)) = Index::build(rows)?;
        }
        Ok(())
    }
}
