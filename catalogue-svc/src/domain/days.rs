//! The days on which events take place, and conditions on them (§4.2).

use strum::{EnumString, VariantNames};
use time::Date;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;

const DAY: &[BorrowedFormatItem<'static>] = format_description!("[year]-[month]-[day]");

/// The day of the calendar that `text` names as YYYY-MM-DD.
pub fn read(text: &str) -> Option<Date> {
    // The format also accepts a sign before the year.
    let digit = text.starts_with(|c: char| c.is_ascii_digit());
    Date::parse(text, DAY).ok().filter(|_| digit)
}

/// The first and the last day of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days {
    pub first: Date,
    /// Its last day, which may be the same.
    pub last: Date,
}

/// Which events are wanted, relative to today.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum When {
    /// Events that have not ended before today.
    Upcoming,
    /// Events that ended before today.
    Past,
    All,
}

/// A condition on the days of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    begins_by: Date,
    ends_from: Date,
    ends_before: Option<Date>,
}

impl Span {
    /// Selects the events by `when`, relative to the day `today`, that take place on any day from `from` to `to`, both included.
    pub fn new(when: When, today: Date, from: Option<Date>, to: Option<Date>) -> Self {
        let from = from.unwrap_or(Date::MIN);
        Self {
            begins_by: to.unwrap_or(Date::MAX),
            ends_from: match when {
                When::Upcoming => from.max(today),
                When::Past | When::All => from,
            },
            ends_before: (when == When::Past).then_some(today),
        }
    }

    /// Whether an event on these days meets the condition.
    pub fn holds(&self, days: Days) -> bool {
        days.first <= self.begins_by
            && days.last >= self.ends_from
            && self.ends_before.is_none_or(|day| days.last < day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    #[test]
    fn days_are_of_the_real_calendar() {
        assert_eq!(read("2024-02-29"), Some(date!(2024 - 02 - 29)));
        for bad in ["2023-02-29", "2024-13-01", "2024-1-1", "+2024-01-01", "", "today"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
