//! Calls that write nothing: those of test keys, and dry runs (§4.3, §10.3).

use kit::Fault;
use sqlx::PgPool;
use time::OffsetDateTime;

use super::context::SubmissionContext;
use super::{Receipt, Submission, apply};
use crate::write::CommandDependencies;

/// Makes the same decision as the call, on rows that are not locked. Returns its receipt.
///
/// It is not the call, rolled back: that would lock rows, and test keys would delay live writes.
///
/// # Errors
/// Those of the call.
pub async fn check(
    pool: &PgPool,
    submission: &Submission,
    dependencies: &CommandDependencies,
    now: OffsetDateTime,
) -> Result<Receipt, Fault> {
    let mut connection = pool.acquire().await?;
    let context = SubmissionContext {
        connection: &mut connection,
        submission,
        dependencies,
        now,
        is_dry_run: true,
        writes_today: 0,
    };
    Ok(apply::run(context).await?.receipt)
}
