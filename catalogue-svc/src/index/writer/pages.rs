//! Pages: creators, to the public.

use std::sync::Arc;

use uuid::Uuid;

use super::{IndexWriter, Listed};
use crate::domain::changes::LastChange;
use crate::domain::listing::{Header, Mode};
use crate::index::creators::{Creator, CreatorSummary};

/// A page and the ids of its games. A game may arrive before its page.
#[derive(Debug, Default)]
pub(super) struct PageEntry {
    /// `None` while only games of it have arrived.
    pub(super) known: Option<PageState>,
    /// Only when it is published.
    pub(super) creator: Option<Listed<Creator>>,
    /// In the order of their ids.
    pub(super) games: Vec<Uuid>,
}

/// The state of a page, public or not.
#[derive(Debug)]
pub(super) struct PageState {
    pub(super) mode: Mode,
    pub(super) handle: Arc<str>,
    pub(super) last_change: LastChange,
}

impl PageEntry {
    /// What its games show of it; `None` when they are not public.
    pub(super) fn summary(&self) -> Option<&Arc<CreatorSummary>> {
        Some(&self.creator.as_ref()?.1.summary)
    }
}

impl IndexWriter {
    /// Lists a page as it is now; says whether its games show anything else now.
    pub(super) fn apply_page(&mut self, header: Header, creator: Arc<Creator>) -> bool {
        let (old, new) = self.insert_page(header, creator);
        let summary = |page: &Option<Listed<Creator>>| {
            let page = page.as_ref();
            page.map(|(_, creator)| Arc::clone(&creator.summary))
        };
        let changes_games = summary(&old) != summary(&new);
        self.replace(|dataset| &mut dataset.creators, old, new);
        changes_games
    }

    /// Takes in a page; returns the creator that was public before, and the one that is public now.
    pub(super) fn insert_page(
        &mut self,
        header: Header,
        creator: Arc<Creator>,
    ) -> (Option<Listed<Creator>>, Option<Listed<Creator>>) {
        let known = PageState {
            mode: header.mode,
            handle: Arc::clone(&creator.key.handle),
            last_change: header.last_change,
        };
        let new = header.visible.then_some((header.mode, creator));
        let page = self.pages.entry(header.id).or_default();
        page.known = Some(known);
        let old = std::mem::replace(&mut page.creator, new.clone());
        if let Some((mode, creator)) = &old {
            self.cities.remove_creator(*mode, &creator.summary);
        }
        if let Some((mode, creator)) = &new {
            self.cities.add_creator(*mode, &creator.summary);
        }
        (old, new)
    }

    /// A page changed: its games show its name and place, and are public only while it is.
    pub(super) fn list_games_of(&mut self, id: Uuid) {
        let games = self.pages.get(&id).map(|page| page.games.clone());
        for game in games.unwrap_or_default() {
            self.list_game(game);
        }
    }
}
