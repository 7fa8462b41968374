//! Month use that only this process knows: counts from Redis that are not in PostgreSQL yet, and calls that Redis has not
//! counted. `jobs/month_use.rs` writes them.

use std::collections::HashMap;

use crate::domain::quota::AccountMonth;
use crate::per_thread::PerThread;

/// Pending month use, sharded by thread. It has the accounts that made calls since it was last taken.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    used: PerThread<HashMap<AccountMonth, u64>>,
    owed: PerThread<HashMap<AccountMonth, i64>>,
}

impl Ledger {
    /// Records the month's count as Redis returned it. Replies may overtake each other: the highest count wins.
    pub(crate) fn record_used(&self, month: AccountMonth, used: u64) {
        self.used.with(|counts| raise(counts, month, used));
    }

    /// Redis has refunded a call that this thread counted. If another thread has recorded a higher count since, that one is
    /// written: one too many rather than one too few.
    pub(super) fn refund(&self, month: AccountMonth) {
        self.used.with(|counts| {
            if let Some(used) = counts.get_mut(&month) {
                *used = used.saturating_sub(1);
            }
        });
    }

    /// Records calls that Redis has to be given (negative for refunds).
    pub(super) fn add_owed(&self, month: AccountMonth, calls: i64) {
        self.owed.with(|owed| add(owed, month, calls));
    }

    /// Takes the counts that have to be written to PostgreSQL.
    pub(crate) fn take_used(&self) -> HashMap<AccountMonth, u64> {
        let mut all = HashMap::new();
        for (month, used) in self.used.take().flatten() {
            raise(&mut all, month, used);
        }
        all
    }

    /// Takes the calls that Redis has to be given.
    pub(crate) fn take_owed(&self) -> HashMap<AccountMonth, i64> {
        let mut all = HashMap::new();
        for (month, calls) in self.owed.take().flatten() {
            add(&mut all, month, calls);
        }
        all.retain(|_, calls| *calls != 0);
        all
    }
}

fn raise(counts: &mut HashMap<AccountMonth, u64>, month: AccountMonth, used: u64) {
    let count = counts.entry(month).or_default();
    *count = used.max(*count);
}

fn add(owed: &mut HashMap<AccountMonth, i64>, month: AccountMonth, calls: i64) {
    let owed = owed.entry(month).or_default();
    *owed = owed.saturating_add(calls);
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
        ledger.refund(month);
        assert_eq!(ledger.take_used(), HashMap::from([(month, 5)]));
        assert_eq!(ledger.take_used(), HashMap::new());
        ledger.refund(month);
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
                        ledger.add_owed(month, 1);
                        ledger.record_used(month, call * 8 + thread);
                    }
                });
            }
        });
        assert_eq!(ledger.take_owed(), HashMap::from([(month, 8_000)]));
        assert_eq!(ledger.take_used(), HashMap::from([(month, 7_999)]));
    }

    #[test]
    fn owed_calls_are_summed() {
        let (ledger, month) = (Ledger::default(), month());
        for calls in [1, 1, -1] {
            ledger.add_owed(month, calls);
        }
        assert_eq!(ledger.take_owed(), HashMap::from([(month, 1)]));
        ledger.add_owed(month, 1);
        ledger.add_owed(month, -1);
        assert_eq!(ledger.take_owed(), HashMap::new());
    }
}
