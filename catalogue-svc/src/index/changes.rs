//! The public listings in the order in which they changed last, and those that are not public any more.

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

/// A listing as its last change has left it. In order of the change, and within one by kind and name.
#[derive(Debug, Clone)]
pub struct ListingChange {
    /// The change, on the feed of listings-svc.
    pub seq: i64,
    /// What it is.
    pub kind: ListingKind,
    /// Its slug or handle.
    pub address: Arc<str>,
    /// `None`: it is not public any more.
    pub row: Option<ChangedRow>,
}

/// A changed listing that is public.
#[derive(Debug, Clone)]
pub struct ChangedRow {
    /// Whether it was edited since it was first published; for a game, it or its creator, whichever changed last.
    pub is_edited: bool,
    /// As it is listed.
    pub row: Arc<dyn PublicRow>,
}

impl ListingChange {
    /// What happened to it, as §10.15 has it.
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

    /// The cursor of a mirror that began as `from` says and has come to here.
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
        // The rest is looked at only where one change is of several listings.
        (self.seq.cmp(&other.seq))
            .then_with(|| self.kind.cmp(&other.kind))
            .then_with(|| self.address.cmp(&other.address))
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
    /// The last changes of these listings. Each listing comes once.
    pub(super) fn build(mut changed: Vec<ListingChange>) -> Self {
        // In order each is put at the end, which is the quickest.
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

    /// What a mirror that stands at `cursor` has not seen, in order. What was removed before it began, it never had.
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

/// What comes after `cursor`.
fn start(cursor: &MirrorCursor) -> (Bound<ListingChange>, Bound<ListingChange>) {
    match &cursor.listing {
        Some((kind, address)) => {
            let first = search_key(cursor.seq, *kind, address);
            (Bound::Excluded(first), Bound::Unbounded)
        }
        None => after_change(cursor.seq),
    }
}

/// What comes after all listings of a change.
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
