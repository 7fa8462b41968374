//! Commands: every change of the economy is made by one of these functions, in one transaction of the feed.
//!
//! A command takes those of these steps that it needs: lock, look for the stored receipt of its `Idempotency-Key`, load, decide, save,
//! publish. A command of staff that changed something also writes to the audit.

pub(crate) mod currency;
pub(crate) mod report;
mod report_review;
pub(crate) mod review;
pub(crate) mod swap;
pub(crate) mod tip;

use kit::Fault;

pub use currency::SetName;
pub use report::{ReportReceipt, SubmitReport};
pub use review::{ReviewReport, Verdict};
pub use tip::{SendTip, TipReceipt};

/// The error for a game that is not stored. The gateway knows it already: the follower of listings-svc will store it shortly.
pub(crate) fn unknown_game() -> Fault {
    Fault::unavailable("a new game is not synchronised yet")
}
