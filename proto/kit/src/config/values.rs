//! Parsers of values.

use std::time::Duration;

use tracing_subscriber::EnvFilter;

use super::Secret;
use crate::pg_url;

pub(super) fn postgres_url(value: &str) -> Result<Secret, String> {
    let parsed = pg_url::parse(value).map(|_| Secret::from(value.to_owned()));
    parsed.ok_or_else(|| {
        "it must be a URL such as postgres://user:password@host:5432/database".to_owned()
    })
}

pub(super) fn share(value: &str) -> Result<f64, String> {
    match value.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("it must be a number from 0 to 1".to_owned()),
    }
}

/// Checks a log filter. It cannot be copied, so the setting is its text.
pub(super) fn log_filter(value: &str) -> Result<String, String> {
    EnvFilter::try_new(value)
        .map(|_| value.to_owned())
        .map_err(|_error| "it must be a level, or filters such as `info,sqlx=warn`".to_owned())
}

/// Checks the URL of a collector of traces.
pub(super) fn collector_url(value: &str) -> Result<String, String> {
    let url = value.parse::<http::Uri>().ok();
    let is_url = url.is_some_and(|url| url.scheme_str() == Some("http") && url.host().is_some());
    is_url
        .then(|| value.to_owned())
        .ok_or_else(|| "it must be a URL without TLS, such as http://127.0.0.1:4317".to_owned())
}

/// Parses whole seconds, up to a million, which is less than PostgreSQL's longest timeout and can be added to any time.
pub fn seconds(value: &str) -> Result<Duration, String> {
    let seconds = value.parse().ok().filter(|seconds| *seconds <= 1_000_000);
    seconds
        .map(Duration::from_secs)
        .ok_or_else(|| "it must be a whole number of seconds, 1000000 or less".to_owned())
}

/// Parses whole milliseconds, from 1 to a minute.
pub fn milliseconds(value: &str) -> Result<Duration, String> {
    let milliseconds = value.parse().ok();
    milliseconds
        .filter(|milliseconds| (1..=60_000).contains(milliseconds))
        .map(Duration::from_millis)
        .ok_or_else(|| "it must be a whole number of milliseconds from 1 to 60000".to_owned())
}

/// Parses how many may be in use at once, from 1 to a million.
pub fn count(value: &str) -> Result<usize, String> {
    let count = value.parse().ok();
    count
        .filter(|count| (1..=1_000_000).contains(count))
        .ok_or_else(|| "it must be a whole number from 1 to 1000000".to_owned())
}

/// Parses whole seconds, one or more.
pub fn a_second_or_more(value: &str) -> Result<Duration, String> {
    seconds(value).and_then(|time| match time {
        Duration::ZERO => Err("it must be 1 second or more".to_owned()),
        time => Ok(time),
    })
}
