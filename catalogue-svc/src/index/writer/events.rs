//! Events.

use uuid::Uuid;

use super::{IndexWriter, Listed};
use crate::index::events::Event;

impl IndexWriter {
    /// Updates the row of an event in the index.
    pub(super) fn apply_event(&mut self, id: Uuid, new: Option<Listed<Event>>) {
        let old = self.insert_event(id, new.clone());
        self.replace(|dataset| &mut dataset.events, old, new);
    }

    /// Stores an event without touching the index. Returns the row that was public.
    pub(super) fn insert_event(
        &mut self,
        id: Uuid,
        new: Option<Listed<Event>>,
    ) -> Option<Listed<Event>> {
        match new {
            Some(event) => self.events.insert(id, event),
            None => self.events.remove(&id),
        }
    }
}
