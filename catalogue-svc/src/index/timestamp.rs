//! Decodes the times of the feed.

use anyhow::Context as _;
use contracts::listings::v1 as listings;
use prost_types::Timestamp;
use time::OffsetDateTime;

/// Decodes a required time.
pub(super) fn point_in_time(at: Option<&Timestamp>) -> anyhow::Result<OffsetDateTime> {
    let at = at.context("a time is missing")?;
    let at = kit::api::timestamp::decode(*at).context("a time is in no calendar")?;
    anyhow::ensure!(at.year() >= 0, "a time lies before the year 0");
    Ok(at)
}

/// The same in microseconds since 1970, the precision of PostgreSQL.
fn microseconds(at: Option<&Timestamp>) -> anyhow::Result<i64> {
    let nanos = point_in_time(at)?.unix_timestamp_nanos();
    Ok(i64::try_from(nanos / 1_000)?)
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    pub(super) created: Option<Timestamp>,
    pub(super) first_published: Option<Timestamp>,
    pub(super) updated: Option<Timestamp>,
}

impl Times {
    /// When it became public, in microseconds since 1970; of a listing that never was, when it was created.
    pub(super) fn published(&self) -> anyhow::Result<i64> {
        microseconds(self.first_published.or(self.created).as_ref())
    }

    /// The latest of its times.
    pub(super) fn latest(&self) -> anyhow::Result<i64> {
        let times = [self.updated, self.first_published, self.created];
        let times: anyhow::Result<Vec<i64>> =
            times.iter().flatten().map(|at| microseconds(Some(at))).collect();
        times?.into_iter().max().context("a time is missing")
    }
}

macro_rules! times_of {
    ($($listing:ident)*) => {$(
        impl From<&listings::$listing> for Times {
            fn from(listing: &listings::$listing) -> Self {
                Self {
                    created: listing.created_at,
                    first_published: listing.first_published_at,
                    updated: listing.updated_at,
                }
            }
        }
    )*};
}

times_of! { Page Game Event }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain;

    #[test]
    fn a_time_has_the_precision_that_responses_print() {
        let at = Timestamp { seconds: 1_772_352_000, nanos: 755_999_000 };
        let printed = kit::api::timestamp::parse("2026-03-01T08:00:00.755Z").unwrap();
        let printed = domain::point_in_time::microseconds(printed);
        assert_eq!(microseconds(Some(&at)).ok(), printed);
    }
}
