//! Times and numbers as people read them.

use time::{OffsetDateTime, UtcOffset};

use crate::texts::Texts;

/// `23 November 2026 (UTC)`.
pub fn day(texts: &Texts, at: OffsetDateTime) -> String {
    let date = at.to_offset(UtcOffset::UTC).date();
    texts.say_of("date-day-utc", &texts.date(date))
}

/// The time left until `until`: `2 d 4 h`, `6 h 12 min`, `35 min`; at least a minute. The script of the pages counts it down.
pub fn time_left(until: OffsetDateTime, now: OffsetDateTime) -> String {
    let minutes = (until - now).whole_minutes().max(1);
    let (days, hours) = (minutes / 1_440, minutes / 60 % 24);
    if days > 0 {
        format!("{days} d {hours} h")
    } else if hours > 0 {
        format!("{hours} h {} min", minutes % 60)
    } else {
        format!("{minutes} min")
    }
}

/// `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1,234.5` of `1234.5`; a number in another notation as it is.
pub fn grouped_decimal(number: &str) -> String {
    let (whole, rest) = number.split_once('.').unwrap_or((number, ""));
    match whole.parse() {
        Ok(whole) if rest.is_empty() => grouped(whole),
        Ok(whole) if rest.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{}.{rest}", grouped(whole))
        }
        _ => number.to_owned(),
    }
}

/// A duration of microseconds in milliseconds: `0.8 ms`, `1,204.5 ms`.
pub fn milliseconds(microseconds: u32) -> String {
    let tenths = (microseconds.saturating_add(50)) / 100;
    format!("{}.{} ms", grouped((tenths / 10).into()), tenths % 10)
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;
    use crate::language::Language;

    #[test]
    fn times_name_their_zone_in_the_language_of_the_page() {
        let at = datetime!(2026-11-23 01:05:59 +2);
        let texts = Texts::of(Language::English);
        assert_eq!(texts.minute(at), "22 November 2026, 23:05 UTC");
        assert_eq!(texts.second(at), "22 November 2026, 23:05:59 UTC");
        assert_eq!(day(texts, at), "22 November 2026 (UTC)");
        let texts = Texts::of(Language::French);
        assert_eq!(texts.minute(at), "22 novembre 2026 à 23:05 UTC");
        assert_eq!(texts.second(at), "22 novembre 2026 à 23:05:59 UTC");
        assert_eq!(day(texts, at), "22 novembre 2026 (UTC)");
    }

    #[test]
    fn the_time_left_has_two_units_at_most() {
        let now = datetime!(2026-11-23 00:00 UTC);
        for (until, text) in [
            (datetime!(2026-11-25 04:30 UTC), "2 d 4 h"),
            (datetime!(2026-11-23 06:12:59 UTC), "6 h 12 min"),
            (datetime!(2026-11-23 00:35 UTC), "35 min"),
            (datetime!(2026-11-22 00:00 UTC), "1 min"),
        ] {
            assert_eq!(time_left(until, now), text);
        }
    }

    #[test]
    fn decimals_are_grouped_too() {
        for (number, text) in [
            ("1234567.25", "1,234,567.25"),
            ("12", "12"),
            ("0.0012", "0.0012"),
            ("1e-8", "1e-8"),
            ("1.5e-8", "1.5e-8"),
            ("-1234", "-1234"),
        ] {
            assert_eq!(grouped_decimal(number), text);
        }
    }

    #[test]
    fn durations_are_in_milliseconds() {
        for (microseconds, text) in [
            (0, "0.0 ms"),
            (849, "0.8 ms"),
            (950, "1.0 ms"),
            (1_204_500, "1,204.5 ms"),
            (u32::MAX, "4,294,967.2 ms"),
        ] {
            assert_eq!(milliseconds(microseconds), text);
        }
    }
}
