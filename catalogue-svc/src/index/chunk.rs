//! A stretch of the sort order: at most a few thousand rows that follow each other, with a bit set for each value to filter by.

use std::collections::BTreeSet;
use std::ops::Range;

use roaring::RoaringBitmap;

use super::bits::Bits;
use super::document::IndexedFields;
use crate::domain::days::{Days, Span};
use crate::domain::facet::Facet;

/// Rows that follow each other in the sort order.
///
/// A row has a place here, which it keeps while it is in this chunk, and a position in `order`, which shifts. Bit sets speak of places.
/// The row's number in the shelf (its *slot*) is the chunk's number times its capacity, plus the place.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    pub(super) number: u32,
    /// Whether all its rows are apart from those of other chunks, or none.
    pub(super) apart: bool,
    capacity: u16,
    /// Places in sort order.
    order: Vec<u16>,
    /// Places that are taken.
    taken: Bits,
    /// Which rows have a value; sorted by value, for values that any row ever had.
    sets: Vec<(Facet, Bits)>,
    /// By place, as far as a row ever had any.
    days: Vec<Option<Days>>,
}

/// What rows are wanted, beside their order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filter<'a> {
    /// All of these.
    pub(super) facets: &'a [Facet],
    /// Only these slots.
    pub(super) slots: Option<&'a RoaringBitmap>,
    /// Only those that take place then.
    pub(super) span: Option<Span>,
}

/// Room to work in, for chunks of one capacity.
#[derive(Debug)]
pub(super) struct Scratch {
    selected: Bits,
    narrowed: Bits,
    slots: Box<[u32]>,
}

impl Scratch {
    pub(super) fn new(capacity: u16) -> Self {
        Self {
            selected: Bits::none(capacity.into()),
            narrowed: Bits::none(capacity.into()),
            slots: vec![0; capacity.into()].into_boxed_slice(),
        }
    }
}

impl Chunk {
    pub(super) fn new(number: u32, apart: bool, capacity: u16) -> Self {
        Self {
            number,
            apart,
            capacity,
            order: Vec::new(),
            taken: Bits::none(capacity.into()),
            sets: Vec::new(),
            days: Vec::new(),
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

    /// Whether what is left is for rows that come in between.
    pub(super) fn is_filled(&self) -> bool {
        self.order.len() >= usize::from(self.capacity - self.capacity / 8)
    }

    /// The slot of the last row.
    pub(super) fn last(&self) -> Option<u32> {
        self.order.last().map(|place| self.slot(*place))
    }

    /// How many rows, from the first on, satisfy `before`.
    pub(super) fn partition_point(&self, mut before: impl FnMut(u32) -> bool) -> usize {
        self.order
            .partition_point(|place| before(self.slot(*place)))
    }

    fn slot(&self, place: u16) -> u32 {
        self.number * u32::from(self.capacity) + u32::from(place)
    }

    fn place(&self, slot: u32) -> u16 {
        // A remainder of a u16 fits one.
        u16::try_from(slot % u32::from(self.capacity)).unwrap_or_default()
    }

    /// Puts a row at `position`; the chunk must not be full. Returns its slot.
    pub(super) fn insert(&mut self, position: usize, terms: &IndexedFields) -> u32 {
        let place = u16::try_from(self.taken.first_free()).unwrap_or_default();
        self.order.insert(position, place);
        self.taken.add(place);
        self.mark(place, &terms.facets);
        self.date(place, terms.days);
        self.slot(place)
    }

    fn mark(&mut self, place: u16, facets: &BTreeSet<Facet>) {
        for facet in facets {
            let at = self.sets.partition_point(|(held, _)| held < facet);
            if self.sets.get(at).is_none_or(|(held, _)| held != facet) {
                self.sets
                    .insert(at, (*facet, Bits::none(self.capacity.into())));
            }
            self.sets[at].1.add(place);
        }
    }

    fn unmark(&mut self, place: u16) {
        for (_, set) in &mut self.sets {
            set.remove(place);
        }
    }

    fn date(&mut self, place: u16, days: Option<Days>) {
        let place = usize::from(place);
        if days.is_some() && self.days.len() <= place {
            self.days.resize(place + 1, None);
        }
        if let Some(held) = self.days.get_mut(place) {
            *held = days;
        }
    }

    /// Gives a row other values.
    pub(super) fn update(&mut self, slot: u32, terms: &IndexedFields) {
        let place = self.place(slot);
        self.unmark(place);
        self.mark(place, &terms.facets);
        self.date(place, terms.days);
    }

    pub(super) fn remove(&mut self, slot: u32) {
        let place = self.place(slot);
        self.order.retain(|held| *held != place);
        self.vacate(place);
    }

    fn vacate(&mut self, place: u16) {
        self.taken.remove(place);
        self.unmark(place);
        self.date(place, None);
    }

    /// Removes the rows from `position` on, and returns their slots in sort order.
    pub(super) fn split_off(&mut self, position: usize) -> Vec<u32> {
        let gone = self.order.split_off(position);
        for place in &gone {
            self.vacate(*place);
        }
        gone.into_iter().map(|place| self.slot(place)).collect()
    }

    /// Selects the rows that pass the filter, and says how many they are; when there are none, the selection is left as it was.
    pub(super) fn select(&self, filter: Filter<'_>, scratch: &mut Scratch) -> u32 {
        let Scratch {
            selected,
            narrowed,
            slots,
        } = scratch;
        let narrow = filter.slots.map(|narrow| {
            let chunk = self.slot(0)..self.slot(0) + u32::from(self.capacity);
            &*narrow.range(chunk).next_many(slots)
        });
        if narrow.is_some_and(<[u32]>::is_empty) {
            return 0;
        }
        let mut sets = filter.facets.iter();
        match sets.next().map(|facet| self.set(*facet)) {
            Some(Some(set)) => selected.copy_from(set),
            Some(None) => return 0,
            None => selected.copy_from(&self.taken),
        }
        for facet in sets {
            match self.set(*facet) {
                Some(set) => selected.retain(set),
                None => return 0,
            }
        }
        if let Some(slots) = narrow {
            narrowed.clear();
            for slot in slots {
                narrowed.add(self.place(*slot));
            }
            selected.retain(narrowed);
        }
        if let Some(span) = filter.span {
            for place in &self.order {
                let days = self.days.get(usize::from(*place)).copied().flatten();
                if !days.is_some_and(|days| span.holds(days)) {
                    selected.remove(*place);
                }
            }
        }
        selected.count()
    }

    fn set(&self, facet: Facet) -> Option<&Bits> {
        let at = self
            .sets
            .binary_search_by(|(held, _)| held.cmp(&facet))
            .ok()?;
        Some(&self.sets[at].1)
    }

    /// Adds the slots of the selected rows in `positions` to `found`, in sort order or the other way round, until it has `enough`.
    pub(super) fn pick(
        &self,
        positions: Range<usize>,
        backwards: bool,
        scratch: &Scratch,
        (found, enough): (&mut Vec<u32>, usize),
    ) {
        let missing = enough.saturating_sub(found.len());
        let is_selected = |place: &&u16| scratch.selected.has(**place);
        let slot = |place: &u16| self.slot(*place);
        let places = self.order[positions].iter();
        if backwards {
            found.extend(places.rev().filter(is_selected).take(missing).map(slot));
        } else {
            found.extend(places.filter(is_selected).take(missing).map(slot));
        }
    }
}
