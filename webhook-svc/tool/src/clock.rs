//! The clock.

use time::OffsetDateTime;

/// Unix time in whole seconds.
#[expect(
    clippy::disallowed_methods,
    reason = "a program of its own: the clock of the fleet is not here"
)]
pub(crate) fn now() -> i64 {
    OffsetDateTime::now_utc().unix_timestamp()
}
