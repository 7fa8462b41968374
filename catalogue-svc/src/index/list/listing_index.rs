//! The public listings of one kind and mode, in their order, with what finds them.

use std::cmp::{Ordering, Reverse};
use std::hash::BuildHasher as _;
use std::sync::Arc;

use foldhash::fast::RandomState;
use imbl::{OrdMap, Vector};
use rand::Rng;
use rand::seq::index;
use rayon::slice::ParallelSliceMut as _;
use roaring::RoaringBitmap;

use crate::domain::facet::Facet;
use crate::index::doc_set::DocSet;
use crate::index::document::{Document, IndexedFields};
use crate::index::words::TermDictionary;

/// Public listings. A clone shares everything; a change copies what it touches.
///
/// A row has a number, its *doc id*, which it keeps until its sort key changes.
#[derive(Debug, Clone)]
pub struct Index<L: Document> {
    /// By doc id.
    rows: Vector<Option<Row<L>>>,
    /// The docs in the order of their keys.
    order: Arc<Vec<u32>>,
    /// Doc ids that are free again.
    free: Vector<u32>,
    /// The docs with the hashes of their addresses, in the order of the hashes. A doc whose address another doc has taken over is not among them.
    addresses: Arc<Vec<(u32, u32)>>,
    hasher: RandomState,
    /// The docs that have each facet.
    pub(crate) facets: OrdMap<Facet, Arc<DocSet>>,
    pub(crate) words: TermDictionary,
}

/// A row, with the time of its last change: a list of what has changed reads the times of all rows.
#[derive(Debug, Clone)]
struct Row<L> {
    listing: Arc<L>,
    updated_at: i64,
}

impl<L: Document> Row<L> {
    fn new(listing: Arc<L>) -> Self {
        Self { updated_at: listing.updated_at(), listing }
    }
}

impl<L: Document> Index<L> {
    pub(crate) fn new() -> Self {
        Self {
            rows: Vector::new(),
            order: Arc::default(),
            free: Vector::new(),
            addresses: Arc::default(),
            hasher: RandomState::default(),
            facets: OrdMap::new(),
            words: TermDictionary::default(),
        }
    }

    /// An index of rows that are sorted, without what finds them.
    pub(crate) fn from_sorted(rows: &[Arc<L>]) -> Self {
        let index = Self::new();
        let docs = (0..).zip(rows);
        let mut addresses: Vec<(u32, u32)> =
            docs.map(|(doc, row)| (index.hash(row.address()), doc)).collect();
        // The last doc comes first among those with the same address, and is kept.
        addresses.par_sort_unstable_by_key(|(hash, doc)| (*hash, Reverse(*doc)));
        let address = |doc: u32| rows[doc as usize].address();
        addresses.dedup_by(|(hash, doc), (held_hash, held)| {
            hash == held_hash && address(*doc) == address(*held)
        });
        Self {
            rows: (rows.iter().map(Arc::clone)).map(|listing| Some(Row::new(listing))).collect(),
            order: Arc::new((0..).take(rows.len()).collect()),
            addresses: Arc::new(addresses),
            ..index
        }
    }

    pub fn len(&self) -> u64 {
        self.order.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.order.len() == 0
    }

    /// The row with this slug or handle.
    pub fn get(&self, address: &str) -> Option<&Arc<L>> {
        self.row(self.addresses[self.find_address(address).ok()?].1)
    }

    pub fn count(&self, facet: &Facet) -> u64 {
        self.docs_with(facet).map_or(0, DocSet::len)
    }

    /// All rows in their order.
    pub fn rows(&self) -> impl Iterator<Item = &Arc<L>> {
        self.order.iter().filter_map(|doc| self.row(*doc))
    }

    /// The row at this position of the list, from 0.
    pub fn nth(&self, position: u64) -> Option<&Arc<L>> {
        self.row(*self.order.get(usize::try_from(position).ok()?)?)
    }

    /// Different rows in random order, at most `most`. Each row is as likely as any other. They are drawn by their positions, which are the same
    /// at each replica, unlike doc ids.
    pub fn sample(&self, rng: &mut impl Rng, most: usize) -> Vec<Arc<L>> {
        let rows = self.order.len();
        let drawn = index::sample(rng, rows, rows.min(most)).into_iter();
        drawn.filter_map(|position| self.nth(position as u64).cloned()).collect()
    }

    pub(crate) fn docs_with(&self, facet: &Facet) -> Option<&DocSet> {
        self.facets.get(facet).map(AsRef::as_ref)
    }

    pub(crate) fn row(&self, doc: u32) -> Option<&Arc<L>> {
        let row = self.rows.get(doc as usize)?.as_ref();
        row.map(|row| &row.listing)
    }

    /// All docs, in ascending order.
    pub(crate) fn docs(&self) -> impl Iterator<Item = u32> {
        let numbered = (0..).zip(&self.rows);
        numbered.filter_map(|(doc, row)| row.as_ref().map(|_| doc))
    }

    /// The docs that changed then or later, in microseconds since 1970.
    pub(crate) fn changed_since(&self, since: i64) -> RoaringBitmap {
        let numbered = (0..).zip(&self.rows);
        let changed =
            numbered.filter(|(_, row)| row.as_ref().is_some_and(|row| row.updated_at >= since));
        changed.map(|(doc, _)| doc).collect()
    }

    /// Adds a row whose id is not in the index.
    pub(crate) fn insert(&mut self, row: Arc<L>) {
        let doc = self.free.pop_back().unwrap_or_else(|| {
            self.rows.push_back(None);
            u32::try_from(self.rows.len() - 1).unwrap_or(u32::MAX)
        });
        let position = self.place(row.key(), true);
        Arc::make_mut(&mut self.order).insert(position, doc);
        self.index_fields(doc, &IndexedFields::default(), &row.fields());
        self.set(doc, row);
    }

