//! Which documents have a term.

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

impl From<&DocSet> for RoaringBitmap {
    fn from(docs: &DocSet) -> Self {
        match docs {
            DocSet::Array(docs) => docs.iter().copied().collect(),
            DocSet::Bitmap(docs) => docs.clone(),
        }
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
}

/// The docs that have a word with a short prefix, of which there are very many. `every` has the docs of all fields, so that a query of short
/// prefixes does not compute the union of three sets.
#[derive(Debug, Clone, Default)]
pub(super) struct PrefixPosting {
    every: DocSet,
    fields: Posting,
}

impl PrefixPosting {
    pub(super) fn of(docs: FieldDocs) -> Self {
        let mut every = docs.0[PostingField::Title as usize..].concat();
        every.sort_unstable();
        every.dedup();
        Self {
            every: every.into(),
            fields: Posting::of(docs),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.every.is_empty()
    }

    pub(super) fn insert(&mut self, field: Field, doc: u32) {
        self.every.insert(doc);
        self.fields.insert(field, doc);
    }

    pub(super) fn remove(&mut self, field: Field, doc: u32) {
        self.every.remove(doc);
        self.fields.remove(field, doc);
    }
}

/// The docs of a word or of a prefix.
#[derive(Debug, Clone, Copy)]
pub(super) enum Docs<'a> {
    /// Of a word.
    Word(&'a Posting),
    /// Of all words with a prefix.
    Prefix(&'a PrefixPosting),
}

impl<'a> Docs<'a> {
    pub(super) fn title_start(self) -> &'a DocSet {
        self.at(PostingField::TitleStart)
    }

    pub(super) fn title(self) -> &'a DocSet {
        self.at(PostingField::Title)
    }

    pub(super) fn pitch(self) -> &'a DocSet {
        self.at(PostingField::Pitch)
    }

    /// The docs that have it in the creator's name or the city.
    pub(super) fn rest(self) -> &'a DocSet {
        self.at(PostingField::Rest)
    }

    fn at(self, set: PostingField) -> &'a DocSet {
        let posting = match self {
            Self::Word(posting) => posting,
            Self::Prefix(posting) => &posting.fields,
        };
        &posting.0[set as usize]
    }

    /// Sets whose union has all docs.
    pub(super) fn every(self) -> &'a [DocSet] {
        match self {
            Self::Word(posting) => &posting.0[PostingField::Title as usize..],
            Self::Prefix(posting) => std::slice::from_ref(&posting.every),
        }
    }

    /// The number of docs. A doc that has the term in two fields counts twice.
    pub(super) fn len(self) -> u64 {
        self.every().iter().map(DocSet::len).sum()
    }
}

/// Computes the union of several sets.
#[derive(Debug, Default)]
pub(super) struct Union {
    /// Docs of arrays, unordered and with duplicates.
    loose: Vec<u32>,
    bitmap: RoaringBitmap,
}

impl Union {
    /// Adds the docs of a set, only those `within` if that is given.
    pub(super) fn add(&mut self, docs: &DocSet, within: Option<&RoaringBitmap>) {
        match (docs, within) {
            (DocSet::Array(docs), None) => self.loose.extend(docs),
            (DocSet::Array(docs), Some(within)) => {
                let docs = docs.iter().filter(|doc| within.contains(**doc));
                self.loose.extend(docs);
            }
            (DocSet::Bitmap(docs), None) => self.bitmap |= docs,
            (DocSet::Bitmap(docs), Some(within)) => self.bitmap |= docs & within,
        }
    }

    /// Adds the docs of several sets.
    pub(super) fn extend(&mut self, sets: &[DocSet], within: Option<&RoaringBitmap>) {
        for docs in sets {
            self.add(docs, within);
        }
    }

    pub(super) fn finish(mut self) -> RoaringBitmap {
        if self.loose.len() > DENSE {
            self.bitmap |= from_dense(&self.loose);
        } else {
            self.loose.sort_unstable();
            self.bitmap.extend(self.loose);
        }
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
        assert_eq!(RoaringBitmap::from(&docs), (0..20).collect());
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
            let mut union = Union::default();
            for docs in &sets {
                union.add(docs, within);
            }
            union.finish()
        };
        assert_eq!(union(None), (0..300).collect());
        let within = [9, 150, 500].into_iter().collect();
        assert_eq!(union(Some(&within)), [9, 150].into_iter().collect());
        let mut many = Union::default();
        for first in 0..3_000 {
            many.add(&DocSet::from(vec![first, first + 3_000]), None);
        }
        assert_eq!(many.finish(), (0..6_000).collect());
    }
}
