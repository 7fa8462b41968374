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
