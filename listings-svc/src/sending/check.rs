//! Calls that shall write nothing: those of test keys, and dry runs (§4.3, §10.3).

use kit::{Fault, pg};
use sqlx::PgPool;
use time::OffsetDateTime;

use super::desk::Verdict;
use super::{Answer, Rules, Sent, load};

/// What would be answered.
///
/// # Errors
/// What the call would be refused for.
pub async fn check(
    pool: &PgPool,
    sent: &Sent,
    rules: &Rules,
    now: OffsetDateTime,
) -> Result<Answer, Fault> {
    let mut connection = pool.acquire().await.map_err(|error| pg::fault(&error))?;
    let desk = load::looked_at(&mut connection, sent, rules, now).await;
    let mut desk = desk.map_err(|error| pg::fault(&error))?;
    match desk.decide(sent) {
        Verdict::Accepted(outcome, _) => Ok(outcome.answer),
        Verdict::Refused(fault) => Err(fault),
        Verdict::Busy => Err(Fault::unavailable("a row that was only looked at")),
    }
}
