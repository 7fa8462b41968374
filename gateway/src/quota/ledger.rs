//! What this process knows of the month's use and others do not: numbers of Redis that are not in PostgreSQL yet, and calls that Redis
//! was not told of. `jobs/month_use.rs` takes them on their way.

use std::collections::HashMap;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::quota::AccountMonth;

/// Month use on its way to PostgreSQL. It holds the accounts that called since it was last emptied.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    used: Mutex<HashMap<AccountMonth, u64>>,
    owed: Mutex<HashMap<AccountMonth, i64>>,
}

impl Ledger {
    /// Redis has counted so many calls in the month. Answers may overtake one another: the highest stays.
    pub(crate) fn saw(&self, month: AccountMonth, used: u64) {
        let mut known = lock(&self.used);
        let known = known.entry(month).or_default();
        *known = used.max(*known);
    }

    /// Redis has taken one of the calls back.
    pub(super) fn gave_back(&self, month: AccountMonth) {
        if let Some(used) = lock(&self.used).get_mut(&month) {
            *used = used.saturating_sub(1);
        }
    }

    /// Redis is to be told of so many more calls, or fewer.
    pub(super) fn owe(&self, month: AccountMonth, calls: i64) {
        let mut owed = lock(&self.owed);
        let owed = owed.entry(month).or_default();
        *owed = owed.saturating_add(calls);
    }

    /// Hands over the numbers that are to be written, and forgets them.
    pub(crate) fn take_used(&self) -> HashMap<AccountMonth, u64> {
        mem::take(&mut *lock(&self.used))
    }

    /// Hands over the calls that Redis is to be told of, and forgets them.
    pub(crate) fn take_owed(&self) -> HashMap<AccountMonth, i64> {
        let mut owed = mem::take(&mut *lock(&self.owed));
        owed.retain(|_, calls| *calls != 0);
        owed
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
