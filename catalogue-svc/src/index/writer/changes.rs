//! The change logs: the last change of each listing, public or not any more.
//!
//! The last change of a listing follows from its last state and that of its page. A replica that was just started therefore has the same
//! change log as one that has followed all along.

use std::sync::Arc;

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use uuid::Uuid;

use super::IndexWriter;
use super::games::GameState;
use crate::domain::changes::{LastChange, ListingKind};
use crate::domain::listing::Mode;
use crate::index::changes::{ChangeLog, ChangedRow, ListingChange};
use crate::index::document::Document;

/// The last change of a listing, and the dataset of the listing.
pub(super) type DatasetChange = (Mode, ListingChange);

impl IndexWriter {
    /// The last change of a page; `None` if the page was never public.
    pub(super) fn page_change(&self, id: Uuid) -> Option<DatasetChange> {
        let page = self.pages.get(&id)?;
        let state = page.state.as_ref()?;
        let row = page.creator.as_ref().map(|(_, row)| Arc::clone(row));
        let changed = listing_change(state.last_change, ListingKind::Creators, &state.handle, row);
        Some((state.mode, changed?))
    }

    /// The last change of a game.
    pub(super) fn game_change(&self, id: Uuid) -> Option<DatasetChange> {
        self.change_of_game_state(self.games.get(&id)?)
    }

    fn change_of_game_state(&self, held: &GameState) -> Option<DatasetChange> {
        let page = self.pages.get(&held.page);
        let last_change = match page.and_then(|page| page.state.as_ref()) {
            Some(page) => held.last_change.under(page.last_change),
            None => held.last_change,
        };
        let changed = listing_change(
            last_change,
            ListingKind::Games,
            &held.game.key.slug,
            held.listed.then(|| Arc::clone(&held.game)),
        );
        Some((held.mode, changed?))
    }

    /// The last change of an event.
    pub(super) fn event_change(&self, id: Uuid) -> Option<DatasetChange> {
        let held = self.events.get(&id)?;
        let changed = listing_change(
            held.last_change,
            ListingKind::Events,
            &held.slug,
            held.event.clone(),
        );
        Some((held.mode, changed?))
    }

    /// The last changes of a page and of its games, which change with the page.
    pub(super) fn page_and_game_changes(&self, id: Uuid) -> Vec<DatasetChange> {
        let games = self.pages.get(&id).map(|page| page.games.iter());
        let games = games.into_iter().flatten();
        let games = games.filter_map(|game| self.game_change(*game));
        self.page_change(id).into_iter().chain(games).collect()
    }

    /// Replaces last changes of listings by later ones.
    pub(super) fn update_changes(
        &mut self,
        before: impl IntoIterator<Item = DatasetChange>,
        after: impl IntoIterator<Item = DatasetChange>,
    ) {
        for (mode, changed) in before {
            self.snapshot.dataset_mut(mode).changes.remove(&changed);
        }
        for (mode, changed) in after {
            self.snapshot.dataset_mut(mode).changes.insert(changed);
        }
    }

    /// Builds the change logs from the last change of every listing.
    pub(super) fn build_changes(&mut self) {
        let pages = self.pages.keys().filter_map(|id| self.page_change(*id));
        let games = self.games.par_iter();
        let games = games.filter_map(|(_, game)| self.change_of_game_state(game));
        let games: Vec<DatasetChange> = games.collect();
        let events = self.events.keys().filter_map(|id| self.event_change(*id));
        let (mut live, mut test) = (Vec::new(), Vec::new());
        for (mode, changed) in pages.chain(games).chain(events) {
            match mode {
                Mode::Live => live.push(changed),
                Mode::Test => test.push(changed),
            }
        }
        for (mode, changed) in [(Mode::Live, live), (Mode::Test, test)] {
            self.snapshot.dataset_mut(mode).changes = ChangeLog::build(changed);
        }
    }
}

/// The last change of a listing: its current row, or its removal if it was public once.
fn listing_change<L: Document + 'static>(
    last_change: LastChange,
    kind: ListingKind,
    address: &Arc<str>,
    row: Option<Arc<L>>,
) -> Option<ListingChange> {
    (row.is_some() || last_change.was_visible).then(|| ListingChange {
        seq: last_change.seq,
        kind,
        address: Arc::clone(address),
        row: row.map(|row| ChangedRow {
            is_edited: last_change.is_edited,
            row,
        }),
    })
}
