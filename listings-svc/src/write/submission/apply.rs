//! Applies submissions of accounts (§4.3), each once per `Idempotency-Key` (§10.4).
//!
//! The steps are in the order of §7.1: lock the account, look for a stored receipt, then (`create`, `update`) lock and load the listing
//! (404), read the body (`invalid`, `not_yours`), check the limits of the account (`too_many_pending`, `limit`), save, and publish.

use kit::feed::{ApplyError, ApplyResult};

use super::context::{AcceptedSubmission, SubmissionContext};
use super::{Receipt, Submission, Target, create, pictures, update};
use crate::SCHEMA;
use crate::write::CommandContext;

/// Applies a submission, inside the writer's transaction.
pub(in crate::write) async fn apply(
    context: &mut CommandContext<'_>,
    submission: &Submission,
) -> ApplyResult<Box<Receipt>> {
    let context = SubmissionContext {
        connection: &mut *context.connection,
        submission,
        dependencies: context.dependencies,
        now: context.now,
        is_dry_run: false,
        writes_today: 0,
    };
    let accepted = run(context).await?;
    let changes = accepted.change.into_iter().collect();
    Ok((Box::new(accepted.receipt), changes))
}

/// Applies a submission; a dry run saves nothing.
pub(super) async fn run(
    mut context: SubmissionContext<'_>,
) -> Result<AcceptedSubmission, ApplyError> {
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
        Target::NewGame => create::game(&mut context).await?,
        Target::NewEvent => create::event(&mut context).await?,
        Target::NewPage => create::page(&mut context).await?,
        Target::Game(slug) => update::game(&mut context, slug).await?,
        Target::Event(slug) => update::event(&mut context, slug).await?,
        Target::Page(handle) => update::page(&mut context, handle).await?,
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
