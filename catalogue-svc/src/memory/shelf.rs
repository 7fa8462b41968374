//! The public games of one mode, in their order, with what finds them.

use std::collections::BTreeSet;
use std::sync::Arc;

use roaring::RoaringBitmap;

use super::chunk::Chunk;
use super::named::Named;
use super::paged::Paged;
use super::row::{Maker, Row, Terms};
use super::vocabulary::Vocabulary;
use crate::domain::facet::Facet;
use crate::domain::order::Key;

/// Public games. A clone costs a few thousand pointers at a million games and shares everything else; a change copies what it touches.
///
/// Rows are addressed by *slot*: chunk number times capacity plus place. A slot stays with a row until the row's sort key changes or
/// its chunk is split.
#[derive(Debug, Clone)]
pub struct Shelf {
    capacity: u16,
    /// In sort order; none is empty.
    chunks: Vec<Arc<Chunk>>,
    rows: Paged<Row>,
    slugs: Named<u32>,
    creators: Named<Arc<RoaringBitmap>>,
    words: Vocabulary,
    len: u64,
    /// Chunk numbers: the next that was never used, and those that are free again.
    next: u32,
    free: Vec<u32>,
}

impl Shelf {
    /// A shelf whose chunks hold `capacity` rows, two at least.
    pub(super) fn new(capacity: u16) -> Self {
        Self {
            capacity: capacity.max(2),
            chunks: Vec::new(),
            rows: Paged::default(),
            slugs: Named::default(),
            creators: Named::default(),
            words: Vocabulary::default(),
            len: 0,
            next: 0,
            free: Vec::new(),
        }
    }

    /// How many games there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The game with this slug.
    pub fn get(&self, slug: &str) -> Option<&Arc<Row>> {
        self.row(*self.slugs.get(slug)?)
    }

    pub(super) fn capacity(&self) -> u16 {
        self.capacity
    }

