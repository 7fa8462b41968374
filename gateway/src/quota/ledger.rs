//! What this process knows of the month's use and others do not: numbers of Redis that are not in PostgreSQL yet, and calls that Redis
//! was not told of. `jobs/month_use.rs` takes them on their way.

use std::collections::HashMap;

use crate::domain::quota::AccountMonth;
use crate::per_thread::PerThread;

/// Month use on its way to PostgreSQL. It holds the accounts that called since it was last emptied, each thread those of its calls.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    used: PerThread<HashMap<AccountMonth, u64>>,
    owed: PerThread<HashMap<AccountMonth, i64>>,
}

impl Ledger {
    /// Redis has counted so many calls in the month. Answers may overtake one another: the highest stays.
    pub(crate) fn saw(&self, month: AccountMonth, used: u64) {
        self.used.with(|known| highest(known, month, used));
    }

    /// Redis has taken one of the calls back, which this thread had counted. Another thread may have seen the higher number since: then
    /// that is written, rather one too many than one too few.
    pub(super) fn gave_back(&self, month: AccountMonth) {
        self.used.with(|known| {
            if let Some(used) = known.get_mut(&month) {
                *used = used.saturating_sub(1);
            }
        });
    }

    /// Redis is to be told of so many more calls, or fewer.
    pub(super) fn owe(&self, month: AccountMonth, calls: i64) {
        self.owed.with(|owed| add(owed, month, calls));
    }

    /// Hands over the numbers that are to be written, and forgets them.
    pub(crate) fn take_used(&self) -> HashMap<AccountMonth, u64> {
        let mut all = HashMap::new();
        for (month, used) in self.used.take().flatten() {
            highest(&mut all, month, used);
        }
        all
    }

    /// Hands over the calls that Redis is to be told of, and forgets them.
    pub(crate) fn take_owed(&self) -> HashMap<AccountMonth, i64> {
        let mut all = HashMap::new();
        for (month, calls) in self.owed.take().flatten() {
            add(&mut all, month, calls);
        }
        all.retain(|_, calls| *calls != 0);
        all
    }
}

fn highest(known: &mut HashMap<AccountMonth, u64>, month: AccountMonth, used: u64) {
    let known = known.entry(month).or_default();
    *known = used.max(*known);
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
    fn the_highest_number_is_written_once() {
        let (ledger, month) = (Ledger::default(), month());
        for used in [4, 6, 5] {
            ledger.saw(month, used);
        }
        ledger.gave_back(month);
        assert_eq!(ledger.take_used(), HashMap::from([(month, 5)]));
        assert_eq!(ledger.take_used(), HashMap::new());
        ledger.gave_back(month);
        assert_eq!(ledger.take_used(), HashMap::new());
    }

    #[test]
    fn nothing_of_several_threads_is_lost() {
        let (ledger, month) = (Ledger::default(), month());
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let ledger = &ledger;
                scope.spawn(move || {
                    for call in 0..1_000 {
                        ledger.owe(month, 1);
                        ledger.saw(month, call * 8 + thread);
                    }
                });
            }
        });
        assert_eq!(ledger.take_owed(), HashMap::from([(month, 8_000)]));
        assert_eq!(ledger.take_used(), HashMap::from([(month, 7_999)]));
    }

    #[test]
    fn what_is_owed_adds_up() {
        let (ledger, month) = (Ledger::default(), month());
        for calls in [1, 1, -1] {
            ledger.owe(month, calls);
        }
        assert_eq!(ledger.take_owed(), HashMap::from([(month, 1)]));
        ledger.owe(month, 1);
        ledger.owe(month, -1);
        assert_eq!(ledger.take_owed(), HashMap::new());
    }
}
