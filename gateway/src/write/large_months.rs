//! Announces months with very many calls of accounts without a monthly limit: nothing stops them, but staff talk to them (§8).

use contracts::gateway::v1 as proto;
use kit::feed::{ApplyResult, NewChange};
use prost::Message as _;
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use super::{Outcome, feed_row};
use crate::domain::plan::Plans;
use crate::domain::quota::Month;
use crate::store::large_months::{self, LargeMonth};

/// How long a month is checked after its end, since its last calls are written with a delay.
const AFTER_END: Duration = Duration::HOUR;

/// Announces each month of an account once, when it has `calls` calls or more.
pub(super) async fn announce(
    connection: &mut PgConnection,
    plans: &Plans,
    calls: u64,
    now: OffsetDateTime,
) -> ApplyResult<Outcome> {
    let unlimited = plans.iter().filter(|plan| plan.calls_per_month.is_none());
    let unlimited: Vec<String> = unlimited.map(|plan| plan.name.clone()).collect();
    let months = [Month::of(now - AFTER_END), Month::of(now)];
    let large = large_months::insert(connection, &months, &unlimited, calls).await?;
    let changes = large.iter().map(|month| publish(month, plans, calls));
    let changes = changes.collect();
    Ok((Outcome::LargeMonthsAnnounced, changes))
}

fn publish(large: &LargeMonth, plans: &Plans, limit: u64) -> NewChange {
    let (year, month) = (large.month.year(), u8::from(large.month.month()));
    let month = format!("{year}-{month:02}");
    let id = format!("{}/{month}", large.account_id);
    let state = proto::LargeMonth {
        account_id: large.account_id.to_string(),
        name: large.name.clone(),
        email: large.email.clone(),
        plan: plans.get_or_cheapest(&large.plan).title.clone(),
        month,
        calls: large.calls.unsigned_abs(),
        limit,
    };
    NewChange {
        announced: true,
        happening: true,
        ..feed_row("large_month", id, 1, "reached", state.encode_to_vec())
    }
}
