//! Calls that shall write nothing: those of test keys, and dry runs (§4.3, §10.3).

use kit::Fault;
use kit::feed::Stop;
use sqlx::PgPool;
use time::OffsetDateTime;

use super::command::Command;
use super::submission::{Answer, Submission};
use super::{Rules, account};

/// What would be answered: the same decision, on rows that are not locked.
///
/// # Errors
/// What the call would be refused for.
pub async fn check(
    pool: &PgPool,
    submission: &Submission,
    rules: &Rules,
    now: OffsetDateTime,
) -> Result<Answer, Fault> {
    let mut connection = pool.acquire().await?;
    let command = Command::new(&mut connection, submission, rules, now).dry_run();
    match account::run(command).await {
        Ok(accepted) => Ok(accepted.outcome.answer),
        Err(Stop::Refused(fault)) => Err(fault),
        Err(Stop::Busy) => Err(Fault::unavailable("a row that was only looked at")),
        Err(Stop::Database(error)) => Err(error.into()),
    }
}
