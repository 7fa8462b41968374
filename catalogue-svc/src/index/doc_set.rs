//! Sets of docs: those of a facet, and those of a term.

use std::borrow::Cow;

use roaring::RoaringBitmap;

/// The maximum length of an array. At a million rows a bitmap has up to 18 containers, and a container takes as much memory as a dozen docs of
/// an array.
const ARRAY: usize = 256;

/// A set of docs: an array while it is small, else a bitmap.
#[derive(Debug, Clone)]
pub(crate) enum DocSet {
    /// In ascending order.
    Array(Vec<u32>),
    Bitmap(Box<RoaringBitmap>),
}

impl Default for DocSet {
    fn default() -> Self {
        Self::Array(Vec::new())
    }
}

impl From<Vec<u32>> for DocSet {
    /// A set of docs that are in ascending order.
    #[expect(
        clippy::redundant_clone,
        reason = "a copy has no room to grow, which would be a third of the memory"
    )]
    fn from(docs: Vec<u32>) -> Self {
        if docs.len() <= ARRAY {
            return Self::Array(docs.as_slice().into());
        }
        let bitmap: RoaringBitmap = docs.into_iter().collect();
        Self::Bitmap(Box::new(bitmap.clone()))
    }
}

impl From<RoaringBitmap> for DocSet {
    fn from(docs: RoaringBitmap) -> Self {
        if docs.len() <= ARRAY as u64 {
            return Self::Array(docs.iter().collect());
        }
        Self::Bitmap(Box::new(docs))
    }
}

impl DocSet {
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Array(docs) => docs.len() as u64,
            Self::Bitmap(docs) => docs.len(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The docs of this set.
    pub(crate) fn to_bitmap(&self) -> Cow<'_, RoaringBitmap> {
        match self {
            Self::Array(docs) => Cow::Owned(docs.iter().copied().collect()),
            Self::Bitmap(docs) => Cow::Borrowed(docs),
        }
    }

    /// The docs of this set that are in `docs`.
    pub(crate) fn within(&self, docs: &RoaringBitmap) -> RoaringBitmap {
        match self {
            Self::Array(held) => held.iter().filter(|doc| docs.contains(**doc)).collect(),
            Self::Bitmap(held) => &**held & docs,
        }
    }

    pub(crate) fn insert(&mut self, doc: u32) {
        match self {
            Self::Bitmap(docs) => {
                docs.insert(doc);
            }
            Self::Array(docs) => {
                if let Err(at) = docs.binary_search(&doc) {
                    docs.reserve_exact(1);
                    docs.insert(at, doc);
                }
                if docs.len() > ARRAY {
                    *self = std::mem::take(docs).into();
                }
            }
        }
    }

    /// Removes a doc. A bitmap becomes an array at half the maximum length of an array, so that a set does not alternate between both.
    pub(crate) fn remove(&mut self, doc: u32) {
        match self {
            Self::Array(docs) => {
                if let Ok(at) = docs.binary_search(&doc) {
                    docs.remove(at);
                }
            }
            Self::Bitmap(docs) => {
                docs.remove(doc);
                if docs.len() <= ARRAY as u64 / 2 {
                    *self = Self::Array(docs.iter().collect());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_grows_to_a_bitmap_and_shrinks_to_an_array() {
        let mut docs = DocSet::default();
        for doc in (0..300).rev() {
            docs.insert(doc);
            docs.insert(doc);
        }
        assert!(matches!(docs, DocSet::Bitmap(_)));
        assert_eq!(docs.len(), 300);
        for doc in 20..300 {
            docs.remove(doc);
        }
        assert!(matches!(&docs, DocSet::Array(docs) if docs.len() == 20));
        docs.remove(400);
        assert_eq!(*docs.to_bitmap(), (0..20).collect());
        let other = [7, 30].into_iter().collect();
        assert_eq!(docs.within(&other), [7].into_iter().collect());
        assert!(matches!(DocSet::from(vec![1, 7]), DocSet::Array(_)));
    }
}
