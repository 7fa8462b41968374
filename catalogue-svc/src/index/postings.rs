//! Which documents have a term.

use std::borrow::Cow;

use roaring::RoaringBitmap;

use crate::domain::words::Field;

/// The maximum length of an array. At a million rows a bitmap has up to 18 containers, and a container takes as much memory as a dozen docs of
/// an array.
const ARRAY: usize = 256;

/// A set of docs: an array while it is small, else a bitmap.
#[derive(Debug, Clone)]
pub(super) enum DocSet {
    /// In ascending order.
    Array(Vec<u32>),
    Bitmap(RoaringBitmap),
}

impl Default for DocSet {
    fn default() -> Self {
        Self::Array(Vec::new())
    }
}

impl From<Vec<u32>> for DocSet {
    /// A set of docs that are in ascending order.
    fn from(docs: Vec<u32>) -> Self {
        if docs.len() <= ARRAY {
            return Self::Array(docs.as_slice().into());
        }
        let mut bitmap = RoaringBitmap::new();
        bitmap.extend(docs);
        Self::Bitmap(bitmap)
    }
}

impl DocSet {
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Array(docs) => docs.len() as u64,
            Self::Bitmap(docs) => docs.len(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The docs of this set.
    pub(super) fn to_bitmap(&self) -> Cow<'_, RoaringBitmap> {
        match self {
            Self::Array(docs) => Cow::Owned(docs.iter().copied().collect()),
            Self::Bitmap(docs) => Cow::Borrowed(docs),
        }
    }

    /// The docs of this set that are in `docs`.
    pub(super) fn within(&self, docs: &RoaringBitmap) -> RoaringBitmap {
        match self {
            Self::Array(held) => held.iter().filter(|doc| docs.contains(**doc)).collect(),
            Self::Bitmap(held) => held & docs,
        }
    }

    pub(super) fn insert(&mut self, doc: u32) {
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
    pub(super) fn remove(&mut self, doc: u32) {
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

/// A field of which a posting has a set of docs.
#[derive(Debug, Clone, Copy)]
enum PostingField {
    TitleStart,
    Title,
    Pitch,
    /// The creator's name and the city.
    Rest,
}

impl PostingField {
    const COUNT: usize = 4;

    /// The sets that contain a doc which has the word in this field.
    fn of(field: Field) -> &'static [Self] {
        match field {
            Field::TitleStart => &[Self::TitleStart, Self::Title],
            Field::Title => &[Self::Title],
            Field::Pitch => &[Self::Pitch],
            Field::PitchAndRest => &[Self::Pitch, Self::Rest],
            Field::Rest => &[Self::Rest],
        }
    }
}

/// The docs of a term by field, each in ascending order, while a dictionary is built.
#[derive(Debug, Default)]
pub(super) struct FieldDocs([Vec<u32>; PostingField::COUNT]);

impl FieldDocs {
    pub(super) fn push(&mut self, field: Field, doc: u32) {
        for set in PostingField::of(field) {
            self.0[*set as usize].push(doc);
        }
    }

    /// Appends docs, all of which are greater.
    pub(super) fn append(&mut self, more: Self) {
        for (docs, more) in self.0.iter_mut().zip(more.0) {
            docs.extend(more);
        }
    }
}

/// The docs that have a term, by field.
#[derive(Debug, Clone, Default)]
pub(super) struct Posting([DocSet; PostingField::COUNT]);

impl Posting {
    pub(super) fn of(docs: FieldDocs) -> Self {
        Self(docs.0.map(DocSet::from))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(DocSet::is_empty)
    }

    pub(super) fn insert(&mut self, field: Field, doc: u32) {
        for set in PostingField::of(field) {
            self.0[*set as usize].insert(doc);
        }
    }

    pub(super) fn remove(&mut self, field: Field, doc: u32) {
        for set in PostingField::of(field) {
            self.0[*set as usize].remove(doc);
        }
    }

    pub(super) fn title_start(&self) -> &DocSet {
        &self.0[PostingField::TitleStart as usize]
    }

    pub(super) fn title(&self) -> &DocSet {
        &self.0[PostingField::Title as usize]
    }

    pub(super) fn pitch(&self) -> &DocSet {
        &self.0[PostingField::Pitch as usize]
    }

    /// The docs that have it in the creator's name or the city.
    pub(super) fn rest(&self) -> &DocSet {
        &self.0[PostingField::Rest as usize]
    }

    /// Sets whose union has all docs.
    pub(super) fn every(&self) -> &[DocSet] {
        &self.0[PostingField::Title as usize..]
    }

    /// The number of docs. A doc that has the term in two fields counts twice.
    pub(super) fn len(&self) -> u64 {
        self.every().iter().map(DocSet::len).sum()
    }
}

/// Computes the union of several sets, only of their docs `within` if that is given.
#[derive(Debug)]
pub(super) struct Union<'a> {
    within: Option<&'a RoaringBitmap>,
    /// Docs of arrays, unordered and with duplicates, also those that are not `within`: of a letter there are very many, and it is cheaper to
    /// set their bits than to look each one up.
    loose: Vec<u32>,
    bitmap: RoaringBitmap,
}

impl<'a> Union<'a> {
    pub(super) fn new(within: Option<&'a RoaringBitmap>) -> Self {
        Self {
            within,
            loose: Vec::new(),
            bitmap: RoaringBitmap::new(),
        }
    }

