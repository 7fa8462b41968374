//! The public listings of one kind and mode, in their order, with what finds them.

use std::collections::BTreeMap;
use std::sync::Arc;

use roaring::RoaringBitmap;

use super::chunk::Chunk;
use super::cow_map::CowMap;
use super::cow_vec::CowVec;
use super::document::{Document, IndexedFields};
use super::term_dictionary::TermDictionary;
use crate::domain::facet::Facet;
use crate::domain::keyword::Keyword;

/// Public listings. A clone costs a few thousand pointers at a million rows and shares everything else; a change copies what it
/// touches.
///
/// Rows are numbered by *slot*: chunk number times capacity plus place. A slot stays with a row until the row's sort key changes or
/// its chunk is split.
#[derive(Debug, Clone)]
pub struct Index<L: Document> {
    capacity: u16,
    /// In sort order; none is empty.
    chunks: Vec<Arc<Chunk>>,
    rows: CowVec<L>,
    addresses: CowMap<Arc<str>, u32>,
    keywords: CowMap<Keyword, Arc<RoaringBitmap>>,
    words: TermDictionary,
    /// How many rows have a value.
    counts: Arc<BTreeMap<Facet, u64>>,
    len: u64,
    /// Chunk numbers: the next that was never used, and those that are free again.
    next: u32,
    free: Vec<u32>,
}

