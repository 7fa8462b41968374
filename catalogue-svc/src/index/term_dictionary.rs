//! The words of a shelf: in which rows each stands.
//!
//! The bulk of the words is in a finite state transducer (fst), which cannot change; words that came since are in a small sorted map
//! beside it, and move into a new fst when they have become many. Either leads from a word to its number, and the number to the slots
//! of its rows, which can change.

use std::collections::BTreeMap;
use std::sync::Arc;

use fst::{IntoStreamer as _, Map, MapBuilder, Streamer as _};
use roaring::{MultiOps as _, RoaringBitmap};

use super::cow_vec::CowVec;
use crate::domain::words::Field;

/// New words that are borne before the fst is made anew: so many, and a share of those it has.
const FRESH: usize = 2_048;
const SHARE: usize = 64;

/// The rows of so many words are put together bit by bit; of fewer, set by set.
const MANY: usize = 64;

/// Words and their rows. Clones share almost everything.
#[derive(Debug, Clone, Default)]
pub(super) struct TermDictionary {
    base: Arc<Map<Vec<u8>>>,
    fresh: Arc<BTreeMap<Arc<str>, u32>>,
    rows: Rows,
    next: u32,
}

/// The slots of the rows that have a word, by the word's number.
#[derive(Debug, Clone, Default)]
struct Rows {
    /// They have it anywhere.
    all: CowVec<RoaringBitmap>,
    /// They have it in the title.
    title: CowVec<RoaringBitmap>,
    /// They have it in the pitch, and not in the title.
    pitch: CowVec<RoaringBitmap>,
}

impl Rows {
    /// Those that have a word in `field` and none better; `None`: they are only among all.
    fn best(&mut self, field: Field) -> Option<&mut CowVec<RoaringBitmap>> {
        match field {
            Field::Title => Some(&mut self.title),
            Field::Pitch => Some(&mut self.pitch),
            Field::Rest => None,
        }
    }
}

impl TermDictionary {
    fn number(&self, word: &str) -> Option<u32> {
        let base = self
            .base
            .get(word)
            .and_then(|number| u32::try_from(number).ok());
        base.or_else(|| self.fresh.get(word).copied())
    }

    /// The row in `slot` has `word`, in `field` at best.
    pub(super) fn add(&mut self, word: &str, field: Field, slot: u32) {
        let number = self.number(word).unwrap_or_else(|| {
            let number = self.next;
            self.next += 1;
            Arc::make_mut(&mut self.fresh).insert(word.into(), number);
            number
        });
        self.rows.all.make(number).insert(slot);
        if let Some(rows) = self.rows.best(field) {
            rows.make(number).insert(slot);
        }
    }

    /// The row in `slot` no longer has `word` in `field` at best.
    pub(super) fn remove(&mut self, word: &str, field: Field, slot: u32) {
        if let Some(number) = self.number(word) {
            self.rows.all.make(number).remove(slot);
            if let Some(rows) = self.rows.best(field) {
                rows.make(number).remove(slot);
            }
        }
    }

    /// The slots of rows with a word that begins with `prefix`.
    pub(super) fn find(&self, prefix: &str) -> RoaringBitmap {
        union(&self.rows.all, &self.beginning_with(prefix))
    }

    /// The same, for each field: rows that have such a word in this field or a better one.
    pub(super) fn find_by_field(&self, prefix: &str) -> [RoaringBitmap; Field::ALL.len()] {
        let words = self.beginning_with(prefix);
        let title = union(&self.rows.title, &words);
        let pitch = union(&self.rows.pitch, &words) | &title;
        [title, pitch, union(&self.rows.all, &words)]
    }

    /// The numbers of all words that begin with `prefix`.
    fn beginning_with(&self, prefix: &str) -> Vec<u32> {
        let mut found = Vec::new();
        let mut base = self.base.range().ge(prefix).into_stream();
        while let Some((word, number)) = base.next() {
            if !word.starts_with(prefix.as_bytes()) {
                break;
            }
            found.extend(u32::try_from(number).ok());
        }
        let fresh = self.fresh.range::<str, _>((
            std::ops::Bound::Included(prefix),
            std::ops::Bound::Unbounded,
        ));
        found.extend(
            fresh
                .take_while(|(word, _)| word.starts_with(prefix))
                .map(|(_, number)| *number),
        );
        found
    }

    /// Moves the new words into the fst when they have become many.
    pub(super) fn flush(&mut self) -> Result<(), fst::Error> {
        if self.fresh.len() > FRESH + self.base.len() / SHARE {
            *self = self.settled()?;
        }
        Ok(())
    }

