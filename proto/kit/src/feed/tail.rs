//! The newest changes that this process has committed, so that its followers need not ask PostgreSQL for them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use contracts::common::v1 as proto;
use uuid::Uuid;

/// Bytes that are kept at most.
const BYTES: usize = 4 << 20;
/// What a change takes besides its state, about.
const CHANGE: usize = 256;

/// Changes without a gap between them, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Tail(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    epoch: Uuid,
    changes: VecDeque<proto::Change>,
    bytes: usize,
    lost: u64,
}

impl Tail {
    /// Takes in what has just been committed. What was there goes when it does not lead up to that: other replicas commit too.
    pub(super) fn extend(&self, epoch: Uuid, changes: impl IntoIterator<Item = proto::Change>) {
        let mut kept = self.lock();
        for change in changes {
            let next = kept.changes.back().map(|last| last.seq + 1);
            if kept.epoch != epoch || next != Some(change.seq) {
                // Its number was given out before: PostgreSQL lost rows, and nobody who was told of them goes on.
                let again = kept.epoch == epoch && next.is_some_and(|next| change.seq < next);
                *kept = Kept {
                    epoch,
                    lost: kept.lost + u64::from(again),
                    ..Kept::default()
                };
            }
            kept.bytes += size(&change);
            kept.changes.push_back(change);
        }
        while kept.bytes > BYTES
            && let Some(oldest) = kept.changes.pop_front()
        {
            kept.bytes -= size(&oldest);
        }
    }

    /// The changes that follow `seq`, `most` of them; empty when this process has committed none. `None` when the first of them is not
    /// here.
    pub(super) fn after(&self, epoch: Uuid, seq: i64, most: usize) -> Option<Vec<proto::Change>> {
        let kept = self.lock();
        let Some(first) = kept.changes.front().map(|first| first.seq) else {
            return Some(Vec::new());
        };
        if kept.epoch != epoch || seq + 1 < first {
            return None;
        }
        let skipped = usize::try_from(seq + 1 - first).ok()?;
        let changes = kept.changes.iter().skip(skipped).take(most);
        Some(changes.cloned().collect())
    }

    /// How often rows of this process's own were lost and their numbers given out again.
    pub(super) fn lost(&self) -> u64 {
        self.lock().lost
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn size(change: &proto::Change) -> usize {
    CHANGE + change.state.len()
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
    fn what_follows_is_found_and_nothing_is_left_out() {
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
    fn a_gap_or_another_epoch_ends_it() {
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
    fn numbers_given_out_again_are_counted() {
        let tail = Tail::default();
        tail.extend(EPOCH, changes(5..=6));
        tail.extend(EPOCH, changes(8..=9));
        tail.extend(OTHER, changes(1..=2));
        assert_eq!(tail.lost(), 0);
        tail.extend(OTHER, changes(2..=3));
        assert_eq!(tail.lost(), 1);
        tail.extend(OTHER, changes(4..=5));
        assert_eq!(
            (tail.lost(), after(&tail, OTHER, 1, 9)),
            (1, Some(vec![2, 3, 4, 5]))
        );
    }

    #[test]
    fn the_oldest_go_when_they_are_too_much() {
        let tail = Tail::default();
        let large = changes(1..=9).map(|change| proto::Change {
            state: vec![0; BYTES / 4].into(),
            ..change
        });
        tail.extend(EPOCH, large);
        assert_eq!(after(&tail, EPOCH, 5, 9), None);
        assert_eq!(after(&tail, EPOCH, 6, 9), Some(vec![7, 8, 9]));
    }
}
