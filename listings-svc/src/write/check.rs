//! Calls that write nothing: those of test keys, and dry runs (§4.3, §10.3).

use kit::Fault;
use kit::feed::ApplyError;
use sqlx::PgPool;
use time::OffsetDateTime;

use super::submission::{Receipt, Submission};
pub use super::submission_context::Preview;
use super::submission_context::SubmissionContext;
use super::{CommandDependencies, account};

/// Makes the same decision as the call, on rows that are not locked. Returns its receipt, and what it would change.
///
/// # Errors
/// Those of the call.
pub async fn check(
    pool: &PgPool,
    submission: &Submission,
    dependencies: &CommandDependencies,
    now: OffsetDateTime,
) -> Result<(Receipt, Option<Preview>), Fault> {
    let mut connection = pool.acquire().await?;
    let context = SubmissionContext::new(&mut connection, submission, dependencies, now).dry_run();
    match account::run(context).await {
        Ok(accepted) => Ok((accepted.receipt, accepted.preview)),
        Err(ApplyError::Rejected(fault)) => Err(fault),
        Err(ApplyError::Busy) => Err(Fault::unavailable("a row that is read without a lock")),
        Err(ApplyError::Database(error)) => Err(error.into()),
    }
}