    /// The same words, all of them in the fst and numbered in their order; those that no row has any more are left out.
    fn settled(&self) -> Result<Self, fst::Error> {
        let mut builder = MapBuilder::memory();
        let mut rows = Rows::default();
        let mut next = 0_u32;
        let mut keep = |word: &[u8], number: u32| {
            let all = self.rows.all.get(number);
            if all.is_none_or(|slots| slots.is_empty()) {
                return Ok(());
            }
            builder.insert(word, u64::from(next))?;
            for (held, rows) in [
                (&self.rows.all, &mut rows.all),
                (&self.rows.title, &mut rows.title),
                (&self.rows.pitch, &mut rows.pitch),
            ] {
                let slots = held.get(number).filter(|slots| !slots.is_empty());
                *rows.entry(next) = slots.map(Arc::clone);
            }
            next += 1;
            Ok::<(), fst::Error>(())
        };
        let mut fresh = self.fresh.iter().peekable();
        let mut base = self.base.stream();
        while let Some((word, number)) = base.next() {
            while let Some((new, number)) = fresh.next_if(|(new, _)| new.as_bytes() < word) {
                keep(new.as_bytes(), *number)?;
            }
            keep(word, u32::try_from(number).unwrap_or(u32::MAX))?;
        }
        for (new, number) in fresh {
            keep(new.as_bytes(), *number)?;
        }
        Ok(Self {
            base: Arc::new(Map::new(builder.into_inner()?)?),
            fresh: Arc::default(),
            rows,
            next,
        })
    }
}

/// The slots in the sets of any of these words.
fn union(rows: &CowVec<RoaringBitmap>, words: &[u32]) -> RoaringBitmap {
    let sets = words.iter().filter_map(|number| rows.get(*number));
    let sets = sets.map(AsRef::<RoaringBitmap>::as_ref);
    if words.len() > MANY {
        return union_of_many(sets);
    }
    sets.union()
}

/// A beginning of one or two letters has thousands of words with a few rows each. Joining that many small sets one after the other
/// would copy what is there already over and over.
fn union_of_many<'a>(sets: impl Iterator<Item = &'a RoaringBitmap>) -> RoaringBitmap {
    let mut bytes: Vec<u8> = Vec::new();
    let mut some = [0; 256];
    for set in sets {
        if let Some(last) = set.max() {
            bytes.resize(bytes.len().max(last as usize / 8 + 1), 0);
        }
        let mut slots = set.iter();
        loop {
            let some = slots.next_many(&mut some);
            if some.is_empty() {
                break;
            }
            for slot in some {
                bytes[*slot as usize / 8] |= 1 << (*slot % 8);
            }
        }
    }
    RoaringBitmap::from_lsb0_bytes(0, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(vocabulary: &TermDictionary, prefix: &str) -> Vec<u32> {
        vocabulary.find(prefix).into_iter().collect()
    }

    #[test]
    fn words_are_found_by_prefix_before_and_after_they_settle() {
        let mut words = TermDictionary::default();
        for (slot, word) in [
            (1, "lagos"),
            (2, "lamu"),
            (3, "zulu"),
            (4, "lagoon"),
            (5, "gone"),
        ] {
            words.add(word, Field::Pitch, slot);
        }
        words.remove("gone", Field::Pitch, 5);
        let mut settled = words.settled().unwrap();
        assert_eq!(settled.base.len(), 4);
        for words in [&words, &settled] {
            assert_eq!(slots(words, "lag"), [1, 4]);
            assert_eq!(slots(words, "la"), [1, 2, 4]);
            assert_eq!(slots(words, "zulu"), [3]);
            assert_eq!(slots(words, "zulus"), [0; 0]);
            assert_eq!(slots(words, "gone"), [0; 0]);
        }
        settled.add("lab", Field::Pitch, 6);
        settled.add("lagos", Field::Pitch, 7);
        settled.remove("lamu", Field::Pitch, 2);
        settled.add("gone", Field::Pitch, 8);
        for words in [&settled, &settled.settled().unwrap()] {
            assert_eq!(slots(words, "la"), [1, 4, 6, 7]);
            assert_eq!(slots(words, "g"), [8]);
        }
    }

    #[test]
    fn many_new_words_settle() {
        let mut words = TermDictionary::default();
        for slot in 0..3_000 {
            words.add(&format!("word{slot}"), Field::Pitch, slot);
        }
        words.flush().unwrap();
        assert_eq!((words.fresh.len(), words.base.len()), (0, 3_000));
        assert_eq!(slots(&words, "word2999"), [2_999]);
        assert_eq!(words.find("word"), (0..3_000).collect());
    }

    #[test]
    fn rows_are_told_apart_by_the_best_field() {
        let mut words = TermDictionary::default();
        words.add("lagos", Field::Rest, 1);
        words.add("lagos", Field::Title, 2);
        words.add("lagoon", Field::Pitch, 3);
        words.add("lagoon", Field::Rest, 2);
        let found = words.find_by_field("lag");
        let found = found.map(|slots| slots.into_iter().collect::<Vec<u32>>());
        assert_eq!(found, [vec![2], vec![2, 3], vec![1, 2, 3]]);
        assert_eq!(slots(&words, "lag"), [1, 2, 3]);
        words.remove("lagos", Field::Title, 2);
        assert_eq!(words.find_by_field("lag")[0], RoaringBitmap::new());
    }
}