    /// Adds the docs of a set.
    pub(super) fn add(&mut self, docs: &DocSet) {
        match (docs, self.within) {
            (DocSet::Array(docs), _) => self.loose.extend(docs),
            (DocSet::Bitmap(docs), None) => self.bitmap |= docs,
            (DocSet::Bitmap(docs), Some(within)) => self.bitmap |= docs & within,
        }
    }

    /// Adds the docs of several sets.
    pub(super) fn extend(&mut self, sets: &[DocSet]) {
        for docs in sets {
            self.add(docs);
        }
    }

    pub(super) fn finish(mut self) -> RoaringBitmap {
        if self.loose.len() > DENSE {
            let mut loose = from_dense(&self.loose);
            if let Some(within) = self.within {
                loose &= within;
            }
            self.bitmap |= loose;
            return self.bitmap;
        }
        if let Some(within) = self.within {
            self.loose.retain(|doc| within.contains(*doc));
        }
        self.loose.sort_unstable();
        self.bitmap.extend(self.loose);
        self.bitmap
    }
}

/// More loose docs than this are not sorted, but set as bits one by one.
const DENSE: usize = 4_096;

fn from_dense(docs: &[u32]) -> RoaringBitmap {
    let last = docs.iter().max().copied().unwrap_or_default();
    let mut bytes = vec![0_u8; last as usize / 8 + 1];
    for doc in docs {
        bytes[*doc as usize / 8] |= 1 << (doc % 8);
    }
    RoaringBitmap::from_lsb0_bytes(0, &bytes)
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

    #[test]
    fn a_union_has_every_doc_once() {
        let sets = [
            DocSet::from(vec![3, 9]),
            DocSet::from(vec![1, 9]),
            DocSet::from((0..300).collect::<Vec<u32>>()),
        ];
        let union = |within: Option<&RoaringBitmap>| {
            let mut union = Union::new(within);
            union.extend(&sets);
            union.finish()
        };
        assert_eq!(union(None), (0..300).collect());
        let within = [9, 150, 500].into_iter().collect();
        assert_eq!(union(Some(&within)), [9, 150].into_iter().collect());
        for (within, expected) in [(None, 0..6_000), (Some((5..70).collect()), 5..70)] {
            let mut many = Union::new(within.as_ref());
            for first in 0..3_000 {
                many.add(&DocSet::from(vec![first, first + 3_000]));
            }
            assert_eq!(many.finish(), expected.collect());
        }
    }
}
