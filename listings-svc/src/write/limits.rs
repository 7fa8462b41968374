//! The limits of accounts, and the messages of refusals.

use kit::{Code, Fault};
use time::{Duration, OffsetDateTime, Time};

use crate::domain::text::clip;

/// Maximum number of waiting claims of one account.
pub const MAX_WAITING: i64 = 10;

/// Maximum number of pages of an account that the public never saw.
pub const MAX_UNPUBLISHED_PAGES: i64 = 30;

/// Refuses a page beyond the limit of those that the public never saw: one that is rejected or taken back keeps its handle.
pub(super) fn check_unpublished_pages(pages: i64) -> Result<(), Fault> {
    if pages < MAX_UNPUBLISHED_PAGES {
        return Ok(());
    }
    let message = format!(
        "{MAX_UNPUBLISHED_PAGES} of your pages were never public, which is the maximum. Change one of them instead."
    );
    Err(Fault::new(Code::TooManyPending, message))
}

/// Refuses a submission beyond the limit of pending ones; `whose` names the account for which it counts.
pub(super) fn check_pending_limit(pending: i64, limit: i64, whose: &str) -> Result<(), Fault> {
    if pending < limit {
        return Ok(());
    }
    let message = format!(
        "{limit} {whose} are pending review, which is the maximum. Submit this one after staff have decided on one of them."
    );
    Err(Fault::new(Code::TooManyPending, message))
}

/// Refuses a claim beyond the limit; `others` is the number of waiting ones of other pages.
pub(super) fn check_claims(others: i64) -> Result<(), Fault> {
    if others < MAX_WAITING {
        return Ok(());
    }
    let message = format!(
        "{MAX_WAITING} of your claims wait for a decision, which is the maximum. Withdraw one, or claim this page after staff have decided on one."
    );
    Err(Fault::new(Code::TooManyPending, message))
}

/// Refuses a write beyond the daily limit of the plan.
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
    let message = format!(
        "The account has used the {limit} writes per day of its plan. Try again after 00:00 UTC, or choose a larger plan."
    );
    Fault::new(Code::Limit, message).retry_in(midnight - now)
}

pub(super) fn taken_down(handle: &str) -> Fault {
    let handle = clip(handle);
    Fault::new(
        Code::NotYours,
        format!(
            "The page `{handle}` was taken down: until staff restore it, nothing can be submitted under it, and its published games stay with it. Contact staff, or give another page of yours."
        ),
    )
}

/// Refuses a page that the account does not own.
pub(super) fn not_yours(handle: &str) -> Fault {
    let handle = clip(handle);
    Fault::new(
        Code::NotYours,
        format!(
            "`{handle}` is not a page of yours. Give the handle of a page that you submitted or claimed."
        ),
    )
}
