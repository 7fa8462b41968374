//! The listings that are or were public, in the order of their last changes.

use std::cmp::Ordering;
use std::iter;
use std::ops::Bound;
use std::sync::Arc;

use imbl::OrdSet;

use super::document::PublicRow;
use super::rendered::Rendered;
use crate::domain::changes::{BEFORE_ALL, ListingKind, MirrorCursor};

/// The last change of each listing of a mode. Copies share what they have in common.
#[derive(Debug, Clone, Default)]
pub struct ChangeLog {
    public: OrdSet<ListingChange>,
    removed: OrdSet<ListingChange>,
}

/// A listing after its last change. Ordered by the change, then by kind and address.
#[derive(Debug, Clone)]
pub struct ListingChange {
    /// The position of the change on the feed of listings-svc.
    pub seq: i64,
    /// The kind of the listing.
    pub kind: ListingKind,
    /// Its slug or handle.
    pub address: Arc<str>,
    /// `None`: it is not public any more.
    pub row: Option<ChangedRow>,
}

/// A changed listing that is public.
#[derive(Debug, Clone)]
pub struct ChangedRow {
    /// Whether it was edited since it was first published; a game also if its last change is an edit of its creator.
    pub is_edited: bool,
    /// Its row in the index.
    pub row: Arc<dyn PublicRow>,
}

impl ListingChange {
    /// The kind of the change (§10.15).
    pub fn change(&self) -> &'static str {
        match &self.row {
            None => "removed",
            Some(row) if row.is_edited => "updated",
            Some(_) => "published",
        }
    }

    /// Its JSON; `None` when it was removed.
    pub fn text(&self) -> Option<&Rendered> {
        self.row.as_ref().map(|changed| changed.row.rendered())
    }

    /// The cursor of a mirror that has read up to here, when its cursor was `from` before.
    pub fn cursor(&self, from: &MirrorCursor) -> MirrorCursor {
        MirrorCursor {
            epoch: from.epoch,
            began_at: from.began_at,
            seq: self.seq,
            listing: Some((self.kind, self.address.as_ref().to_owned())),
        }
    }
}

impl Ord for ListingChange {
    fn cmp(&self, other: &Self) -> Ordering {
        // One change may be of several listings: a page and its games.
        (self.seq, self.kind, &self.address).cmp(&(other.seq, other.kind, &other.address))
    }
}

impl PartialOrd for ListingChange {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for ListingChange {}

impl PartialEq for ListingChange {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl ChangeLog {
    /// A log of these changes, each of another listing.
    pub(super) fn build(mut changed: Vec<ListingChange>) -> Self {
        // Appending in order is fastest.
        changed.sort_unstable();
        let mut changes = Self::default();
        for changed in changed {
            changes.insert(changed);
        }
        changes
    }

    /// How many listings are public.
    pub fn public(&self) -> usize {
        self.public.len()
    }

    /// The newest change.
    pub fn newest(&self) -> i64 {
        let newest = [self.public.get_max(), self.removed.get_max()];
        let newest = newest.into_iter().flatten().map(|changed| changed.seq);
        newest.max().unwrap_or(BEFORE_ALL)
    }

    /// The changes that a mirror at `cursor` has not seen, in order, without removals from before the mirror began: it never had these
    /// listings.
    pub fn after(&self, cursor: &MirrorCursor) -> impl Iterator<Item = &ListingChange> {
        let mut public = self.public.range(start(cursor)).peekable();
        let of_removed = if cursor.seq <= cursor.began_at {
            after_change(cursor.began_at)
        } else {
            start(cursor)
        };
        let mut removed = self.removed.range(of_removed).peekable();
        iter::from_fn(move || match (public.peek(), removed.peek()) {
            (Some(row), Some(gone)) if gone < row => removed.next(),
            (Some(_), _) => public.next(),
            (None, _) => removed.next(),
        })
    }

    pub(super) fn insert(&mut self, changed: ListingChange) {
        self.of(&changed).insert(changed);
    }

    pub(super) fn remove(&mut self, changed: &ListingChange) {
        self.of(changed).remove(changed);
    }

    fn of(&mut self, changed: &ListingChange) -> &mut OrdSet<ListingChange> {
        match changed.row {
            Some(_) => &mut self.public,
            None => &mut self.removed,
        }
    }
}

/// The range of changes after `cursor`.
fn start(cursor: &MirrorCursor) -> (Bound<ListingChange>, Bound<ListingChange>) {
    match &cursor.listing {
        Some((kind, address)) => {
            let first = search_key(cursor.seq, *kind, address);
            (Bound::Excluded(first), Bound::Unbounded)
        }
        None => after_change(cursor.seq),
    }
}

/// The range of changes after the change `seq`.
fn after_change(seq: i64) -> (Bound<ListingChange>, Bound<ListingChange>) {
    let first = search_key(seq.saturating_add(1), ListingKind::Creators, "");
    (Bound::Included(first), Bound::Unbounded)
}

/// A key to search the ordered sets with: changes are compared by position, kind and address alone.
fn search_key(seq: i64, kind: ListingKind, address: &str) -> ListingChange {
    ListingChange {
        seq,
        kind,
        address: address.into(),
        row: None,
    }
}
