//! Decodes the times of the feed.

use anyhow::Context as _;
use prost_types::Timestamp;
use time::OffsetDateTime;

/// Decodes a required time.
pub(super) fn point_in_time(at: Option<&Timestamp>) -> anyhow::Result<OffsetDateTime> {
    let at = at.context("a time is missing")?;
    let at = kit::timestamp::decode(*at).context("a time is in no calendar")?;
    anyhow::ensure!(at.year() >= 0, "a time lies before the year 0");
    Ok(at)
}

/// The same in microseconds since 1970, the precision of PostgreSQL.
pub(super) fn microseconds(at: Option<&Timestamp>) -> anyhow::Result<i64> {
    let nanos = point_in_time(at)?.unix_timestamp_nanos();
    Ok(i64::try_from(nanos / 1_000)?)
}

/// The latest of those times that a listing has, in microseconds since 1970.
pub(super) fn latest<const N: usize>(times: [Option<&Timestamp>; N]) -> anyhow::Result<i64> {
    let times = times.into_iter().filter(Option::is_some).map(microseconds);
    let times: anyhow::Result<Vec<i64>> = times.collect();
    times?.into_iter().max().context("a time is missing")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain;

    #[test]
    fn a_time_is_what_an_answer_prints_of_it() {
        let at = Timestamp {
            seconds: 1_772_352_000,
            nanos: 755_999_000,
        };
        let printed = kit::timestamp::parse("2026-03-01T08:00:00.755Z").unwrap();
        let printed = domain::point_in_time::microseconds(printed);
        assert_eq!(microseconds(Some(&at)).ok(), printed);
    }
}
