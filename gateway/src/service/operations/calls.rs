//! Operations on the counts of calls.

use kit::Fault;
use kit::bad_fields::BadFields;
use time::Date;
use uuid::Uuid;

use super::Operations;
use crate::domain::call_record::{self, COUNTED_DAYS};
use crate::store::day_use::{self, RouteUse};

/// The days of a list, unless the request says otherwise.
const DEFAULT_DAYS: u16 = 31;

/// The calls of an account by day, mode, route and method.
pub(crate) struct CallsByDay {
    pub(crate) first_day: Date,
    pub(crate) last_day: Date,
    pub(crate) rows: Vec<RouteUse>,
}

impl Operations {
    /// Checks the number of days of a request.
    pub(crate) fn days(days: Option<u32>, bad: &mut BadFields) -> u16 {
        let Some(days) = days else {
            return DEFAULT_DAYS;
        };
        let days = u16::try_from(days).ok();
        let days = days.filter(|days| (1..=COUNTED_DAYS).contains(days));
        let reason = || format!("Give a whole number from 1 to {COUNTED_DAYS}.");
        bad.read("days", days.ok_or_else(reason))
            .unwrap_or(DEFAULT_DAYS)
    }

    pub(crate) async fn call_counts(&self, account: Uuid, days: u16) -> Result<CallsByDay, Fault> {
        let now = self.clock.now();
        let first_day = call_record::first_day(now, days);
        Ok(CallsByDay {
            first_day,
            last_day: call_record::day(now),
            rows: day_use::of_account(&self.pool, account, first_day).await?,
        })
    }
}
