//! The public listings of one kind and mode, in their order, with what finds them.

use std::collections::BTreeMap;
use std::sync::Arc;

use roaring::RoaringBitmap;

use imbl::{HashMap, Vector};

use super::chunk::{Chunk, filled};
use super::document::{Document, IndexedFields};
use super::postings::DocSet;
use super::term_dictionary::TermDictionary;
use crate::domain::facet::Facet;
use crate::domain::keyword::Keyword;

/// Public listings. A clone costs a few thousand pointers at a million rows and shares everything else; a change copies what it
/// touches.
///
/// Rows are numbered by *doc id*: chunk number times capacity plus offset. A row keeps its doc id until its sort key changes or its
/// chunk is split.
#[derive(Debug, Clone)]
pub struct Index<L: Document> {
    pub(super) capacity: u16,
    /// In sort order; none is empty.
    pub(super) chunks: Vec<Arc<Chunk>>,
    /// The index of each chunk in `chunks`, by its number.
    pub(super) positions: Arc<Vec<usize>>,
    /// The rows, by doc id.
    rows: Vector<Option<Arc<L>>>,
    pub(super) addresses: HashMap<Arc<str>, u32>,
    pub(super) keywords: HashMap<Keyword, Arc<DocSet>>,
    pub(super) words: TermDictionary,
    /// How many rows have each facet.
    pub(super) counts: Arc<BTreeMap<Facet, u64>>,
    pub(super) len: u64,
    /// The lowest chunk number that was never used.
    pub(super) next: u32,
    /// Chunk numbers that are free again.
    free: Vec<u32>,
}

