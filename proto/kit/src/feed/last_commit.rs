//! The newest change that this process has committed. It shows when PostgreSQL has lost rows while the process runs.

use parking_lot::Mutex;
use uuid::Uuid;

use super::Position;

#[derive(Debug, Default)]
pub(super) struct LastCommit(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    epoch: Uuid,
    seq: i64,
    /// How often a `seq` was given out again.
    rewinds: u64,
}

impl LastCommit {
    /// Records a commit of so many changes, which ends at `position`.
    pub(super) fn record(&self, position: Position, changes: usize) {
        let Position { epoch, seq } = position;
        let before = seq.saturating_sub_unsigned(changes as u64);
        let mut last = self.0.lock();
        // These numbers were given out before: PostgreSQL has lost rows. Followers that have read the lost rows must not go on.
        let is_rewind = last.epoch == epoch && before < last.seq;
        *last = State {
            epoch,
            seq,
            rewinds: last.rewinds + u64::from(is_rewind),
        };
    }

    /// How often PostgreSQL has lost rows of this process and their `seq` was given out again.
    pub(super) fn rewinds(&self) -> u64 {
        self.0.lock().rewinds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewinds_are_counted() {
        let last = LastCommit::default();
        let record = |epoch, seq, changes| {
            let epoch = Uuid::from_u128(epoch);
            last.record(Position { epoch, seq }, changes);
            last.rewinds()
        };
        assert_eq!(record(1, 6, 2), 0);
        assert_eq!(record(1, 9, 2), 0, "another replica has committed 7");
        assert_eq!(record(2, 2, 2), 0, "a new epoch may begin anywhere");
        assert_eq!(record(2, 3, 2), 1);
        assert_eq!(record(2, 5, 2), 1);
    }
}
