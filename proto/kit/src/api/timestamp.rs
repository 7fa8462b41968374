//! Times in requests of callers, and conversion between `time` and protobuf timestamps.

use prost_types::Timestamp;
use time::format_description::BorrowedFormatItem;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, Duration, OffsetDateTime, UtcOffset};

/// How far the clock that gave a time may be ahead of the clock of the service.
const MAX_AHEAD: Duration = Duration::seconds(5);

const DAY: &[BorrowedFormatItem<'static>] = format_description!("[year]-[month]-[day]");

/// What [`parse`] takes, for the error of another text.
pub const EXPECTED: &str = "Give a time such as 2026-03-01T08:00:00Z, or a day such as 2026-03-01 for its midnight in UTC. In a query, \
    write + as %2B.";

/// Parses a time of RFC 3339, or a day, which stands for its midnight in UTC (§2). Answers can print the years 0 to 9999 of UTC.
pub fn parse(text: &str) -> Option<OffsetDateTime> {
    let at = OffsetDateTime::parse(text, &Rfc3339).ok().or_else(|| {
        // The format also accepts a sign before the year.
        let is_signed = !text.starts_with(|c: char| c.is_ascii_digit());
        let day = Date::parse(text, DAY).ok().filter(|_| !is_signed)?;
        Some(day.midnight().assume_utc())
    })?;
    let at = at.checked_to_offset(UtcOffset::UTC)?;
    is_printable(at).then_some(at)
}

/// Whether answers can print a time of UTC.
pub(crate) fn is_printable(at: OffsetDateTime) -> bool {
    (0..=9_999).contains(&at.year())
}

/// The timestamp for a message.
pub fn encode(at: OffsetDateTime) -> Timestamp {
    Timestamp { seconds: at.unix_timestamp(), nanos: at.nanosecond().cast_signed() }
}

/// The time of a message, truncated to whole milliseconds like all times ([`Clock`](crate::Clock)); `None` when it is out of range.
pub fn decode(at: Timestamp) -> Option<OffsetDateTime> {
    decode_exact(at).map(OffsetDateTime::truncate_to_millisecond)
}

/// The time of a message with all its digits, as they order the changes of a feed; `None` when it is out of range.
pub fn decode_exact(at: Timestamp) -> Option<OffsetDateTime> {
    let second = OffsetDateTime::from_unix_timestamp(at.seconds).ok()?;
    let nanos = u32::try_from(at.nanos).ok()?;
    second.replace_nanosecond(nanos).ok()
}

/// Milliseconds since 1970, truncated.
pub fn unix_milliseconds(at: OffsetDateTime) -> i64 {
    at.unix_timestamp() * 1_000 + i64::from(at.millisecond())
}

/// Refuses a time after `now`, which is the time of the service.
///
/// # Errors
/// The reason for the caller, whose clock may be fast.
pub fn not_in_the_future(
    at: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<OffsetDateTime, String> {
    if at <= now {
        return Ok(at);
    }
    let now = now.format(&Rfc3339).unwrap_or_default();
    Err(format!("It is in the future: the service's time is {now}. Your clock may be fast."))
}

/// Refuses a time more than five seconds after `now`. For times that another clock gave as its present.
///
/// # Errors
/// The reason for the caller, whose clock is fast.
pub fn not_ahead(at: OffsetDateTime, now: OffsetDateTime) -> Result<OffsetDateTime, String> {
    if at <= now + MAX_AHEAD {
        return Ok(at);
    }
    not_in_the_future(at, now)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_time_or_a_day_is_parsed_and_nothing_else() {
        let eight = datetime!(2026-03-01 08:00 UTC);
        for (text, at) in [
            ("2026-03-01T08:00:00Z", Some(eight)),
            ("2026-03-01T10:00:00+02:00", Some(eight)),
            ("2026-03-01", Some(datetime!(2026-03-01 00:00 UTC))),
            ("0000-01-01T00:00:00Z", Some(datetime!(0000-01-01 00:00 UTC))),
            ("9999-12-31", Some(datetime!(9999-12-31 00:00 UTC))),
            // In UTC, the years of these two are -1 and 10000.
            ("0000-01-01T00:00:00+00:01", None),
            ("9999-12-31T23:59:59-00:01", None),
            // A plus that was not percent-encoded arrives as a space.
            ("2026-03-01T10:00:00 02:00", None),
            ("2026-02-30", None),
            ("+2026-03-01", None),
            ("-0001-03-01", None),
            ("2026-03-01T08:00", None),
            ("1772352000", None),
            ("today", None),
            ("", None),
        ] {
            assert_eq!(parse(text), at, "{text}");
        }
    }

    #[test]
    fn a_time_in_the_future_is_refused_with_the_time_of_the_service() {
        let now = datetime!(2026-03-01 08:00 UTC);
        assert_eq!(not_in_the_future(now, now), Ok(now));
        let future = not_in_the_future(now + Duration::MILLISECOND, now);
        assert_eq!(
            future.unwrap_err(),
            "It is in the future: the service's time is 2026-03-01T08:00:00Z. Your clock may be fast."
        );
    }

    #[test]
    fn another_clock_may_be_five_seconds_ahead() {
        let now = datetime!(2026-03-01 08:00 UTC);
        for at in [now - Duration::DAY, now, now + Duration::seconds(5)] {
            assert_eq!(not_ahead(at, now), Ok(at));
        }
        let ahead = not_ahead(now + Duration::milliseconds(5_001), now);
        assert_eq!(
            ahead.unwrap_err(),
            "It is in the future: the service's time is 2026-03-01T08:00:00Z. Your clock may be fast."
        );
    }

    proptest! {
        #[test]
        fn a_time_survives_a_round_trip(milliseconds in -62_000_000_000_000_i64..253_000_000_000_000, nanos in 0..1_000_000_i64) {
            let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(milliseconds) * 1_000_000).unwrap();
            prop_assert_eq!(decode(encode(at)), Some(at));
            // `decode` truncates to milliseconds.
            prop_assert_eq!(decode(encode(at + Duration::nanoseconds(nanos))), Some(at));
        }

        #[test]
        fn any_text_is_a_time_of_four_digits_a_year_or_refused(
            text in prop_oneof![
                "[0-9TZ:+. -]{0,30}|\\PC{0,40}",
                "[+-]?[0-9]{4,5}-[01][0-9]-[0-3][0-9](T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](Z|[+-][0-2][0-9]:[0-5][0-9]))?",
            ],
        ) {
            prop_assert!(parse(&text).is_none_or(|at| (0..=9_999).contains(&at.year())));
        }

        #[test]
        fn decoding_never_panics(seconds: i64, nanos: i32) {
            decode(Timestamp { seconds, nanos });
        }
    }
}
