//! A persistent vector: clones share what they have in common, and a change copies only the way to it.

use std::sync::Arc;

/// Entries of a node.
const WIDTH: usize = 128;

type Leaf<T> = Vec<Option<Arc<T>>>;
type Branch<T> = Vec<Option<Arc<Leaf<T>>>>;

/// Values by a small number, which may be sparse. Three levels deep: a clone copies one pointer for each 16,384 numbers, a change of a
/// shared vector 256 more.
#[derive(Debug)]
pub(super) struct CowVec<T> {
    root: Vec<Option<Arc<Branch<T>>>>,
}

impl<T> Clone for CowVec<T> {
    fn clone(&self) -> Self {
        Self {
            root: self.root.clone(),
        }
    }
}

impl<T> Default for CowVec<T> {
    fn default() -> Self {
        Self { root: Vec::new() }
    }
}

impl<T> CowVec<T> {
    pub(super) fn get(&self, number: u32) -> Option<&Arc<T>> {
        let [root, branch, leaf] = path(number);
        let branch_node = self.root.get(root)?.as_deref()?;
        branch_node[branch].as_deref()?[leaf].as_ref()
    }

    /// The place of a value, to change it there.
    pub(super) fn entry(&mut self, number: u32) -> &mut Option<Arc<T>> {
        let [root, branch, leaf] = path(number);
        if self.root.len() <= root {
            self.root.resize(root + 1, None);
        }
        let branch_node = self.root[root].get_or_insert_with(|| Arc::new(vec![None; WIDTH]));
        let leaf_node =
            Arc::make_mut(branch_node)[branch].get_or_insert_with(|| Arc::new(vec![None; WIDTH]));
        &mut Arc::make_mut(leaf_node)[leaf]
    }

    /// The value, made when there is none, to be changed; it is copied when others hold it.
    pub(super) fn make(&mut self, number: u32) -> &mut T
    where
        T: Clone + Default,
    {
        Arc::make_mut(self.entry(number).get_or_insert_default())
    }
}

fn path(number: u32) -> [usize; 3] {
    let number = number as usize;
    [
        number / (WIDTH * WIDTH),
        number / WIDTH % WIDTH,
        number % WIDTH,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_keeps_what_it_had() {
        let mut numbers = CowVec::default();
        for number in [0, 127, 128, 16_384, 1_000_000] {
            *numbers.make(number) = number;
        }
        let before = numbers.clone();
        *numbers.make(128) = 7;
        *numbers.entry(0) = None;
        assert_eq!(numbers.get(128).map(|n| **n), Some(7));
        assert_eq!(numbers.get(0), None);
        assert_eq!(numbers.get(1), None);
        assert_eq!(numbers.get(99_000_000), None);
        for number in [0, 127, 128, 16_384, 1_000_000] {
            assert_eq!(before.get(number).map(|n| **n), Some(number));
        }
    }
}
