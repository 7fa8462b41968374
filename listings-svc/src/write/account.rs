//! Applies submissions of accounts (§4.3), each once per `Idempotency-Key` (§10.4).
//!
//! The steps are in the order of §7.1: lock the account, look for a stored answer, then (`submit`, `update`) lock and load the listing
//! (404), read the body (`invalid`, `not_yours`), check the limits of the account (`too_many_pending`, `limit`), save, and publish.

use kit::feed::{Applied, Stop};
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::command::{AcceptedCommand, Command};
use super::submission::{Outcome, Submission, Target};
use super::{CommandDependencies, submit, update};
use crate::SCHEMA;

/// Applies a submission, inside the writer's transaction.
pub(super) async fn apply(
    connection: &mut PgConnection,
    submission: &Submission,
    dependencies: &CommandDependencies,
    now: OffsetDateTime,
) -> Result<Applied<Box<Outcome>>, sqlx::Error> {
    let accepted = run(Command::new(connection, submission, dependencies, now)).await;
    Applied::of(accepted.map(|accepted| {
        let changes = accepted.change.into_iter().collect();
        (Box::new(accepted.outcome), changes)
    }))
}

/// Runs a command; a dry run saves nothing.
pub(super) async fn run(mut command: Command<'_>) -> Result<AcceptedCommand, Stop> {
    let submission = command.submission;
    if let Some(key) = &submission.idempotency_key {
        // A replayed call does not count as a write.
        command.lock_account(0).await?;
        let replayed = key.replay(command.connection, SCHEMA, command.now).await?;
        if let Some(answer) = replayed {
            let outcome = Outcome {
                answer,
                replayed: true,
            };
            return Ok(AcceptedCommand {
                outcome,
                change: None,
            });
        }
    }
    // Locks and counts in one round trip; a refusal rolls the count back.
    let writes = submission.target.daily_writes();
    command.writes_today = command.lock_account(writes).await?;
    let accepted = match &submission.target {
        Target::NewGame => submit::game(&mut command).await?,
        Target::NewEvent => submit::event(&mut command).await?,
        Target::NewPage => submit::page(&mut command).await?,
        Target::Game(slug) => update::game(&mut command, slug).await?,
        Target::Event(slug) => update::event(&mut command, slug).await?,
        Target::Page(handle) => update::page(&mut command, handle).await?,
    };
    if let Some(key) = &submission.idempotency_key {
        let answer = &accepted.outcome.answer;
        key.store(command.connection, SCHEMA, answer, command.now)
            .await?;
    }
    Ok(accepted)
}
