//! Pages: creators, to the public.

use std::sync::Arc;

use contracts::listings::v1 as listings;
use uuid::Uuid;

use super::{Standing, Writer, left_behind};
use crate::domain::listing::State;
use crate::feeds::entity::Header;
use crate::index::creators::{Creator, CreatorSummary};

/// What is remembered of a page. A game may be told of before its page is: then the page is unknown, and has games already.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Only when it is published.
    pub(super) creator: Option<Standing<Creator>>,
    /// In their order.
    pub(super) games: Vec<Uuid>,
}

impl Page {
    /// What its games show of it; `None` when they are not public.
    pub(super) fn maker(&self) -> Option<&Arc<CreatorSummary>> {
        Some(&self.creator.as_ref()?.1.maker)
    }
}

impl Writer {
    /// Remembers a page; says whether its games show anything else now.
    pub(super) fn hold_page(
        &mut self,
        header: &Header,
        page: listings::Page,
    ) -> anyhow::Result<bool> {
        let new = match header.state {
            State::Published => Some((header.mode, Arc::new(Creator::new(page)?))),
            State::Pending | State::Rejected | State::Removed => None,
        };
        let held = self.pages.entry(header.id).or_default();
        let old = std::mem::replace(&mut held.creator, new);
        let new = held.creator.as_ref();
        if let Some((mode, handle)) = left_behind(old.as_ref(), new) {
            self.snapshot.dataset_mut(mode).creators.remove(handle)?;
        }
        if let Some((mode, creator)) = &old {
            self.cities.leave(*mode, &creator.maker);
        }
        if let Some((mode, creator)) = new {
            self.cities.arrive(*mode, &creator.maker);
        }
        let maker = |(_, creator): &Standing<Creator>| Arc::clone(&creator.maker);
        Ok(old.as_ref().map(maker) != new.map(maker))
    }

    /// Puts a page on its shelf as it is now, if it is public.
    pub(super) fn list_page(&mut self, id: Uuid) -> anyhow::Result<()> {
        match self.pages.get(&id).and_then(|page| page.creator.as_ref()) {
            Some((mode, creator)) => {
                let creators = &mut self.snapshot.dataset_mut(*mode).creators;
                creators.put(Arc::clone(creator))
            }
            None => Ok(()),
        }
    }

    /// A page changed: its games show its name and place, and are public only while it is.
    pub(super) fn list_games_of(&mut self, id: Uuid) -> anyhow::Result<()> {
        let games = self.pages.get(&id).map(|page| page.games.clone());
        let mut games = games.unwrap_or_default().into_iter();
        games.try_for_each(|game| self.list_game(game))
    }
}
