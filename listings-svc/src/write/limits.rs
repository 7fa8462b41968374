//! What accounts may do, and the sentences that refuse the rest.

use kit::{Code, Fault};
use time::{Duration, OffsetDateTime, Time};

use crate::domain::text::clip;

/// Refuses one more submission than may wait.
pub(super) fn check_pending_limit(pending: i64, limit: i64) -> Result<(), Fault> {
    if pending < limit {
        return Ok(());
    }
    let message = format!(
        "{limit} of your submissions are waiting for their review, which is the most; send this one when one of them is decided"
    );
    Err(Fault::new(Code::TooManyPending, message))
}

/// Refuses more writes of a day than the plan has.
pub(super) fn check_daily_limit(
    writes: i32,
    limit: Option<u32>,
    now: OffsetDateTime,
) -> Result<(), Fault> {
    match limit {
        Some(limit) if i64::from(writes) > i64::from(limit) => Err(daily_limit(limit, now)),
        Some(_) | None => Ok(()),
    }
}

fn daily_limit(limit: u32, now: OffsetDateTime) -> Fault {
    let midnight = now.replace_time(Time::MIDNIGHT) + Duration::DAY;
    let left = midnight - now;
    let wait = left.whole_seconds() + i64::from(left.subsec_nanoseconds() > 0);
    Fault {
        retry_after: u32::try_from(wait).ok(),
        ..Fault::new(
            Code::Limit,
            format!(
                "the account has used the {limit} writes of its day (plan); come back at 00:00 UTC, or take a larger plan"
            ),
        )
    }
}

/// Refuses a page that was taken down.
pub(super) fn taken_down(handle: &str) -> Fault {
    let handle = clip(handle);
    Fault::new(
        Code::NotYours,
        format!(
            "the page `{handle}` was taken down, and nothing is sent in under it until staff restore it; write to them, or give another page of yours"
        ),
    )
}

/// Refuses a page that is not the account's.
pub(super) fn not_yours(handle: &str) -> Fault {
    let handle = clip(handle);
    Fault::new(
        Code::NotYours,
        format!(
            "`{handle}` is no page of yours; give the handle of a page that you sent in or claimed"
        ),
    )
}
