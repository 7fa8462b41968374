//! Which games and creators have changed. Boards are sorted every few seconds; a reader asks for the listings that have changed since.

use std::ops::Bound;
use std::sync::Arc;

use imbl::OrdSet;

use crate::domain::rankings::BoardKind;

/// The position of the last change of a listing on the feed of listings-svc, its kind, and its slug or handle.
pub(super) type ListingChange = (i64, BoardKind, Arc<str>);

/// The listings of a mode that have changed since the index was built, each once, in the order of their last changes. Copies share what they
/// have in common.
#[derive(Debug, Clone, Default)]
pub struct ChangeLog(OrdSet<ListingChange>);

impl ChangeLog {
    /// The kinds and addresses of the listings that have changed after the change `seq`.
    pub fn since(&self, seq: i64) -> impl Iterator<Item = (BoardKind, &Arc<str>)> {
        // Less than every listing of a later change.
        let first = (seq.saturating_add(1), BoardKind::Games, Arc::from(""));
        let changes = self.0.range((Bound::Included(first), Bound::Unbounded));
        changes.map(|(_, kind, address)| (*kind, address))
    }

    pub(super) fn insert(&mut self, change: ListingChange) {
        self.0.insert(change);
    }

    pub(super) fn remove(&mut self, change: &ListingChange) {
        self.0.remove(change);
    }
}
