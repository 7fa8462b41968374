//! The rate of one pair over time.

use contracts::economy::v1 as proto;
use kit::bad_fields::BadFields;
use kit::{Fault, timestamp};
use sqlx::PgPool;
use time::{Duration, OffsetDateTime, Time};

use super::games::NOT_LISTED;
use crate::domain::rates::quote;
use crate::store::games;
use crate::store::rate_series::{self, GamePair};

/// Days of a series: default and maximum.
const DEFAULT_DAYS: u32 = 31;
const MAX_DAYS: u32 = 92;

pub(super) async fn list(
    pool: &PgPool,
    now: OffsetDateTime,
    request: &proto::ListRateSeriesRequest,
) -> Result<proto::ListRateSeriesResponse, Fault> {
    let days = match request.days {
        0 => DEFAULT_DAYS,
        days @ 1..=MAX_DAYS => days,
        _ => {
            let reason = format!("Ask for 1 to {MAX_DAYS} days.");
            return Err(Fault::invalid_field("days", reason));
        }
    };
    let pair = pair(pool, &request.from, &request.to).await?;
    let rows = rate_series::list(pool, pair, &times(now, days)).await?;
    let points = rows.into_iter().filter_map(|row| {
        let market = row
            .market
            .and_then(|market| Some((market.rate()?, market.last)));
        let (value, source, _) = quote(row.from, row.to, market)?;
        Some(proto::RatePoint {
            at: Some(timestamp::encode(row.at)),
            rate: value.to_string(),
            source: source.as_str().to_owned(),
        })
    });
    Ok(proto::ListRateSeriesResponse {
        points: points.collect(),
    })
}

/// The games of the pair, whose currencies are listed.
async fn pair(pool: &PgPool, from: &str, to: &str) -> Result<GamePair, Fault> {
    let (one, other) = (
        games::find_listed(pool, from).await?,
        games::find_listed(pool, to).await?,
    );
    let mut bad = BadFields::default();
    for (field, found) in [("from", one), ("to", other)] {
        if found.is_none() {
            bad.add(field, NOT_LISTED);
        }
    }
    let (from, to) = bad.finish(one.zip(other))?;
    if from == to {
        let reason = "A currency has no rate to itself: name another game.";
        return Err(Fault::invalid_field("to", reason));
    }
    Ok(GamePair { from, to })
}

/// The midnights (UTC) at which the last `days` days began, the current day included, and `now`; oldest first.
fn times(now: OffsetDateTime, days: u32) -> Vec<OffsetDateTime> {
    let today = now
        .to_offset(time::UtcOffset::UTC)
        .replace_time(Time::MIDNIGHT);
    let before = (0..days)
        .rev()
        .map(|ago| today - Duration::days(ago.into()));
    let mut times: Vec<OffsetDateTime> = before.collect();
    if now > today {
        times.push(now);
    }
    times
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_series_ends_now_and_names_no_time_twice() {
        let midnight = datetime!(2026-03-02 00:00 UTC);
        assert_eq!(
            times(midnight, 2),
            [datetime!(2026-03-01 00:00 UTC), midnight]
        );
        let later = midnight + Duration::HOUR;
        assert_eq!(times(later, 1), [midnight, later]);
    }
}
