//! Which docs have a term, by the field that has it.

use std::sync::Arc;

use roaring::RoaringBitmap;

use crate::domain::words::Field;
use crate::index::doc_set::DocSet;

/// A field of which a posting has a set of docs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PostingField {
    Title,
    Tagline,
    /// The creator's name and the city.
    Associated,
}

impl PostingField {
    const COUNT: usize = 3;

    /// The sets that contain a doc which has the word in this field.
    pub(super) fn for_field(field: Field) -> &'static [Self] {
        match field {
            Field::Title => &[Self::Title],
            Field::Tagline => &[Self::Tagline],
            Field::TaglineAndAssociated => &[Self::Tagline, Self::Associated],
            Field::Associated => &[Self::Associated],
        }
    }
}

/// The docs of a term by field, each in ascending order, while a dictionary is built.
#[derive(Debug, Default)]
pub(crate) struct FieldDocs([Vec<u32>; PostingField::COUNT]);

impl FieldDocs {
    pub(crate) fn push(&mut self, field: Field, doc: u32) {
        for set in PostingField::for_field(field) {
            self.0[*set as usize].push(doc);
        }
    }

    /// Appends docs, all of which are greater.
    pub(crate) fn append(&mut self, more: Self) {
        for (docs, more) in self.0.iter_mut().zip(more.0) {
            docs.extend(more);
        }
    }
}

/// The docs that have a term, by field.
#[derive(Debug, Clone, Default)]
pub(crate) struct Posting([DocSet; PostingField::COUNT]);

impl Posting {
    pub(crate) fn new(docs: FieldDocs) -> Self {
        Self(docs.0.map(DocSet::from))
    }

    /// The docs of several terms.
    pub(super) fn union(postings: &[Arc<Self>]) -> Self {
        let mut unions = [(); PostingField::COUNT].map(|()| Union::new(None));
        for posting in postings {
            for (union, docs) in unions.iter_mut().zip(&posting.0) {
                union.add(docs);
            }
        }
        Self(unions.map(|union| DocSet::from(union.finish())))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(DocSet::is_empty)
    }

    pub(super) fn insert(&mut self, field: PostingField, doc: u32) {
        self.0[field as usize].insert(doc);
    }

    pub(super) fn remove(&mut self, field: PostingField, doc: u32) {
        self.0[field as usize].remove(doc);
    }

    pub(crate) fn title(&self) -> &DocSet {
        &self.0[PostingField::Title as usize]
    }

    pub(crate) fn tagline(&self) -> &DocSet {
        &self.0[PostingField::Tagline as usize]
    }

    /// The docs that have it in the creator's name or the city.
    pub(crate) fn associated(&self) -> &DocSet {
        &self.0[PostingField::Associated as usize]
    }

    /// Sets whose union has all docs.
    pub(crate) fn every(&self) -> &[DocSet] {
        &self.0
    }

    /// The number of docs. A doc that has the term in two fields counts twice.
    pub(crate) fn len(&self) -> u64 {
        self.every().iter().map(DocSet::len).sum()
    }
}

/// Computes the union of several sets, only of their docs `within` if that is given.
#[derive(Debug)]
pub(crate) struct Union<'a> {
    within: Option<&'a RoaringBitmap>,
    /// Docs of arrays, unordered and with duplicates, also those that are not `within`: of a letter there are very many, and it is cheaper to
    /// set their bits than to look each one up.
    loose: Vec<u32>,
    bitmap: RoaringBitmap,
}

impl<'a> Union<'a> {
    pub(crate) fn new(within: Option<&'a RoaringBitmap>) -> Self {
        Self { within, loose: Vec::new(), bitmap: RoaringBitmap::new() }
    }

    pub(crate) fn add(&mut self, docs: &DocSet) {
        match (docs, self.within) {
            (DocSet::Array(docs), _) => self.loose.extend(docs),
            (DocSet::Bitmap(docs), None) => self.bitmap |= &**docs,
            (DocSet::Bitmap(docs), Some(within)) => self.bitmap |= &**docs & within,
        }
    }

    pub(crate) fn extend(&mut self, sets: &[DocSet]) {
        for docs in sets {
            self.add(docs);
        }
    }

    pub(crate) fn finish(mut self) -> RoaringBitmap {
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
