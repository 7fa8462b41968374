//! The order of an index: the sort keys of its rows.

use std::cmp::Ordering;
use std::ops::Bound;
use std::sync::{Arc, OnceLock};

use equivalent::{Comparable, Equivalent};
use imbl::OrdSet;

/// How many rows there are from one checkpoint to the next.
const STRIDE: usize = 1_024;

/// The rows of an index by their sort keys. Clones share what they have in common.
#[derive(Debug, Clone)]
pub(crate) struct Order<K: Ord> {
    entries: OrdSet<Entry<K>>,
    /// Every [`STRIDE`]th row, from the first. They are gathered when a row is first read by its position, in one walk for all clones with
    /// these rows.
    checkpoints: Arc<OnceLock<Vec<Entry<K>>>>,
}

/// A row. Two rows have the same key while an address passes from one listing to another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Entry<K> {
    key: K,
    doc: u32,
}

/// A place between two rows: before or behind all rows with this key.
#[derive(Debug, Clone, Copy)]
struct Gap<'a, K> {
    key: &'a K,
    is_behind: bool,
}

impl<K> Equivalent<Entry<K>> for Gap<'_, K> {
    fn equivalent(&self, _: &Entry<K>) -> bool {
        false
    }
}

impl<K: Ord> Comparable<Entry<K>> for Gap<'_, K> {
    fn compare(&self, entry: &Entry<K>) -> Ordering {
        self.key.cmp(&entry.key).then(if self.is_behind {
            Ordering::Greater
        } else {
            Ordering::Less
        })
    }
}

impl<K: Clone + Ord> Order<K> {
    pub(crate) fn new() -> Self {
        Self {
            entries: OrdSet::new(),
            checkpoints: Arc::default(),
        }
    }

    /// The order of rows that are sorted already, and numbered in that order.
    pub(crate) fn of_sorted<'a>(keys: impl Iterator<Item = &'a K> + Clone) -> Self
    where
        K: 'a,
    {
        let entries = (0..).zip(keys.cloned());
        let mut order = Self::new();
        // The set splits a full node in the middle. Every other row leaves the nodes half full, and the rows between fill them.
        for first in 0..2 {
            for (doc, key) in entries.clone().skip(first).step_by(2) {
                order.entries.insert(Entry { key, doc });
            }
        }
        order
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn insert(&mut self, key: K, doc: u32) {
        self.entries.insert(Entry { key, doc });
        self.checkpoints = Arc::default();
    }

    pub(crate) fn remove(&mut self, key: &K, doc: u32) {
        let key = key.clone();
        self.entries.remove(&Entry { key, doc });
        self.checkpoints = Arc::default();
    }

    /// The rows with this key.
    pub(crate) fn with_key(&self, key: &K) -> impl Iterator<Item = u32> {
        let gap = |is_behind| Bound::Included(Gap { key, is_behind });
        let entries = self.entries.range((gap(false), gap(true)));
        entries.map(|entry| entry.doc)
    }

    /// The rows behind the key `after`, from the first to the last or (`backwards`) in reverse.
    pub(crate) fn docs<'a>(
        &'a self,
        after: Option<&K>,
        backwards: bool,
    ) -> Box<dyn Iterator<Item = u32> + 'a> {
        let gap = after.map_or(Bound::Unbounded, |key| {
            let is_behind = !backwards;
            Bound::Included(Gap { key, is_behind })
        });
        if backwards {
            let entries = self.entries.range((Bound::Unbounded, gap));
            Box::new(entries.rev().map(|entry| entry.doc))
        } else {
            let entries = self.entries.range((gap, Bound::Unbounded));
            Box::new(entries.map(|entry| entry.doc))
        }
    }

    /// The row at this position, from 0. It is found by counting, from the checkpoint before it.
    pub(crate) fn nth(&self, position: usize) -> Option<u32> {
        let gather = || self.entries.iter().step_by(STRIDE).cloned().collect();
        let checkpoints = self.checkpoints.get_or_init(gather);
        let checkpoint = checkpoints.get(position / STRIDE)?;
        let mut entries = self.entries.range::<_, Entry<K>>(checkpoint..);
        entries.nth(position % STRIDE).map(|entry| entry.doc)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_from_any_key_in_both_directions() {
        let keys: Vec<u32> = (0..100).map(|number| number / 2 * 10).collect();
        let mut order = Order::of_sorted(keys.iter());
        order.remove(&20, 4);
        order.insert(15, 100);
        let docs = |after: Option<u32>, backwards| {
            let docs = order.docs(after.as_ref(), backwards);
            docs.take(3).collect::<Vec<u32>>()
        };
        assert_eq!(docs(None, false), [0, 1, 2]);
        assert_eq!(docs(Some(10), false), [100, 5, 6]);
        assert_eq!(docs(Some(12), false), [100, 5, 6]);
        assert_eq!(docs(None, true), [99, 98, 97]);
        assert_eq!(docs(Some(20), true), [100, 3, 2]);
        assert_eq!(docs(Some(0), true), [0; 0]);
        assert!(order.with_key(&20).eq([5]) && order.with_key(&0).eq([0, 1]));
    }

    #[test]
    fn rows_are_found_by_their_positions_before_and_after_changes() {
        let keys: Vec<usize> = (0..3 * STRIDE).collect();
        let mut order = Order::of_sorted(keys.iter());
        let check = |order: &Order<usize>| {
            let docs: Vec<u32> = order.docs(None, false).collect();
            let around = [STRIDE, 2 * STRIDE].map(|at| [at - 1, at, at + 1]);
            for position in [0, docs.len() - 1].into_iter().chain(around.concat()) {
                assert_eq!(order.nth(position), Some(docs[position]));
            }
            assert_eq!((order.len(), order.nth(docs.len())), (docs.len(), None));
        };
        check(&order);
        // `after` is first read by position when `order` has changed again.
        for key in [5, STRIDE + 5] {
            let before = order.clone();
            order.remove(&key, u32::try_from(key).unwrap());
            let after = order.clone();
            order.insert(key, 1_000_000);
            for order in [&before, &after, &order] {
                check(order);
            }
        }
        assert_eq!(Order::<usize>::new().nth(0), None);
    }
}