impl<L: Document> Index<L> {
    /// A shelf whose chunks hold `capacity` rows, two at least.
    pub(super) fn new(capacity: u16) -> Self {
        Self {
            capacity: capacity.max(2),
            chunks: Vec::new(),
            rows: CowVec::default(),
            addresses: CowMap::default(),
            keywords: CowMap::default(),
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

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The row with this slug or handle.
    pub fn get(&self, address: &str) -> Option<&Arc<L>> {
        self.row(*self.addresses.get(address)?)
    }

    /// How many rows have a value.
    pub fn count(&self, facet: Facet) -> u64 {
        self.counts.get(&facet).copied().unwrap_or_default()
    }

    /// The slots of the rows that have a value.
    pub(super) fn tagged(&self, tag: &Keyword) -> Option<&RoaringBitmap> {
        self.keywords.get(tag).map(AsRef::as_ref)
    }

    pub(super) fn words(&self) -> &TermDictionary {
        &self.words
    }

    pub(super) fn capacity(&self) -> u16 {
        self.capacity
    }

    pub(super) fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }

    pub(super) fn row(&self, slot: u32) -> Option<&Arc<L>> {
        self.rows.get(slot)
    }

    /// Where the rows that satisfy `before` end, which are the first of the list: chunk, and position in it.
    pub(super) fn end_of(&self, before: impl Fn(&L::Key) -> bool) -> (usize, usize) {
        let index = self
            .chunks
            .partition_point(|chunk| chunk.last().is_some_and(|slot| self.is(slot, &before)));
        let position = self.chunks.get(index).map_or(0, |chunk| {
            chunk.partition_point(|slot| self.is(slot, &before))
        });
        (index, position)
    }

    fn is(&self, slot: u32, condition: impl FnOnce(&L::Key) -> bool) -> bool {
        self.row(slot).is_some_and(|row| condition(row.key()))
    }

    /// Puts a row on the shelf, or in the place of what it was before.
    pub(super) fn put(&mut self, row: Arc<L>) -> anyhow::Result<()> {
        match self.held(row.address()) {
            Some((slot, old)) if old.key() == row.key() => self.replace(slot, &old, row),
            Some((slot, old)) => {
                self.take(slot, &old)?;
                self.insert(row)
            }
            None => self.insert(row),
        }
    }

    /// Takes a row off the shelf, if it is there.
    pub(super) fn remove(&mut self, address: &str) -> anyhow::Result<()> {
        match self.held(address) {
            Some((slot, old)) => self.take(slot, &old),
            None => Ok(()),
        }
    }

    /// After a batch of changes: tidies up what would otherwise grow.
    pub(super) fn flush(&mut self) -> Result<(), fst::Error> {
        self.words.flush()
    }

    fn held(&self, address: &str) -> Option<(u32, Arc<L>)> {
        let slot = *self.addresses.get(address)?;
        Some((slot, Arc::clone(self.row(slot)?)))
    }

    fn insert(&mut self, row: Arc<L>) -> anyhow::Result<()> {
        let terms = row.terms()?;
        let (index, position) = self.room(row.key())?;
        let slot = Arc::make_mut(&mut self.chunks[index]).insert(position, &terms);
        self.enter(slot, row, &terms);
        self.len += 1;
        self.recount(&IndexedFields::default(), &terms);
        Ok(())
    }

    fn take(&mut self, slot: u32, row: &L) -> anyhow::Result<()> {
        let terms = row.terms()?;
        let index = self.index_of(row.key());
        let chunk = Arc::make_mut(&mut self.chunks[index]);
        chunk.remove(slot);
        if chunk.is_empty() {
            self.free.push(chunk.number);
            self.chunks.remove(index);
        }
        self.leave(slot, &terms);
        *self.rows.entry(slot) = None;
        self.addresses.remove(row.address());
        self.len -= 1;
        self.recount(&terms, &IndexedFields::default());
        Ok(())
    }

    /// The row changed, its place in the order did not: touches only what differs.
    fn replace(&mut self, slot: u32, old: &L, row: Arc<L>) -> anyhow::Result<()> {
        let (had, has) = (old.terms()?, row.terms()?);
        if (&had.facets, had.days) != (&has.facets, has.days) {
            let index = self.index_of(row.key());
            Arc::make_mut(&mut self.chunks[index]).update(slot, &has);
            self.recount(&had, &has);
        }
        for tag in had.keywords.difference(&has.keywords) {
            self.untag(tag, slot);
        }
        for tag in has.keywords.difference(&had.keywords) {
            self.tag(tag, slot);
        }
        for (word, field) in &had.words {
            if has.words.get(word) != Some(field) {
                self.words.remove(word, *field, slot);
            }
        }
        for (word, field) in &has.words {
            if had.words.get(word) != Some(field) {
                self.words.add(word, *field, slot);
            }
        }
        *self.rows.entry(slot) = Some(row);
        Ok(())
    }

    /// Notes a row under its slot.
    fn enter(&mut self, slot: u32, row: Arc<L>, terms: &IndexedFields) {
        self.addresses.insert(row.address(), slot);
        for tag in &terms.keywords {
            self.tag(tag, slot);
        }
        for (word, field) in &terms.words {
            self.words.add(word, *field, slot);
        }
        *self.rows.entry(slot) = Some(row);
    }

    /// Forgets that words and keywords of a row lead to its slot.
    fn leave(&mut self, slot: u32, terms: &IndexedFields) {
        for (word, field) in &terms.words {
            self.words.remove(word, *field, slot);
        }
        for tag in &terms.keywords {
            self.untag(tag, slot);
        }
    }

    fn tag(&mut self, tag: &Keyword, slot: u32) {
        Arc::make_mut(self.keywords.make(tag)).insert(slot);
    }

    fn untag(&mut self, tag: &Keyword, slot: u32) {
        let rows = Arc::make_mut(self.keywords.make(tag));
        rows.remove(slot);
        if rows.is_empty() {
            self.keywords.remove(tag);
        }
    }

    /// A row had some values, and now has others.
    fn recount(&mut self, had: &IndexedFields, has: &IndexedFields) {
        let counts = Arc::make_mut(&mut self.counts);
        for gone in &had.facets {
            *counts.entry(*gone).or_default() -= 1;
        }
        for new in &has.facets {
            *counts.entry(*new).or_default() += 1;
        }
    }

    /// The chunk that has the row with this key.
    fn index_of(&self, key: &L::Key) -> usize {
        self.chunks
            .partition_point(|chunk| chunk.last().is_some_and(|slot| self.is(slot, |k| k < key)))
    }

    /// Makes room for a row with this key: chunk, and position in it.
    ///
    /// A full chunk is split in the middle. A row at one of the ends begins a new chunk there a little earlier: so rows that come
    /// newest first, or oldest first, fill their chunks, and leave some room for those that come in between later.
    fn room(&mut self, key: &L::Key) -> anyhow::Result<(usize, usize)> {
        let after = self.index_of(key);
        let index = if self.takes(after, key) {
            after
        } else if after > 0 && self.takes(after - 1, key) {
            after - 1
        } else {
            return Ok(self.open(after, key));
        };
        let chunk = &self.chunks[index];
        let position = chunk.partition_point(|slot| self.is(slot, |k| k < key));
        if position == 0 && chunk.is_filled() {
            let before = index
                .checked_sub(1)
                .filter(|before| self.takes(*before, key) && !self.chunks[*before].is_filled());
            return Ok(match before {
                Some(before) => (before, self.chunks[before].len()),
                None => self.open(index, key),
            });
        }
        if position == chunk.len() && chunk.is_filled() {
            return Ok(self.open(index + 1, key));
        }
        if chunk.is_full() {
            self.split(index)?;
            return self.room(key);
        }
        Ok((index, position))
    }

    /// Whether the chunk at `index` is one that takes rows like this one.
    fn takes(&self, index: usize, key: &L::Key) -> bool {
        self.chunks
            .get(index)
            .is_some_and(|chunk| chunk.apart == L::is_apart(key))
    }

    fn open(&mut self, index: usize, key: &L::Key) -> (usize, usize) {
        let chunk = Chunk::new(self.number(), L::is_apart(key), self.capacity);
        self.chunks.insert(index, Arc::new(chunk));
        (index, 0)
    }

    fn number(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        })
    }

    /// Moves the later half of a chunk's rows to a new one behind it. They get new slots.
    fn split(&mut self, index: usize) -> anyhow::Result<()> {
        let number = self.number();
        let chunk = Arc::make_mut(&mut self.chunks[index]);
        let mut behind = Chunk::new(number, chunk.apart, self.capacity);
        let moved = chunk.split_off(chunk.len() / 2);
        for slot in moved {
            let Some(row) = self.rows.entry(slot).take() else {
                continue;
            };
            let terms = row.terms()?;
            self.leave(slot, &terms);
            let slot = behind.insert(behind.len(), &terms);
            self.enter(slot, row, &terms);
        }
        self.chunks.insert(index + 1, Arc::new(behind));
        Ok(())
    }
}
