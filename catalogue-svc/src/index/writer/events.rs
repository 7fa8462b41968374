//! Events.

use std::sync::Arc;

use super::{IndexWriter, Listed};
use crate::domain::changes::LastChange;
use crate::domain::listing::{Header, Mode};
use crate::index::events::Event;

/// The state of an event, public or not.
#[derive(Debug)]
pub(super) struct EventState {
    pub(super) mode: Mode,
    pub(super) last_change: LastChange,
    pub(super) slug: Arc<str>,
    /// `Some` if it is public.
    pub(super) event: Option<Arc<Event>>,
}

impl EventState {
    pub(super) fn listed(&self) -> Option<Listed<Event>> {
        let event = self.event.as_ref()?;
        Some((self.mode, Arc::clone(event)))
    }
}

impl IndexWriter {
    /// Updates the row of an event in the index.
    pub(super) fn apply_event(&mut self, header: Header, event: Arc<Event>) {
        let old = self.insert_event(header, event);
        let new = self.events.get(&header.id).and_then(EventState::listed);
        self.replace(|dataset| &mut dataset.events, old, new);
    }

    /// Stores an event without touching the index. Returns the row that was public.
    pub(super) fn insert_event(
        &mut self,
        header: Header,
        event: Arc<Event>,
    ) -> Option<Listed<Event>> {
        let held = EventState {
            mode: header.mode,
            last_change: header.last_change,
            slug: Arc::clone(&event.key.slug),
            event: header.visible.then_some(event),
        };
        self.events.insert(header.id, held)?.listed()
    }
}
