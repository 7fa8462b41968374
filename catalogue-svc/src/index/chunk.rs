//! At most a few thousand consecutive rows of the sort order, with a bit set for each facet.

use std::collections::BTreeSet;
use std::ops::Range;

use fixedbitset::FixedBitSet;
use roaring::RoaringBitmap;

use super::document::IndexedFields;
use crate::domain::days::{Bounds, Days, Overlap, Span};
use crate::domain::facet::Facet;

/// Consecutive rows of the sort order.
///
/// A row has an offset, which it keeps while it is in this chunk, and a position in `order`, which shifts. Bit sets have offsets. The row's
/// number in the index (its *doc id*) is the chunk's number times its capacity, plus the offset.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    pub(super) number: u32,
    /// The partition of all its rows.
    pub(super) partition: bool,
    capacity: u16,
    /// Offsets in sort order.
    order: Vec<u16>,
    /// The position of each row in `order`, by offset. The entry of a free offset has no meaning.
    positions: Vec<u16>,
    /// Offsets that are taken.
    taken: FixedBitSet,
    /// Which rows have each facet that any row ever had; sorted by facet.
    sets: Vec<(Facet, FixedBitSet)>,
    /// The days of each row, by offset, up to the last row that ever had any.
    days: Vec<Option<Days>>,
    /// Bounds of the days of all rows that are or were in this chunk.
    bounds: Option<Bounds>,
    /// When rows changed last, by offset.
    updated: Vec<i64>,
    /// The latest change of all rows that are or were in this chunk.
    latest_update: i64,
}

/// Conditions on rows; all must be met.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filter<'a> {
    /// The row has all these facets.
    pub(super) facets: &'a [Facet],
    /// The row is one of these docs.
    pub(super) docs: Option<&'a RoaringBitmap>,
    /// The row (an event) takes place then.
    pub(super) span: Option<Span>,
    /// The row changed then or later.
    pub(super) updated_since: Option<i64>,
}

/// Buffers of a walk through chunks of one capacity.
#[derive(Debug)]
pub(super) struct Scratch {
    selected: FixedBitSet,
    narrowed: FixedBitSet,
    docs: Box<[u32]>,
    /// The index in `sets` at which the previous chunk had each facet of the filter. The next chunk nearly always has the facet at the same
    /// index. Trying that index first saves a binary search, and in a large index every step of a binary search is a cache miss.
    set_indexes: Vec<usize>,
}

impl Scratch {
    pub(super) fn new(capacity: u16, filter: Filter<'_>) -> Self {
        Self {
            selected: FixedBitSet::with_capacity(capacity.into()),
            narrowed: FixedBitSet::with_capacity(capacity.into()),
            docs: vec![0; capacity.into()].into_boxed_slice(),
            set_indexes: vec![0; filter.facets.len()],
        }
    }
}

/// Up to this many selected rows of a chunk are sorted by their positions. For more rows it is cheaper to walk along the order until the
/// page is full.
const FEW: usize = 64;

/// How many rows fill a chunk of this capacity. The rest is for rows that come in between.
pub(super) fn filled(capacity: u16) -> usize {
    usize::from(capacity - capacity / 8)
}

/// A chunk with at most this share of its capacity is sparse.
const SPARSE: usize = 4;

