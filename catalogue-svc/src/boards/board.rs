//! A board as a reader sees it: built seconds ago, with the listings of now.

use std::iter;
use std::sync::Arc;

use kit::feed::Position;

use super::place::Place;
use super::votable::Votable;
use crate::domain::changes::MirrorCursor;
use crate::domain::order::BoardKey;
use crate::domain::rankings::Window;
use crate::domain::tally::Tallies;
use crate::index::Dataset;

/// The places of a sorted list but for those of listings that have changed since; these are taken from a newer snapshot.
#[derive(Debug)]
pub struct Board<'a, L> {
    places: &'a [Place<L>],
    update: Arc<BoardUpdate<L>>,
}

/// What changed on a board between the snapshot that it was built from and a newer one. After an import these are many listings, so all
/// readers of a snapshot share it.
#[derive(Debug)]
pub(super) struct BoardUpdate<L> {
    /// Of the newer snapshot.
    pub(super) position: Position,
    /// Where listings that have changed since are in the places of the board, in ascending order.
    replaced: Vec<usize>,
    /// Where they belong now, if they are public.
    current: Vec<Place<L>>,
}

impl<L: Votable> BoardUpdate<L> {
    /// The changes of the board `places`, which was built from the listings `built` at a position, up to those of `newest` at a later one of
    /// the same epoch.
    pub(super) fn new(
        (places, window): (&[Place<L>], Window),
        tallies: &Tallies,
        (position, built): (Position, &Dataset),
        (newest_position, newest): (Position, &Dataset),
    ) -> Self {
        let place = |listings: &Dataset, address: &str| {
            let row: &Arc<L> = L::index(listings).get(address)?;
            Place::new(tallies.record(L::KIND, *row.id(), window), row)
        };
        let (mut replaced, mut current) = (Vec::new(), Vec::new());
        let since = MirrorCursor::end(position.epoch, position.seq);
        let changes = newest.changes.after(&since);
        for change in changes.filter(|change| change.kind() == L::LISTING_KIND) {
            let was = place(built, change.address());
            let was = was.and_then(|was| places.binary_search_by(|p| p.key().cmp(&was.key())).ok());
            replaced.extend(was);
            current.extend(place(newest, change.address()));
        }
        // An address that two listings had one after the other comes twice.
        replaced.sort_unstable();
        replaced.dedup();
        current.sort_unstable_by(|a, b| a.key().cmp(&b.key()));
        current.dedup_by_key(|place| *place.row.id());
        Self {
            position: newest_position,
            replaced,
            current,
        }
    }
}

impl<'a, L: Votable> Board<'a, L> {
    /// The board `places` with the changes of `update`.
    pub(super) fn new(places: &'a [Place<L>], update: Arc<BoardUpdate<L>>) -> Self {
        Self { places, update }
    }

    /// How many listings are on the board.
    pub fn total(&self) -> usize {
        self.places.len() - self.update.replaced.len() + self.update.current.len()
    }

    /// The places after a key, from the best, and how many come before them.
    pub fn after(&self, after: Option<&BoardKey<'_>>) -> (usize, impl Iterator<Item = &Place<L>>) {
        let is_read = |place: &Place<L>| after.is_some_and(|after| place.key() <= *after);
        let first = self.places.partition_point(is_read);
        let BoardUpdate {
            replaced, current, ..
        } = &*self.update;
        let replaced_before = replaced.partition_point(|at| *at < first);
        let current_before = current.partition_point(is_read);
        let unchanged = self.places.iter().enumerate().skip(first);
        let unchanged = unchanged.filter(|(at, _)| replaced.binary_search(at).is_err());
        let mut unchanged = unchanged.map(|(_, place)| place).peekable();
        let mut changed = current.iter().skip(current_before).peekable();
        let places = iter::from_fn(move || match (unchanged.peek(), changed.peek()) {
            (Some(place), Some(changed_place)) if changed_place.key() < place.key() => {
                changed.next()
            }
            (Some(_), _) => unchanged.next(),
            (None, _) => changed.next(),
        });
        (first - replaced_before + current_before, places)
    }
}
