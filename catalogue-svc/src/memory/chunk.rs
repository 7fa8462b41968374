//! A stretch of the sort order: at most a few thousand rows that follow each other, with a bit set for each value to filter by.

use roaring::RoaringBitmap;

use super::bits::Bits;
use crate::domain::facet::Facet;

/// Rows that follow each other in the sort order, all of them featured or none.
///
/// A row has a place here, which it keeps while it is in this chunk, and a position in `order`, which shifts. Bit sets speak of places.
/// The row's number in the shelf (its *slot*) is the chunk's number times its capacity, plus the place.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    pub(super) number: u32,
    pub(super) featured: bool,
    capacity: u16,
    /// Places in sort order.
    order: Vec<u16>,
    /// Places that are taken.
    taken: Bits,
    /// Which rows have a value; sorted by value, for values that any row ever had.
    sets: Vec<(Facet, Set)>,
}

#[derive(Debug, Clone)]
struct Set {
    bits: Bits,
    count: u32,
}

/// What rows are wanted, beside their order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filter<'a> {
    /// All of these.
    pub(super) facets: &'a [Facet],
    /// Only these slots.
    pub(super) slots: Option<&'a RoaringBitmap>,
}

/// Room to work in, for chunks of one capacity.
#[derive(Debug)]
pub(super) struct Scratch {
    pub(super) selected: Bits,
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
    pub(super) fn new(number: u32, featured: bool, capacity: u16) -> Self {
        Self {
            number,
            featured,
            capacity,
            order: Vec::new(),
            taken: Bits::none(capacity.into()),
            sets: Vec::new(),
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
    pub(super) fn insert(&mut self, position: usize, facets: &[Facet]) -> u32 {
        let place = u16::try_from(self.taken.first_free()).unwrap_or_default();
        self.order.insert(position, place);
        self.taken.add(place);
        self.mark(place, facets);
        self.slot(place)
    }

    fn mark(&mut self, place: u16, facets: &[Facet]) {
        for facet in facets {
            let at = self.sets.partition_point(|(held, _)| held < facet);
            if self.sets.get(at).is_none_or(|(held, _)| held != facet) {
                let bits = Bits::none(self.capacity.into());
                self.sets.insert(at, (*facet, Set { bits, count: 0 }));
            }
            let set = &mut self.sets[at].1;
            set.count += u32::from(set.bits.add(place));
        }
    }

    fn unmark(&mut self, place: u16) {
        for (_, set) in &mut self.sets {
            set.count -= u32::from(set.bits.remove(place));
        }
    }

    /// Gives a row other values.
    pub(super) fn update(&mut self, slot: u32, facets: &[Facet]) {
        let place = self.place(slot);
        self.unmark(place);
        self.mark(place, facets);
    }

    pub(super) fn remove(&mut self, slot: u32) {
        let place = self.place(slot);
        self.order.retain(|held| *held != place);
        self.taken.remove(place);
        self.unmark(place);
    }

    /// Removes the rows from `position` on, and returns their slots and values in sort order.
    pub(super) fn split_off(&mut self, position: usize) -> Vec<(u32, Vec<Facet>)> {
        let gone = self.order.split_off(position);
        gone.into_iter()
            .map(|place| {
                let slot = self.slot(place);
                let facets = self.facets(slot);
                self.taken.remove(place);
                self.unmark(place);
                (slot, facets)
            })
            .collect()
    }

    /// The values of a row, in their order.
    pub(super) fn facets(&self, slot: u32) -> Vec<Facet> {
        let place = self.place(slot);
        let has = |(facet, set): &(Facet, Set)| set.bits.has(place).then_some(*facet);
        self.sets.iter().filter_map(has).collect()
    }

    /// How many rows pass the filter.
    pub(super) fn count(&self, filter: Filter<'_>, scratch: &mut Scratch) -> u32 {
        match (filter.facets, filter.slots) {
            // Counted without looking at a bit.
            ([facet], None) => self.set(*facet).map_or(0, |set| set.count),
            _ => self.select(filter, scratch),
        }
    }

    /// Sets `scratch.selected` to the rows that pass the filter, and says how many they are; when there are none, it is left as it
    /// was.
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
            Some(Some(set)) => selected.copy_from(&set.bits),
            Some(None) => return 0,
            None => selected.copy_from(&self.taken),
        }
        for facet in sets {
            match self.set(*facet) {
                Some(set) => selected.retain(&set.bits),
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
        selected.count()
    }

    fn set(&self, facet: Facet) -> Option<&Set> {
        let at = self
            .sets
            .binary_search_by(|(held, _)| held.cmp(&facet))
            .ok()?;
        Some(&self.sets[at].1)
    }

    /// The slots of `selected` from `position` on, in sort order.
    pub(super) fn pick<'a>(
        &'a self,
        position: usize,
        selected: &'a Bits,
    ) -> impl Iterator<Item = u32> + 'a {
        self.order[position..]
            .iter()
            .filter(|place| selected.has(**place))
            .map(|place| self.slot(*place))
    }
}