impl<L: Document> Index<L> {
    /// An index whose chunks hold `capacity` rows, two at least.
    pub(super) fn new(capacity: u16) -> Self {
        Self {
            capacity: capacity.max(2),
            chunks: Vec::new(),
            positions: Arc::default(),
            rows: Vector::new(),
            addresses: HashMap::new(),
            keywords: HashMap::new(),
            words: TermDictionary::default(),
            counts: Arc::default(),
            len: 0,
            next: 0,
            free: Vec::new(),
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the index has no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The row with this slug or handle.
    pub fn get(&self, address: &str) -> Option<&Arc<L>> {
        self.row(*self.addresses.get(address)?)
    }

    /// How many rows have a facet.
    pub fn count(&self, facet: Facet) -> u64 {
        self.counts.get(&facet).copied().unwrap_or_default()
    }

    /// The docs that have a keyword.
    pub(super) fn docs_with(&self, keyword: &Keyword) -> Option<&DocSet> {
        self.keywords.get(keyword).map(AsRef::as_ref)
    }

    pub(super) fn row(&self, doc: u32) -> Option<&Arc<L>> {
        self.rows.get(doc as usize)?.as_ref()
    }

    pub(super) fn row_mut(&mut self, doc: u32) -> &mut Option<Arc<L>> {
        let doc = doc as usize;
        while self.rows.len() <= doc {
            self.rows.push_back(None);
        }
        &mut self.rows[doc]
    }

    /// The end of the rows that satisfy `before`, which must be the first of the list: the index of a chunk, and a position in it.
    pub(super) fn end_of(&self, before: impl Fn(&L) -> bool) -> (usize, usize) {
        let is_before = |doc| self.row(doc).is_some_and(|row| before(row));
        let index = self
            .chunks
            .partition_point(|chunk| chunk.last().is_some_and(is_before));
        let position = self
            .chunks
            .get(index)
            .map_or(0, |chunk| chunk.partition_point(is_before));
        (index, position)
    }

    /// The indexes of the chunks that have any of these docs, in ascending order.
    pub(super) fn chunks_with(&self, docs: &RoaringBitmap) -> Vec<usize> {
        let capacity = u32::from(self.capacity);
        let mut found = Vec::new();
        let mut docs = docs.iter();
        while let Some(doc) = docs.next() {
            let number = doc / capacity;
            found.extend(self.positions.get(number as usize));
            docs.advance_to((number + 1).saturating_mul(capacity));
        }
        found.sort_unstable();
        found
    }

    /// Adds a row whose id is not in the index.
    pub(super) fn insert(&mut self, row: Arc<L>) {
        let fields = row.fields();
        let (index, position) = self.position_for(&row);
        let doc = Arc::make_mut(&mut self.chunks[index]).insert(position, &fields);
        self.index_row(doc, row, &fields);
        self.len += 1;
        self.recount(&IndexedFields::default(), &fields);
    }

    /// Removes a row. Its address stays if another row has taken it over.
    pub(super) fn remove(&mut self, row: &L) {
        let Some((index, doc)) = self.find(row) else {
            return;
        };
        let fields = row.fields();
        Arc::make_mut(&mut self.chunks[index]).remove(doc);
        self.unindex_row(doc, &fields);
        *self.row_mut(doc) = None;
        if self.addresses.get(row.address()) == Some(&doc) {
            self.addresses.remove(row.address());
        }
        self.len -= 1;
        self.recount(&fields, &IndexedFields::default());
        if self.chunks[index].is_empty() {
            self.close_chunk(index);
        } else if self.chunks[index].is_sparse() {
            self.merge(index);
        }
    }

    /// Replaces an older state of a listing.
    pub(super) fn update(&mut self, old: &L, row: Arc<L>) {
        match self.find(old) {
            Some((index, doc)) if old.key() == row.key() => self.replace(index, doc, old, row),
            _ => {
                self.remove(old);
                self.insert(row);
            }
        }
    }

    /// Called after a batch of changes: moves new words into the fst when they are many.
    pub(super) fn flush(&mut self) -> Result<(), fst::Error> {
        self.words.flush()
    }

    /// The index of the row's chunk, and its doc. The key leads to it; the id distinguishes rows with the same key.
    fn find(&self, row: &L) -> Option<(usize, u32)> {
        let wanted = (row.key(), row.id());
        let (index, position) = self.end_of(|other| (other.key(), other.id()) < wanted);
        let doc = self.chunks.get(index)?.at(position)?;
        (self.row(doc)?.id() == row.id()).then_some((index, doc))
    }

    /// Replaces a row whose sort key is the same. Only what differs is written.
    fn replace(&mut self, index: usize, doc: u32, old: &L, row: Arc<L>) {
        let (had, has) = (old.fields(), row.fields());
        if (&had.facets, had.days, had.updated_at) != (&has.facets, has.days, has.updated_at) {
            Arc::make_mut(&mut self.chunks[index]).update(doc, &has);
            self.recount(&had, &has);
        }
        for keyword in had.keywords.difference(&has.keywords) {
            self.remove_keyword(keyword, doc);
        }
        for keyword in has.keywords.difference(&had.keywords) {
            self.insert_keyword(keyword, doc);
        }
        self.words.update(doc, &had.words, &has.words);
        self.addresses.insert(Arc::clone(row.address()), doc);
        *self.row_mut(doc) = Some(row);
    }

    /// Indexes a row under its doc id.
    fn index_row(&mut self, doc: u32, row: Arc<L>, fields: &IndexedFields) {
        self.addresses.insert(Arc::clone(row.address()), doc);
        for keyword in &fields.keywords {
            self.insert_keyword(keyword, doc);
        }
        self.words.update(doc, &BTreeMap::new(), &fields.words);
        *self.row_mut(doc) = Some(row);
    }

    /// Removes a doc id from the postings of its words and keywords.
    fn unindex_row(&mut self, doc: u32, fields: &IndexedFields) {
        self.words.update(doc, &fields.words, &BTreeMap::new());
        for keyword in &fields.keywords {
            self.remove_keyword(keyword, doc);
        }
    }

    fn insert_keyword(&mut self, keyword: &Keyword, doc: u32) {
        let docs = self.keywords.entry(keyword.clone()).or_default();
        Arc::make_mut(docs).insert(doc);
    }

    fn remove_keyword(&mut self, keyword: &Keyword, doc: u32) {
        let Some(docs) = self.keywords.get_mut(keyword).map(Arc::make_mut) else {
            return;
        };
        docs.remove(doc);
        if docs.is_empty() {
            self.keywords.remove(keyword);
        }
    }

    /// Updates the counts of facets for a row that had the fields `had` and now has `has`.
    fn recount(&mut self, had: &IndexedFields, has: &IndexedFields) {
        let counts = Arc::make_mut(&mut self.counts);
        for gone in &had.facets {
            *counts.entry(*gone).or_default() -= 1;
        }
        for new in &has.facets {
            *counts.entry(*new).or_default() += 1;
        }
    }

    /// Makes room for a row: the index of a chunk, and a position in it.
    ///
    /// A full chunk is split in the middle. A row at either end of a filled chunk opens a new chunk: rows that arrive newest first or oldest
    /// first fill their chunks, and leave some room for rows that come in between later.
    fn position_for(&mut self, row: &L) -> (usize, usize) {
        let key = (row.key(), row.id());
        let (after, _) = self.end_of(|other| (other.key(), other.id()) < key);
        let index = if self.takes(after, row) {
            after
        } else if after > 0 && self.takes(after - 1, row) {
            after - 1
        } else {
            return self.open_chunk(after, row);
        };
        let chunk = &self.chunks[index];
        let position = chunk.partition_point(|doc| {
            self.row(doc)
                .is_some_and(|other| (other.key(), other.id()) < key)
        });
        if position == 0 && chunk.is_filled() {
            let before = index
                .checked_sub(1)
                .filter(|before| self.takes(*before, row) && !self.chunks[*before].is_filled());
            return match before {
                Some(before) => (before, self.chunks[before].len()),
                None => self.open_chunk(index, row),
            };
        }
        if position == chunk.len() && chunk.is_filled() {
            return self.open_chunk(index + 1, row);
        }
        if chunk.is_full() {
            self.split(index);
            return self.position_for(row);
        }
        (index, position)
    }

    /// Whether there is a chunk at `index` and it has the row's partition.
    fn takes(&self, index: usize, row: &L) -> bool {
        self.chunks
            .get(index)
            .is_some_and(|chunk| chunk.partition == L::partition(row.key()))
    }

    fn open_chunk(&mut self, index: usize, row: &L) -> (usize, usize) {
        let chunk = Chunk::new(self.number(), L::partition(row.key()), self.capacity);
        self.chunks.insert(index, Arc::new(chunk));
        self.renumber();
        (index, 0)
    }

    fn number(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        })
    }

