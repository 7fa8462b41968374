//! Events.

use std::sync::Arc;

use super::{IndexWriter, Listed};
use crate::domain::listing::Header;
use crate::index::events::Event;

impl IndexWriter {
    /// Updates the row of an event in the index.
    pub(super) fn apply_event(&mut self, header: Header, event: Arc<Event>) {
        let old = self.insert_event(header, event);
        let new = self.events.get(&header.id).cloned();
        self.replace(|dataset| &mut dataset.events, old, new);
    }

    /// Stores an event without touching the index. Returns the row that was public.
    pub(super) fn insert_event(
        &mut self,
        header: Header,
        event: Arc<Event>,
    ) -> Option<Listed<Event>> {
        if header.visible {
            self.events.insert(header.id, (header.mode, event))
        } else {
            self.events.remove(&header.id)
        }
    }
}