impl Chunk {
    pub(super) fn new(number: u32, partition: bool, capacity: u16) -> Self {
        Self {
            number,
            partition,
            capacity,
            order: Vec::new(),
            positions: Vec::new(),
            taken: FixedBitSet::with_capacity(capacity.into()),
            sets: Vec::new(),
            days: Vec::new(),
            bounds: None,
            updated: Vec::new(),
            latest_update: i64::MIN,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.order.len() >= usize::from(self.capacity)
    }

    /// Whether so many rows have left that the others may move to a neighbour. Half a chunk, as a split leaves it, is not sparse.
    pub(super) fn is_sparse(&self) -> bool {
        self.order.len() <= usize::from(self.capacity) / SPARSE
    }

    pub(super) fn is_filled(&self) -> bool {
        self.order.len() >= filled(self.capacity)
    }

    /// The doc of the last row.
    pub(super) fn last(&self) -> Option<u32> {
        self.order.last().map(|offset| self.doc(*offset))
    }

    /// The doc of the row at `position`.
    pub(super) fn at(&self, position: usize) -> Option<u32> {
        self.order.get(position).map(|offset| self.doc(*offset))
    }

    /// The doc of the row at `position`, and the time of the row's last change.
    pub(super) fn at_with_time(&self, position: usize) -> Option<(u32, i64)> {
        let offset = *self.order.get(position)?;
        let updated_at = self.updated.get(usize::from(offset)).copied();
        Some((self.doc(offset), updated_at.unwrap_or(i64::MIN)))
    }

    /// The number of rows that satisfy `before`, which must be the first of the chunk.
    pub(super) fn partition_point(&self, mut before: impl FnMut(u32) -> bool) -> usize {
        self.order
            .partition_point(|offset| before(self.doc(*offset)))
    }

    fn doc(&self, offset: u16) -> u32 {
        self.number * u32::from(self.capacity) + u32::from(offset)
    }

    fn offset(&self, doc: u32) -> u16 {
        // A remainder of a u16 fits one.
        u16::try_from(doc % u32::from(self.capacity)).unwrap_or_default()
    }

    /// Puts a row at `position`; the chunk must not be full. Returns its doc.
    pub(super) fn insert(&mut self, position: usize, fields: &IndexedFields) -> u32 {
        let free = self.taken.zeroes().next();
        let offset = free.and_then(|free| u16::try_from(free).ok());
        let offset = offset.unwrap_or_default();
        self.order.insert(position, offset);
        if self.positions.len() <= usize::from(offset) {
            self.positions.resize(usize::from(offset) + 1, 0);
        }
        self.update_positions(position);
        self.taken.insert(offset.into());
        self.set_facets(offset, &fields.facets);
        self.set_days(offset, fields.days);
        self.set_updated_at(offset, fields.updated_at);
        self.doc(offset)
    }

    /// Records the positions of the rows from `first` on, which have moved in `order`.
    fn update_positions(&mut self, first: usize) {
        for (offset, position) in self.order[first..].iter().zip(first..) {
            // A chunk has fewer rows than a u16 has values.
            self.positions[usize::from(*offset)] = u16::try_from(position).unwrap_or(u16::MAX);
        }
    }

    fn set_updated_at(&mut self, offset: u16, at: i64) {
        let offset = usize::from(offset);
        if self.updated.len() <= offset {
            self.updated.resize(offset + 1, i64::MIN);
        }
        self.updated[offset] = at;
        self.latest_update = self.latest_update.max(at);
    }

    fn set_facets(&mut self, offset: u16, facets: &BTreeSet<Facet>) {
        for facet in facets {
            let at = self.sets.partition_point(|(held, _)| held < facet);
            if self.sets.get(at).is_none_or(|(held, _)| held != facet) {
                let none = FixedBitSet::with_capacity(self.capacity.into());
                self.sets.insert(at, (*facet, none));
            }
            self.sets[at].1.insert(offset.into());
        }
    }

    fn clear_facets(&mut self, offset: u16) {
        for (_, set) in &mut self.sets {
            set.remove(offset.into());
        }
    }

    fn set_days(&mut self, offset: u16, days: Option<Days>) {
        let offset = usize::from(offset);
        if let Some(days) = days {
            let bounds = self.bounds.get_or_insert_with(|| Bounds::of(days));
            bounds.extend(days);
            if self.days.len() <= offset {
                self.days.resize(offset + 1, None);
            }
        }
        if let Some(held) = self.days.get_mut(offset) {
            *held = days;
        }
    }

    /// Replaces the fields of a row.
    pub(super) fn update(&mut self, doc: u32, fields: &IndexedFields) {
        let offset = self.offset(doc);
        self.clear_facets(offset);
        self.set_facets(offset, &fields.facets);
        self.set_days(offset, fields.days);
        self.set_updated_at(offset, fields.updated_at);
    }

    pub(super) fn remove(&mut self, doc: u32) {
        let offset = self.offset(doc);
        let position = usize::from(self.positions[usize::from(offset)]);
        self.order.remove(position);
        self.update_positions(position);
        self.clear(offset);
    }

    fn clear(&mut self, offset: u16) {
        self.taken.remove(offset.into());
        self.clear_facets(offset);
        self.set_days(offset, None);
    }

    /// Removes the rows from `position` on, and returns their docs in sort order.
    pub(super) fn split_off(&mut self, position: usize) -> Vec<u32> {
        let gone = self.order.split_off(position);
        for offset in &gone {
            self.clear(*offset);
        }
        gone.into_iter().map(|offset| self.doc(offset)).collect()
    }

    /// Whether any row may pass the filter, as far as the bounds of all rows tell.
    pub(super) fn may_match(&self, filter: Filter<'_>) -> bool {
        filter
            .span
            .is_none_or(|span| self.overlap(span) != Overlap::None)
            && filter
                .updated_since
                .is_none_or(|since| self.latest_update >= since)
    }

    fn overlap(&self, span: Span) -> Overlap {
        self.bounds
            .map_or(Overlap::None, |bounds| span.overlap(bounds))
    }

    /// Selects the rows that pass the filter, and returns their number. `None`: no row passes, and the selection was not changed.
    pub(super) fn select(&self, filter: Filter<'_>, scratch: &mut Scratch) -> Option<usize> {
        let Scratch {
            selected,
            narrowed,
            docs,
            set_indexes,
        } = scratch;
        let narrow = filter.docs.map(|narrow| {
            let chunk = self.doc(0)..self.doc(0) + u32::from(self.capacity);
            &*narrow.range(chunk).next_many(docs)
        });
        if narrow.is_some_and(<[u32]>::is_empty) {
            return None;
        }
        let facets = filter.facets.iter().zip(set_indexes);
        let mut sets = facets.map(|(facet, index)| self.set(*facet, index));
        match sets.next() {
            Some(first) => selected.clone_from(first?),
            None => selected.clone_from(&self.taken),
        }
        for set in sets {
            selected.intersect_with(set?);
        }
        if let Some(docs) = narrow {
            narrowed.clear();
            for doc in docs {
                narrowed.insert(self.offset(*doc).into());
            }
            selected.intersect_with(narrowed);
        }
        if let Some(span) = filter.span
            && self.overlap(span) != Overlap::All
        {
            for offset in &self.order {
                let days = self.days.get(usize::from(*offset)).copied().flatten();
                if !days.is_some_and(|days| span.holds(days)) {
                    selected.remove(usize::from(*offset));
                }
            }
        }
        if let Some(since) = filter.updated_since {
            for offset in &self.order {
                let at = self.updated.get(usize::from(*offset));
                if at.is_none_or(|at| *at < since) {
                    selected.remove(usize::from(*offset));
                }
            }
        }
        Some(selected.count_ones(..))
    }

    /// The rows that have a facet. Tries the index `guess` first, and sets it to the index at which the facet was found.
    fn set(&self, facet: Facet, guess: &mut usize) -> Option<&FixedBitSet> {
        if self.sets.get(*guess).is_none_or(|(held, _)| *held != facet) {
            *guess = self
                .sets
                .binary_search_by(|(held, _)| held.cmp(&facet))
                .ok()?;
        }
        self.sets.get(*guess).map(|(_, set)| set)
    }

    /// Adds the docs of the selected rows in `positions` to `found`, in sort order or (`backwards`) in reverse, until it has `enough`.
    pub(super) fn pick(
        &self,
        positions: Range<usize>,
        backwards: bool,
        scratch: &Scratch,
        found: &mut Vec<u32>,
        enough: usize,
    ) {
        let missing = enough.saturating_sub(found.len());
        let doc = |offset: &u16| self.doc(*offset);
        if scratch.selected.count_ones(..) <= FEW {
            let selected = scratch.selected.ones();
            let mut selected: Vec<usize> = selected
                .map(|offset| usize::from(self.positions[offset]))
                .filter(|position| positions.contains(position))
                .collect();
            selected.sort_unstable();
            if backwards {
                selected.reverse();
            }
            let offsets = selected.iter().map(|position| &self.order[*position]);
            found.extend(offsets.take(missing).map(doc));
            return;
        }
        let is_selected = |offset: &&u16| scratch.selected.contains(usize::from(**offset));
        let offsets = self.order[positions].iter();
        if backwards {
            found.extend(offsets.rev().filter(is_selected).take(missing).map(doc));
        } else {
            found.extend(offsets.filter(is_selected).take(missing).map(doc));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn positions_are_those_of_the_order(steps in prop::collection::vec((any::<bool>(), 0..64_usize), 0..200)) {
            let mut chunk = Chunk::new(3, false, 64);
            for (inserts, at) in steps {
                if inserts && !chunk.is_full() {
                    chunk.insert(at % (chunk.len() + 1), &IndexedFields::default());
                } else if let Some(doc) = chunk.at(at) {
                    chunk.remove(doc);
                }
                for (position, offset) in chunk.order.iter().enumerate() {
                    prop_assert_eq!(usize::from(chunk.positions[usize::from(*offset)]), position);
                }
            }
        }
    }
}
