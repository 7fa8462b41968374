//! Events.

use std::sync::Arc;

use contracts::listings::v1 as listings;
use uuid::Uuid;

use super::{Writer, left_behind};
use crate::domain::listing::State;
use crate::feeds::entity::Header;
use crate::index::events::Event;

impl Writer {
    /// Remembers an event, if it is public.
    pub(super) fn hold_event(
        &mut self,
        header: &Header,
        event: listings::Event,
    ) -> anyhow::Result<()> {
        let old = self.events.remove(&header.id);
        if header.state == State::Published {
            let new = (header.mode, Arc::new(Event::new(event)?));
            self.events.insert(header.id, new);
        }
        if let Some((mode, slug)) = left_behind(old.as_ref(), self.events.get(&header.id)) {
            self.snapshot.dataset_mut(mode).events.remove(slug)?;
        }
        Ok(())
    }

    /// Puts an event on its shelf as it is now, if it is public.
    pub(super) fn list_event(&mut self, id: Uuid) -> anyhow::Result<()> {
        match self.events.get(&id) {
            Some((mode, event)) => self
                .snapshot
                .dataset_mut(*mode)
                .events
                .put(Arc::clone(event)),
            None => Ok(()),
        }
    }
}