    pub(super) fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }

    pub(super) fn row(&self, slot: u32) -> Option<&Arc<Row>> {
        self.rows.get(slot)
    }

    pub(super) fn by_creator(&self, handle: &str) -> Option<&RoaringBitmap> {
        self.creators.get(handle).map(AsRef::as_ref)
    }

    pub(super) fn by_word(&self, prefix: &str) -> RoaringBitmap {
        self.words.find(prefix)
    }

    /// Where the rows after `key` begin: chunk, and position in it.
    pub(super) fn locate_after(&self, key: Option<&Key>) -> (usize, usize) {
        let Some(key) = key else {
            return (0, 0);
        };
        let index = self
            .chunks
            .partition_point(|chunk| chunk.last().is_some_and(|slot| self.is(slot, |k| k <= key)));
        let position = self.chunks.get(index).map_or(0, |chunk| {
            chunk.partition_point(|slot| self.is(slot, |k| k <= key))
        });
        (index, position)
    }

    fn is(&self, slot: u32, condition: impl FnOnce(&Key) -> bool) -> bool {
        self.row(slot).is_some_and(|row| condition(&row.key))
    }

    /// Puts a game on the shelf, or in the place of what it was before.
    pub(super) fn put(&mut self, row: Arc<Row>, terms: Terms) -> anyhow::Result<()> {
        let held = self.slugs.get(&row.key.slug).copied();
        let held = held.and_then(|slot| Some((slot, Arc::clone(self.row(slot)?))));
        match held {
            Some((slot, old)) if old.key == row.key => self.replace(slot, &old, row, terms),
            Some((slot, old)) => {
                self.take(slot, &old)?;
                self.insert(row, terms)
            }
            None => self.insert(row, terms),
        }
    }

    /// Takes a game off the shelf, if it is there.
    pub(super) fn remove(&mut self, slug: &str) -> anyhow::Result<()> {
        let held = self.slugs.get(slug).copied();
        let held = held.and_then(|slot| Some((slot, Arc::clone(self.row(slot)?))));
        match held {
            Some((slot, old)) => self.take(slot, &old),
            None => Ok(()),
        }
    }

    /// After a batch of changes: tidies up what would otherwise grow.
    pub(super) fn settle(&mut self) -> Result<(), fst::Error> {
        self.words.settle()
    }

    fn insert(&mut self, row: Arc<Row>, terms: Terms) -> anyhow::Result<()> {
        let (index, position) = self.room(&row.key)?;
        let facets: Vec<Facet> = terms.facets.into_iter().collect();
        let slot = Arc::make_mut(&mut self.chunks[index]).insert(position, &facets);
        self.enter(slot, row, &terms.words);
        self.len += 1;
        Ok(())
    }

    fn take(&mut self, slot: u32, row: &Row) -> anyhow::Result<()> {
        let index = self.index_of(&row.key);
        let chunk = Arc::make_mut(&mut self.chunks[index]);
        chunk.remove(slot);
        if chunk.is_empty() {
            self.free.push(chunk.number);
            self.chunks.remove(index);
        }
        self.leave(slot, row, &row.words()?);
        *self.rows.entry(slot) = None;
        self.slugs.remove(&row.key.slug);
        self.len -= 1;
        Ok(())
    }

    /// The row changed, its place in the order did not: touches only what differs.
    fn replace(&mut self, slot: u32, old: &Row, row: Arc<Row>, terms: Terms) -> anyhow::Result<()> {
        let index = self.index_of(&row.key);
        let facets: Vec<Facet> = terms.facets.into_iter().collect();
        if self.chunks[index].facets(slot) != facets {
            Arc::make_mut(&mut self.chunks[index]).update(slot, &facets);
        }
        let had = old.words()?;
        for gone in had.difference(&terms.words) {
            self.words.remove(gone, slot);
        }
        for new in terms.words.difference(&had) {
            self.words.add(new, slot);
        }
        if old.maker.handle != row.maker.handle {
            self.leave_creator(slot, &old.maker);
            Arc::make_mut(self.creators.make(&row.maker.handle)).insert(slot);
        }
        *self.rows.entry(slot) = Some(row);
        Ok(())
    }

    /// Notes a row under its slot.
    fn enter(&mut self, slot: u32, row: Arc<Row>, words: &BTreeSet<String>) {
        self.slugs.insert(&row.key.slug, slot);
        Arc::make_mut(self.creators.make(&row.maker.handle)).insert(slot);
        for word in words {
            self.words.add(word, slot);
        }
        *self.rows.entry(slot) = Some(row);
    }

    /// Forgets that words and creator of a row lead to its slot.
    fn leave(&mut self, slot: u32, row: &Row, words: &BTreeSet<String>) {
        for word in words {
            self.words.remove(word, slot);
        }
        self.leave_creator(slot, &row.maker);
    }

    fn leave_creator(&mut self, slot: u32, maker: &Maker) {
        let games = Arc::make_mut(self.creators.make(&maker.handle));
        games.remove(slot);
        if games.is_empty() {
            self.creators.remove(&maker.handle);
        }
    }

    /// The chunk that has the row with this key.
    fn index_of(&self, key: &Key) -> usize {
        self.chunks
            .partition_point(|chunk| chunk.last().is_some_and(|slot| self.is(slot, |k| k < key)))
    }

    /// Makes room for a row with this key: chunk, and position in it.
    ///
    /// A full chunk is split in the middle. A row at one of the ends begins a new chunk there a little earlier: so games that come
    /// newest first, or oldest first, fill their chunks, and leave some room for those that come in between later.
    fn room(&mut self, key: &Key) -> anyhow::Result<(usize, usize)> {
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

    /// Whether the chunk at `index` is of the kind that takes rows like this one: featured, or not.
    fn takes(&self, index: usize, key: &Key) -> bool {
        self.chunks
            .get(index)
            .is_some_and(|chunk| chunk.featured == key.featured)
    }

    fn open(&mut self, index: usize, key: &Key) -> (usize, usize) {
        let chunk = Chunk::new(self.number(), key.featured, self.capacity);
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
        let mut behind = Chunk::new(number, chunk.featured, self.capacity);
        let moved = chunk.split_off(chunk.len() / 2);
        for (slot, facets) in moved {
            let Some(row) = self.rows.entry(slot).take() else {
                continue;
            };
            let words = row.words()?;
            self.leave(slot, &row, &words);
            let slot = behind.insert(behind.len(), &facets);
            self.enter(slot, row, &words);
        }
        self.chunks.insert(index + 1, Arc::new(behind));
        Ok(())
    }
}
