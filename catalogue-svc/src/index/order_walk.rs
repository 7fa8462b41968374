//! Walks along the order of an index by position, without a filter, for the sitemap, the newest games, the boards and draws.

use std::sync::Arc;

use super::chunk::Chunk;
use super::document::Document;
use super::listing_index::Index;

/// The direction of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// In the order of the list.
    Forwards,
    /// From the last row to the first.
    Backwards,
}

impl<L: Document> Index<L> {
    /// All rows in their order.
    pub fn rows(&self) -> impl Iterator<Item = &Arc<L>> {
        self.walk_from(Direction::Forwards, 0).map(|(row, _)| row)
    }

    /// The number of rows that satisfy `before`, which must be the first of the list.
    pub fn count_before(&self, before: impl Fn(&L) -> bool) -> u64 {
        let (index, position) = self.end_of(before);
        let chunks = self.chunks.iter().take(index);
        let rows: usize = chunks.map(|chunk| chunk.len()).sum();
        length(rows + position)
    }

    /// The number of rows that a walk has passed when it has passed this key, whether there is a row with the key or not.
    pub fn count_to(&self, direction: Direction, key: &L::Key) -> u64 {
        match direction {
            Direction::Forwards => self.count_before(|row| row.key() <= key),
            Direction::Backwards => self.len() - self.count_before(|row| row.key() < key),
        }
    }

    /// The rows after the first `skipped` ones, each with the time of its last change in microseconds since 1970. Skipping costs a step for
    /// each chunk, not for each row.
    pub fn walk_from(
        &self,
        direction: Direction,
        skipped: u64,
    ) -> impl Iterator<Item = (&Arc<L>, i64)> {
        let mut left = skipped;
        let chunks = self.chunks_in(direction).filter_map(move |chunk| {
            let skipped = left.min(length(chunk.len()));
            left -= skipped;
            let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
            (skipped < chunk.len()).then_some((chunk, skipped))
        });
        let docs = chunks.flat_map(move |(chunk, skipped)| {
            let rows = chunk.len();
            (skipped..rows).filter_map(move |position| match direction {
                Direction::Forwards => chunk.at_with_time(position),
                Direction::Backwards => chunk.at_with_time(rows - 1 - position),
            })
        });
        docs.filter_map(|(doc, updated_at)| Some((self.row(doc)?, updated_at)))
    }

    /// For each group of `rows` rows of a walk, a time that is not before the last change of any of them. It costs a step for each chunk.
    pub fn latest_by_group(&self, direction: Direction, rows: u64) -> Vec<i64> {
        let mut latest: Vec<i64> = Vec::new();
        let mut passed = 0;
        for chunk in self.chunks_in(direction) {
            let end = passed + length(chunk.len());
            for group in passed / rows..end.div_ceil(rows) {
                let group = usize::try_from(group).unwrap_or(usize::MAX);
                if latest.len() <= group {
                    latest.push(i64::MIN);
                }
                latest[group] = latest[group].max(chunk.latest_update());
            }
            passed = end;
        }
        latest
    }

    fn chunks_in(&self, direction: Direction) -> impl Iterator<Item = &Arc<Chunk>> {
        let last = self.chunks.len();
        (0..last).map(move |index| match direction {
            Direction::Forwards => &self.chunks[index],
            Direction::Backwards => &self.chunks[last - 1 - index],
        })
    }
}

fn length(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}
