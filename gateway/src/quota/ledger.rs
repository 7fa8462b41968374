//! Month use that only this process knows: counts from Redis that are not in PostgreSQL yet.

use std::collections::HashMap;

use crate::domain::quota::AccountMonth;
use crate::per_thread::PerThread;

/// Pending month use, sharded by thread. It has the accounts that made calls since it was last taken.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    used: PerThread<HashMap<AccountMonth, u64>>,
}

impl Ledger {
    /// Records the month's count as Redis returned it. Replies may overtake each other: the highest count wins.
    pub(super) fn record_used(&self, month: AccountMonth, used: u64) {
        self.used.with(|counts| raise(counts, month, used));
    }

    /// Takes the counts that have to be written to PostgreSQL.
    pub(super) fn take_used(&self) -> HashMap<AccountMonth, u64> {
        let mut all = HashMap::new();
        for (month, used) in self.used.take().flatten() {
            raise(&mut all, month, used);
        }
        all
    }
}

fn raise(counts: &mut HashMap<AccountMonth, u64>, month: AccountMonth, used: u64) {
    let count = counts.entry(month).or_default();
    *count = used.max(*count);
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;
    use uuid::Uuid;

    use super::*;
    use crate::domain::quota::Month;

    fn month() -> AccountMonth {
        AccountMonth {
            account: Uuid::from_u128(1),
            month: Month::of(datetime!(2026-03-01 08:00 UTC)),
        }
    }

    #[test]
    fn the_highest_count_is_taken_once() {
        let (ledger, month) = (Ledger::default(), month());
        for used in [4, 6, 5] {
            ledger.record_used(month, used);
        }
        assert_eq!(ledger.take_used(), HashMap::from([(month, 6)]));
        assert_eq!(ledger.take_used(), HashMap::new());
    }

    #[test]
    fn counts_of_all_threads_are_merged() {
        let (ledger, month) = (Ledger::default(), month());
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let ledger = &ledger;
                scope.spawn(move || {
                    for call in 0..1_000 {
                        ledger.record_used(month, call * 8 + thread);
                    }
                });
            }
        });
        assert_eq!(ledger.take_used(), HashMap::from([(month, 7_999)]));
    }
}
