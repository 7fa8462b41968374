//! `Retry-After`: seconds, or a date (RFC 9110).

use std::time::{Duration, SystemTime};

use http::{HeaderMap, StatusCode, header};
use time::OffsetDateTime;

/// Longer times are cut to this one, so that adding it to a time cannot overflow.
const MAX_WAIT: Duration = Duration::from_hours(365 * 24);

/// The wait that a 429 or a 503 asks for.
pub(super) fn from_response(
    status: StatusCode,
    headers: &HeaderMap,
    now: OffsetDateTime,
) -> Option<Duration> {
    let statuses = [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE];
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?;
    statuses.contains(&status).then(|| parse(text, now))?
}

/// Parses the header; `None`: it is neither, or a date in the past.
fn parse(text: &str, now: OffsetDateTime) -> Option<Duration> {
    let text = text.trim();
    let wait = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        Duration::from_secs(text.parse().unwrap_or(u64::MAX))
    } else {
        let until = httpdate::parse_http_date(text).ok()?;
        until.duration_since(SystemTime::from(now)).ok()?
    };
    Some(wait.min(MAX_WAIT))
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-11-22 08:49:37 UTC);

    #[test]
    fn seconds_and_dates_are_read() {
        for (text, seconds) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("99999999999999999999999", Some(MAX_WAIT.as_secs())),
            ("Sun, 22 Nov 2026 08:50:37 GMT", Some(60)),
            ("Sunday, 22-Nov-26 08:50:37 GMT", Some(60)),
            ("Sun Nov 22 08:50:37 2026", Some(60)),
            ("Sun, 22 Nov 2026 08:48:37 GMT", None),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(MAX_WAIT.as_secs())),
            ("-5", None),
            ("1.5", None),
            ("soon", None),
            ("", None),
        ] {
            let wait = parse(text, NOW).map(|wait| wait.as_secs());
            assert_eq!(wait, seconds, "{text}");
        }
    }
}