    /// Records the indexes of the chunks. There are few: some hundreds for a million rows.
    pub(super) fn renumber(&mut self) {
        let mut positions = vec![usize::MAX; self.next as usize];
        for (position, chunk) in self.chunks.iter().enumerate() {
            positions[chunk.number as usize] = position;
        }
        self.positions = Arc::new(positions);
    }

    /// Removes an empty chunk.
    fn close_chunk(&mut self, index: usize) {
        let chunk = self.chunks.remove(index);
        self.free.push(chunk.number);
        self.renumber();
    }

    /// Moves the later half of a chunk's rows to a new one behind it.
    fn split(&mut self, index: usize) {
        let number = self.number();
        let chunk = Arc::make_mut(&mut self.chunks[index]);
        let behind = Chunk::new(number, chunk.partition, self.capacity);
        let moved = chunk.split_off(chunk.len() / 2);
        self.chunks.insert(index + 1, Arc::new(behind));
        self.move_rows(moved, index + 1, 0);
        self.renumber();
    }

    /// Moves the rows of a chunk to a neighbour that has room for them, if one has.
    fn merge(&mut self, index: usize) {
        let chunk = &self.chunks[index];
        let has_room = |neighbour: &usize| {
            self.chunks.get(*neighbour).is_some_and(|neighbour| {
                neighbour.partition == chunk.partition
                    && neighbour.len() + chunk.len() <= filled(self.capacity)
            })
        };
        let (before, behind) = (index.checked_sub(1), Some(index + 1));
        let position = if let Some(before) = before.filter(has_room) {
            (before, self.chunks[before].len())
        } else if let Some(behind) = behind.filter(has_room) {
            (behind, 0)
        } else {
            return;
        };
        let moved = Arc::make_mut(&mut self.chunks[index]).split_off(0);
        self.move_rows(moved, position.0, position.1);
        self.close_chunk(index);
    }

    /// Moves consecutive rows, which were taken from their chunk, to a position of another chunk. They get new doc ids.
    fn move_rows(&mut self, moved: Vec<u32>, index: usize, first: usize) {
        for (position, old) in (first..).zip(moved) {
            let Some(row) = self.row_mut(old).take() else {
                continue;
            };
            let fields = row.fields();
            self.unindex_row(old, &fields);
            // Another row may have taken over the address.
            let address = Arc::clone(row.address());
            let holder = self.addresses.get(&address).copied();
            let doc = Arc::make_mut(&mut self.chunks[index]).insert(position, &fields);
            self.index_row(doc, row, &fields);
            if let Some(holder) = holder.filter(|holder| *holder != old) {
                self.addresses.insert(address, holder);
            }
        }
    }
}