    /// Removes a row. Its address stays if another row has taken it over.
    pub(crate) fn remove(&mut self, row: &L) {
        let Some((position, doc)) = self.find(row) else {
            return;
        };
        Arc::make_mut(&mut self.order).remove(position);
        self.index_fields(doc, &row.fields(), &IndexedFields::default());
        if let Ok(at) = self.find_address(row.address())
            && self.addresses[at].1 == doc
        {
            Arc::make_mut(&mut self.addresses).remove(at);
        }
        self.rows.set(doc as usize, None);
        self.free.push_back(doc);
    }

    /// Replaces an older state of a listing.
    pub(crate) fn update(&mut self, old: &L, row: Arc<L>) {
        match self.find(old) {
            Some((_, doc)) if old.key() == row.key() => {
                self.index_fields(doc, &old.fields(), &row.fields());
                self.set(doc, row);
            }
            _ => {
                self.remove(old);
                self.insert(row);
            }
        }
    }

    /// Called after a batch of changes: moves new words into the fst when they are many.
    pub(crate) fn flush(&mut self) -> Result<(), fst::Error> {
        self.words.flush()
    }

    /// How many docs are in the order before a row with this key; `behind` counts those with the key itself, too.
    fn place(&self, key: &L::Key, behind: bool) -> usize {
        self.order.partition_point(|doc| {
            let order = self.row(*doc).map(|row| row.key().cmp(key));
            order == Some(Ordering::Less) || (behind && order == Some(Ordering::Equal))
        })
    }

    /// The docs behind the key `after`, from the first to the last or (`backwards`) in reverse.
    pub(super) fn docs_behind(
        &self,
        after: Option<&L::Key>,
        backwards: bool,
    ) -> Box<dyn Iterator<Item = u32> + '_> {
        let place = after.map(|key| self.place(key, !backwards));
        if backwards {
            let docs = &self.order[..place.unwrap_or(self.order.len())];
            Box::new(docs.iter().rev().copied())
        } else {
            Box::new(self.order[place.unwrap_or_default()..].iter().copied())
        }
    }

    /// The position and the doc of a row. Its key leads to it. Two rows have the same key while an address passes from one listing to another: the
    /// id distinguishes them.
    fn find(&self, row: &L) -> Option<(usize, u32)> {
        let (first, end) = (self.place(row.key(), false), self.place(row.key(), true));
        let mut docs = (first..end).zip(self.order[first..end].iter().copied());
        docs.find(|(_, doc)| self.row(*doc).is_some_and(|other| other.id() == row.id()))
    }

    fn hash(&self, address: &str) -> u32 {
        // Half of the hash suffices: the addresses of docs with equal hashes are compared.
        (self.hasher.hash_one(address) >> 32) as u32
    }

    /// Where the doc with this address is among the addresses, or would be.
    fn find_address(&self, address: &str) -> Result<usize, usize> {
        let hash = self.hash(address);
        let first = self.addresses.partition_point(|(held, _)| *held < hash);
        let mut same = self.addresses[first..].iter().take_while(|(held, _)| *held == hash);
        let is_found = |doc: u32| self.row(doc).is_some_and(|row| **row.address() == *address);
        same.position(|(_, doc)| is_found(*doc)).map(|at| first + at).ok_or(first)
    }

    fn set(&mut self, doc: u32, row: Arc<L>) {
        match self.find_address(row.address()) {
            Ok(at) if self.addresses[at].1 == doc => {}
            Ok(at) => Arc::make_mut(&mut self.addresses)[at].1 = doc,
            Err(at) => {
                let entry = (self.hash(row.address()), doc);
                Arc::make_mut(&mut self.addresses).insert(at, entry);
            }
        }
        self.rows.set(doc as usize, Some(Row::new(row)));
    }

    /// Updates facets and words for a row that had the fields `had` and now has `has`. Only what differs is written.
    fn index_fields(&mut self, doc: u32, had: &IndexedFields, has: &IndexedFields) {
        for facet in &had.facets {
            if !has.facets.contains(facet) {
                self.remove_facet(facet, doc);
            }
        }
        for facet in &has.facets {
            if !had.facets.contains(facet) {
                let docs = self.facets.entry(facet.clone()).or_default();
                Arc::make_mut(docs).insert(doc);
            }
        }
        self.words.update(doc, &had.words, &has.words);
    }

    fn remove_facet(&mut self, facet: &Facet, doc: u32) {
        let Some(docs) = self.facets.get_mut(facet).map(Arc::make_mut) else {
            return;
        };
        docs.remove(doc);
        if docs.is_empty() {
            self.facets.remove(facet);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::document::document_parts;
    use crate::index::rendered::Rendered;

    #[derive(Debug, Clone)]
    struct Row {
        key: u32,
        address: Arc<str>,
        text: Rendered,
    }

    impl Document for Row {
        document_parts!(u32, u32, key, address);

        fn fields(&self) -> IndexedFields {
            IndexedFields::default()
        }
    }

    #[test]
    fn an_address_leads_to_its_row_although_another_has_the_same_hash() {
        let text = Rendered::new(&()).unwrap();
        let row = |key| Row { key, address: format!("row-{key}").into(), text: text.clone() };
        // Of so many hashes of 32 bits, about ten pairs are equal.
        let rows: Vec<_> = (0..300_000).map(|key| Arc::new(row(key))).collect();
        let index = Index::from_sorted(&rows);
        let is_found = |row: &Row| index.get(&row.address).is_some_and(|it| it.key == row.key);
        assert!(rows.iter().all(|row| is_found(row)));
        assert!(index.get("row-").is_none());
    }
}
