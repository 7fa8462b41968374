//! The newest changes that this process has committed, in memory: its followers read them from here instead of from PostgreSQL.

use std::collections::VecDeque;

use contracts::common::v1 as proto;
use parking_lot::Mutex;
use uuid::Uuid;

/// The largest size, in bytes.
const CAPACITY: usize = 4 << 20;
/// About how many bytes a change takes in addition to its state.
const OVERHEAD: usize = 256;

/// Consecutive changes, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Tail(Mutex<Buffer>);

#[derive(Debug, Default)]
struct Buffer {
    epoch: Uuid,
    changes: VecDeque<proto::Change>,
    bytes: usize,
    /// How often a `seq` was given out again.
    rewinds: u64,
}

impl Tail {
    /// Appends changes that were just committed. If they do not follow the last change, because another replica has committed in
    /// between, all earlier changes are dropped.
    pub(super) fn extend(&self, epoch: Uuid, changes: impl IntoIterator<Item = proto::Change>) {
        let mut buffer = self.0.lock();
        for change in changes {
            let next = buffer.changes.back().map(|last| last.seq + 1);
            if buffer.epoch != epoch || next != Some(change.seq) {
                // This `seq` was given out before: PostgreSQL has lost rows. Followers that have read the lost rows must not go on.
                let is_rewind = buffer.epoch == epoch && next.is_some_and(|next| change.seq < next);
                *buffer = Buffer {
                    epoch,
                    rewinds: buffer.rewinds + u64::from(is_rewind),
                    ..Buffer::default()
                };
            }
            buffer.bytes += size(&change);
            buffer.changes.push_back(change);
        }
        while buffer.bytes > CAPACITY
            && let Some(oldest) = buffer.changes.pop_front()
        {
            buffer.bytes -= size(&oldest);
        }
    }

    /// Up to `limit` changes after `seq`; empty when this process has committed none. `None` when the first of them is no longer in memory.
    pub(super) fn after(&self, epoch: Uuid, seq: i64, limit: usize) -> Option<Vec<proto::Change>> {
        let buffer = self.0.lock();
        let Some(first) = buffer.changes.front().map(|first| first.seq) else {
            return Some(Vec::new());
        };
        if buffer.epoch != epoch || seq + 1 < first {
            return None;
        }
        let skipped = usize::try_from(seq + 1 - first).ok()?;
        let changes = buffer.changes.iter().skip(skipped).take(limit);
        Some(changes.cloned().collect())
    }

    /// How often PostgreSQL has lost rows of this process and their `seq` was given out again.
    pub(super) fn rewinds(&self) -> u64 {
        self.0.lock().rewinds
    }
}

fn size(change: &proto::Change) -> usize {
    OVERHEAD + change.state.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EPOCH: Uuid = Uuid::from_u128(1);
    const OTHER: Uuid = Uuid::from_u128(2);

    fn changes(numbers: std::ops::RangeInclusive<i64>) -> impl Iterator<Item = proto::Change> {
        numbers.map(|seq| proto::Change {
            seq,
            ..proto::Change::default()
        })
    }

    fn after(tail: &Tail, epoch: Uuid, seq: i64, most: usize) -> Option<Vec<i64>> {
        let found = tail.after(epoch, seq, most)?;
        Some(found.into_iter().map(|change| change.seq).collect())
    }

    #[test]
    fn no_change_is_skipped() {
        let tail = Tail::default();
        assert_eq!(after(&tail, EPOCH, 0, 9), Some(vec![]));
        tail.extend(EPOCH, changes(5..=6));
        tail.extend(EPOCH, changes(7..=9));
        assert_eq!(after(&tail, EPOCH, 4, 9), Some(vec![5, 6, 7, 8, 9]));
        assert_eq!(after(&tail, EPOCH, 6, 2), Some(vec![7, 8]));
        assert_eq!(after(&tail, EPOCH, 3, 9), None, "5 would follow 3");
        assert_eq!(after(&tail, EPOCH, 9, 9), Some(vec![]));
        assert_eq!(after(&tail, EPOCH, 20, 9), Some(vec![]));
    }

    #[test]
    fn a_gap_or_another_epoch_clears_the_tail() {
        let tail = Tail::default();
        tail.extend(EPOCH, changes(5..=6));
        tail.extend(EPOCH, changes(8..=9));
        assert_eq!(after(&tail, EPOCH, 5, 9), None);
        assert_eq!(after(&tail, EPOCH, 7, 9), Some(vec![8, 9]));
        tail.extend(OTHER, changes(10..=10));
        assert_eq!(after(&tail, EPOCH, 9, 9), None);
        assert_eq!(after(&tail, OTHER, 8, 9), None);
        assert_eq!(after(&tail, OTHER, 9, 9), Some(vec![10]));
    }

    #[test]
    fn rewinds_are_counted() {
        let tail = Tail::default();
        tail.extend(EPOCH, changes(5..=6));
        tail.extend(EPOCH, changes(8..=9));
        tail.extend(OTHER, changes(1..=2));
        assert_eq!(tail.rewinds(), 0);
        tail.extend(OTHER, changes(2..=3));
        assert_eq!(tail.rewinds(), 1);
        tail.extend(OTHER, changes(4..=5));
        assert_eq!(
            (tail.rewinds(), after(&tail, OTHER, 1, 9)),
            (1, Some(vec![2, 3, 4, 5]))
        );
    }

    #[test]
    fn the_oldest_changes_are_dropped_at_capacity() {
        let tail = Tail::default();
        let large = changes(1..=9).map(|change| proto::Change {
            state: vec![0; CAPACITY / 4].into(),
            ..change
        });
        tail.extend(EPOCH, large);
        assert_eq!(after(&tail, EPOCH, 5, 9), None);
        assert_eq!(after(&tail, EPOCH, 6, 9), Some(vec![7, 8, 9]));
    }
}
