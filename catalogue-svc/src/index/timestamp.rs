//! Points in time as the feed says them.

use anyhow::Context as _;
use time::OffsetDateTime;

/// When something happened.
pub(super) fn moment(at: Option<&prost_types::Timestamp>) -> anyhow::Result<OffsetDateTime> {
    let at = at.context("a time is missing")?;
    let moment = kit::timestamp::decode(*at).context("a time is in no calendar")?;
    anyhow::ensure!(moment.year() >= 0, "a time lies before the year 0");
    Ok(moment)
}

/// The same in microseconds since 1970: what PostgreSQL keeps.
pub(super) fn microseconds(at: Option<&prost_types::Timestamp>) -> anyhow::Result<i64> {
    let nanos = moment(at)?.unix_timestamp_nanos();
    Ok(i64::try_from(nanos / 1_000)?)
}
