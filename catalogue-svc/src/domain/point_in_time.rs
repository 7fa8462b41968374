//! The points in time of callers (§10.14), with the precision of PostgreSQL.

use time::OffsetDateTime;

/// Microseconds since 1970, rounded up.
pub fn microseconds(at: OffsetDateTime) -> Option<i64> {
    i64::try_from((at.unix_timestamp_nanos() + 999).div_euclid(1_000)).ok()
}

#[cfg(test)]
mod tests {
    use kit::api::timestamp;

    use super::*;

    fn read(text: &str) -> Option<i64> {
        microseconds(timestamp::parse(text)?)
    }

    #[test]
    fn a_day_is_its_first_moment() {
        assert_eq!(read("1970-01-02"), Some(86_400_000_000));
        assert_eq!(read("1970-01-02T00:00:00Z"), read("1970-01-02"));
        assert_eq!(read("1970-01-02T01:00:00+01:00"), read("1970-01-02"));
        assert_eq!(read("1969-12-31T23:59:59.999999Z"), Some(-1));
    }

    #[test]
    fn what_lies_between_two_microseconds_is_after_the_first() {
        assert_eq!(read("1970-01-01T00:00:00.0000011Z"), Some(2));
        assert_eq!(read("1970-01-01T00:00:00.000001Z"), Some(1));
    }

    #[test]
    fn other_texts_are_no_moments() {
        for bad in [
            "",
            "today",
            "2026-02-30",
            "2026-03-01T08:00",
            "2026-03-01T08:00:00",
            "2026-03-01 08:00:00 01:00",
            "1772352000",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
