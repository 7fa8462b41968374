//! Commands of accounts (§4.3), decided and written once for each `Idempotency-Key` (§10.4).
//!
//! Each is one straight line, in the order of §7.1: lock the account, look for a stored answer, then (`submit`, `update`) load and lock
//! the listing (404), read the body (`invalid`, `not_yours`), hold it to the limits of the account (`too_many_pending`, `limit`), save,
//! and publish.

use kit::feed::{Applied, Stop};
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::command::{AcceptedCommand, Command};
use super::submission::{Outcome, Submission, Target};
use super::{Rules, submit, update};
use crate::SCHEMA;

/// Decides and writes a submission, inside the writer's transaction.
pub(super) async fn apply(
    connection: &mut PgConnection,
    submission: &Submission,
    rules: &Rules,
    now: OffsetDateTime,
) -> Result<Applied<Box<Outcome>>, sqlx::Error> {
    let accepted = run(Command::new(connection, submission, rules, now)).await;
    Applied::of(accepted.map(|accepted| {
        let changes = accepted.change.into_iter().collect();
        (Box::new(accepted.outcome), changes)
    }))
}

/// Decides a command, and writes it unless it is a dry run.
pub(super) async fn run(mut command: Command<'_>) -> Result<AcceptedCommand, Stop> {
    let submission = command.submission;
    if let Some(key) = &submission.idempotency_key {
        // A call that was answered before is not counted again.
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
    // Counted with the lock, in one round trip; a refusal takes it back.
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
