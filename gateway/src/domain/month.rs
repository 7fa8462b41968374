//! UTC calendar months, in which the calls of an account are counted (§8).

use std::fmt;

use time::{Date, OffsetDateTime, UtcOffset};
use uuid::Uuid;

/// A UTC calendar month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    first: Date,
}

/// The key of a month's count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::module_name_repetitions, reason = "`Month` alone is that of the calendar")]
pub struct AccountMonth {
    pub account: Uuid,
    pub month: Month,
}

impl Month {
    /// The month at `now`.
    pub fn at(now: OffsetDateTime) -> Self {
        Self::starting(now.to_offset(UtcOffset::UTC).date())
    }

    /// The month that `day` lies in.
    pub fn starting(day: Date) -> Self {
        let first = day.replace_day(1).unwrap_or(day);
        Self { first }
    }

    pub fn first_day(self) -> Date {
        self.first
    }

    /// The beginning of the month.
    pub fn start(self) -> OffsetDateTime {
        self.first.midnight().assume_utc()
    }

    /// The beginning of the next month.
    pub fn end(self) -> OffsetDateTime {
        let day = self.first;
        let year = day.year() + i32::from(day.month() == time::Month::December);
        Date::from_calendar_date(year, day.month().next(), 1).unwrap_or(day).midnight().assume_utc()
    }
}

/// For example `2026-03`.
impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month) = (self.first.year(), u8::from(self.first.month()));
        write!(f, "{year:04}-{month:02}")
    }
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;

    #[test]
    fn months_end_in_utc() {
        let february = Month::at(datetime!(2026-03-01 01:00 +02:00));
        assert_eq!(february.to_string(), "2026-02");
        assert_eq!(february, Month::starting(date!(2026 - 02 - 28)));
        let end = |at| Month::at(at).end();
        let december = end(datetime!(2026-12-31 23:59:59 UTC));
        assert_eq!(december, datetime!(2027-01-01 00:00 UTC));
        let leap_year = end(datetime!(2028-02-01 00:00 UTC));
        assert_eq!(leap_year, datetime!(2028-03-01 00:00 UTC));
    }
}
