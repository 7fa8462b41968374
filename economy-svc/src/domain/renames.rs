//! How often the accounts that own a game may rename its currency.
//!
//! Every reader of rates and figures loads them again after a new name.

use kit::{Code, Fault};
use time::{Date, Duration, OffsetDateTime, UtcOffset};

/// The most renames of a currency in a UTC day, without those by staff.
pub const MAX_RENAMES: i32 = 5;

/// The renames of a currency by accounts, on the UTC day of the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Renames {
    /// `None`: never.
    pub day: Option<Date>,
    pub count: i32,
}

impl Renames {
    /// The renames after another one at `now`.
    ///
    /// # Errors
    /// `rate_limited`, with the reason for the field `name`: there were as many today as a day has.
    pub fn count(self, now: OffsetDateTime) -> Result<Self, Fault> {
        let today = now.to_offset(UtcOffset::UTC).date();
        let before = if self.day == Some(today) { self.count } else { 0 };
        if before < MAX_RENAMES {
            return Ok(Self { day: Some(today), count: before + 1 });
        }
        let end = today.midnight().assume_utc() + Duration::DAY;
        let reason = format!(
            "The currency was renamed {MAX_RENAMES} times today, which is the most. You can rename it again on {}, from 00:00 UTC.",
            end.date()
        );
        let invalid = Fault::invalid_field("name", reason.clone());
        Err(Fault { fields: invalid.fields, ..Fault::new(Code::RateLimited, reason) }
            .retry_in(end - now))
    }
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;

    #[test]
    fn a_currency_has_five_renames_a_utc_day() {
        let now = datetime!(2026-03-02 00:59:30 +01:00);
        let mut renames = Renames { day: None, count: 0 };
        for count in 1..=MAX_RENAMES {
            renames = renames.count(now).unwrap();
            assert_eq!(renames, Renames { day: Some(date!(2026 - 03 - 01)), count });
        }
        let refused = renames.count(now).unwrap_err();
        assert_eq!((refused.code, refused.retry_after), (Code::RateLimited, Some(30)));
        assert!(refused.fields["name"].contains("2026-03-02"), "{refused:?}");
        let next = renames.count(now + Duration::seconds(30)).unwrap();
        assert_eq!(next, Renames { day: Some(date!(2026 - 03 - 02)), count: 1 });
    }
}
