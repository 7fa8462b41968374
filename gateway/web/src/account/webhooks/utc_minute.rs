//! Times in fields of forms: `2026-11-23T14:05`, always in UTC.

use time::macros::format_description;
use time::{Date, OffsetDateTime, PrimitiveDateTime, UtcOffset};

/// The time that was typed; `None`: the field is empty.
///
/// # Errors
/// The key of a text for the person.
pub(super) fn parse(text: &str) -> Result<Option<OffsetDateTime>, &'static str> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let seconds = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second]");
    let minutes = format_description!("[year]-[month]-[day]T[hour]:[minute]");
    let day = format_description!("[year]-[month]-[day]");
    let text = text.trim_end_matches('Z').replace(' ', "T");
    let time = PrimitiveDateTime::parse(&text, &minutes)
        .or_else(|_format| PrimitiveDateTime::parse(&text, &seconds))
        .or_else(|_format| Date::parse(&text, &day).map(Date::midnight));
    let time = time.map_err(|_format| "delivery-time")?;
    Ok(Some(time.assume_utc()))
}

/// The value of a field with this time.
pub(super) fn format(at: OffsetDateTime) -> String {
    let minutes = format_description!("[year]-[month]-[day]T[hour]:[minute]");
    let at = at.to_offset(UtcOffset::UTC);
    at.format(&minutes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_time_is_in_utc() {
        let at = datetime!(2026-11-23 14:05 UTC);
        for text in [
            "2026-11-23T14:05",
            " 2026-11-23 14:05 ",
            "2026-11-23T14:05:00Z",
        ] {
            assert_eq!(parse(text), Ok(Some(at)), "{text}");
        }
        assert_eq!(parse(&format(at)), Ok(Some(at)));
        assert_eq!(
            parse("2026-11-23"),
            Ok(Some(datetime!(2026-11-23 0:00 UTC)))
        );
        assert_eq!(parse("  "), Ok(None));
    }

    #[test]
    fn any_other_text_is_refused() {
        for text in [
            "soon",
            "2026-02-30T00:00",
            "2026-11-23T25:00",
            "23.11.2026",
            "é",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
