//! Applies submissions of accounts (§4.3), each once per `Idempotency-Key` (§10.4).
//!
//! The steps are in the order of §7.1: lock the account, look for a stored receipt, then (`create`, `update`) lock and load the listing
//! (404), read the body (`invalid`, `not_yours`), check the limits of the account (`too_many_pending`, `limit`), save, and publish.

use kit::Fault;

use super::context::{AcceptedSubmission, SubmissionContext};
use super::{Receipt, Submission, Target, create, pictures, update};
use crate::SCHEMA;
use crate::write::CommandDependencies;

/// Applies a submission.
pub async fn apply(
    commands: &CommandDependencies,
    submission: &Submission,
) -> Result<Receipt, Fault> {
    let mut context = commands.begin().await?;
    let accepted = run(SubmissionContext {
        connection: &mut context.connection,
        submission,
        dependencies: commands,
        now: context.now,
        is_dry_run: false,
        writes_today: 0,
    });
    let accepted = accepted.await?;
    context
        .commit(accepted.change.into_iter().collect())
        .await?;
    Ok(accepted.receipt)
}

/// Applies a submission; a dry run saves nothing.
pub(super) async fn run(mut context: SubmissionContext<'_>) -> Result<AcceptedSubmission, Fault> {
    let submission = context.submission;
    if let Some(key) = &submission.idempotency_key {
        // A replayed call does not count as a write.
        context.lock_and_count(0).await?;
        let stored: Option<Receipt> = key.replay(context.connection, SCHEMA, context.now).await?;
        if let Some(receipt) = stored {
            let receipt = Receipt {
                replayed: true,
                ..receipt
            };
            return Ok(AcceptedSubmission {
                receipt,
                change: None,
            });
        }
    }
    // Locks and counts in one round trip; a refusal rolls the count back.
    let writes = submission.target.always_counts().into();
    context.writes_today = context.lock_and_count(writes).await?;
    let accepted = match &submission.target {
        Target::New(entity) => create::create(&mut context, *entity).await?,
        Target::Change(entity, name) => update::update(&mut context, *entity, name).await?,
        Target::Pictures(entity, name, operation) => {
            pictures::apply(&mut context, *entity, name, operation).await?
        }
    };
    if let Some(key) = &submission.idempotency_key {
        let receipt = &accepted.receipt;
        key.store(context.connection, SCHEMA, receipt, context.now)
            .await?;
    }
    Ok(accepted)
}
