//! A sorted list that finds items by rank and ranks by item. Clones share their chunks; a change copies one.

use std::cmp::Ordering;
use std::sync::Arc;

/// Items in a chunk at most.
const CHUNK: usize = 512;

/// Sorted items, no two of them equal.
#[derive(Debug, Clone)]
pub(crate) struct RankedList<T> {
    /// No chunk is empty.
    chunks: Vec<Arc<Vec<T>>>,
    len: usize,
}

impl<T> Default for RankedList<T> {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            len: 0,
        }
    }
}

impl<T> RankedList<T> {
    /// How many items there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The items from this place on, counted from 0.
    pub(crate) fn iter_from(&self, mut place: usize) -> impl Iterator<Item = &T> {
        let mut first = 0;
        while let Some(chunk) = self.chunks.get(first)
            && place >= chunk.len()
        {
            place -= chunk.len();
            first += 1;
        }
        let chunks = self.chunks.get(first..).unwrap_or_default().iter();
        chunks.flat_map(|chunk| chunk.iter()).skip(place)
    }

    /// How many items `order` finds less.
    pub(crate) fn place(&self, order: impl Fn(&T) -> Ordering) -> usize {
        let (chunk, offset) = self.locate(order);
        let before = self.chunks.iter().take(chunk);
        before.map(|chunk| chunk.len()).sum::<usize>() + offset
    }

    /// The item that `order` finds equal.
    pub(crate) fn find(&self, order: impl Fn(&T) -> Ordering) -> Option<&T> {
        let (chunk, offset) = self.locate(&order);
        let item = self.chunks.get(chunk)?.get(offset)?;
        (order(item) == Ordering::Equal).then_some(item)
    }

    /// The chunk and the offset in it at which the items that `order` finds less end.
    fn locate(&self, order: impl Fn(&T) -> Ordering) -> (usize, usize) {
        let is_less = |item: &T| order(item) == Ordering::Less;
        let is_before = |chunk: &Arc<Vec<T>>| chunk.last().is_some_and(is_less);
        let chunk = self.chunks.partition_point(is_before);
        let offset = self.chunks.get(chunk);
        (
            chunk,
            offset.map_or(0, |chunk| chunk.partition_point(is_less)),
        )
    }
}

impl<T: Ord + Clone> RankedList<T> {
    /// The list of these items.
    pub(crate) fn new(mut items: Vec<T>) -> Self {
        items.sort_unstable();
        let chunks = items.chunks(CHUNK).map(|chunk| Arc::new(chunk.to_vec()));
        Self {
            chunks: chunks.collect(),
            len: items.len(),
        }
    }

    /// Inserts an item that the list does not have.
    pub(crate) fn insert(&mut self, item: T) {
        let (mut index, mut offset) = self.locate(|other| other.cmp(&item));
        if index == self.chunks.len() {
            // It is greater than all others and goes into the last chunk.
            match index.checked_sub(1) {
                Some(last) => (index, offset) = (last, self.chunks[last].len()),
                None => self.chunks.push(Arc::default()),
            }
        }
        let chunk = Arc::make_mut(&mut self.chunks[index]);
        chunk.insert(offset, item);
        if chunk.len() > CHUNK {
            let second = chunk.split_off(CHUNK / 2);
            self.chunks.insert(index + 1, Arc::new(second));
        }
        self.len += 1;
    }

    /// Removes an item. Returns whether the list had it.
    pub(crate) fn remove(&mut self, item: &T) -> bool {
        let (index, offset) = self.locate(|other| other.cmp(item));
        let Some(chunk) = self.chunks.get_mut(index) else {
            return false;
        };
        if chunk.get(offset) != Some(item) {
            return false;
        }
        if chunk.len() == 1 {
            self.chunks.remove(index);
        } else {
            Arc::make_mut(chunk).remove(offset);
            self.merge(index);
            self.merge(index.saturating_sub(1));
        }
        self.len -= 1;
        true
    }

    /// Merges a chunk with the next one, if both are small.
    fn merge(&mut self, index: usize) {
        let [chunk, next, ..] = &self.chunks[index..] else {
            return;
        };
        if chunk.len() + next.len() <= CHUNK / 2 {
            let next = self.chunks.remove(index + 1);
            Arc::make_mut(&mut self.chunks[index]).extend(next.iter().cloned());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn a_list_is_as_a_plain_set(
            first in prop::collection::btree_set(0..3_000_u32, 0..2_000),
            steps in prop::collection::vec((any::<bool>(), 0..3_000_u32), 0..3_000),
        ) {
            let mut set: BTreeSet<u32> = first.clone();
            let mut list = RankedList::new(first.into_iter().collect());
            for (inserts, item) in steps {
                if !inserts {
                    prop_assert_eq!(list.remove(&item), set.remove(&item));
                } else if set.insert(item) {
                    list.insert(item);
                }
            }
            prop_assert_eq!(list.len(), set.len());
            prop_assert!(list.iter_from(0).eq(set.iter()));
            prop_assert!(list.chunks.iter().all(|chunk| (1..=CHUNK).contains(&chunk.len())));
            for probe in [0, 7, 1_500, 2_999, 3_000] {
                let place = list.place(|item| item.cmp(&probe));
                prop_assert_eq!(place, set.range(..probe).count());
                prop_assert!(list.iter_from(place).eq(set.range(probe..)));
                prop_assert_eq!(list.find(|item| item.cmp(&probe)), set.get(&probe));
            }
        }
    }

    #[test]
    fn a_list_that_has_shrunk_has_few_chunks() {
        let mut list = RankedList::new((0..10_000).collect());
        for item in (0..10_000).filter(|item| item % 50 != 0) {
            assert!(list.remove(&item));
        }
        assert!(list.chunks.len() <= 3, "{}", list.chunks.len());
        assert!(list.iter_from(0).copied().eq((0..10_000).step_by(50)));
    }

    #[test]
    fn a_copy_stays_as_it_was() {
        let mut list = RankedList::new((0..1_000).collect());
        let copy = list.clone();
        assert!(list.remove(&5));
        list.insert(1_000);
        assert!(copy.iter_from(0).copied().eq(0..1_000));
    }
}
