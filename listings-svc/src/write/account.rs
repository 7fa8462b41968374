//! Commands of accounts (§4.3), decided and written once for each `Idempotency-Key` (§10.4).
//!
//! Each is one straight line, in the order of §7.1: lock the account, look for a stored answer, then (`submit`, `update`) load and lock
//! the listing (404), read the body (`invalid`, `not_yours`), hold it to the limits of the account (`too_many_pending`, `limit`), save,
//! and publish.

use kit::Fault;
use kit::feed::{Applied, Stop};
use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::command::{Accepted, Command};
use super::submission::{Answer, IdempotencyKey, Outcome, Submission, Target};
use super::{Rules, limits, submit, update};
use crate::store::idempotency::{self, Kept};

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
pub(super) async fn run(mut command: Command<'_>) -> Result<Accepted, Stop> {
    let submission = command.submission;
    if let Some(key) = &submission.idempotency_key {
        // A call that was answered before is not counted again.
        command.lock_account(0).await?;
        if let Some(stored) = stored_answer(&mut command, key).await? {
            return replay(stored, key);
        }
    }
    // Counted with the lock, in one round trip; a refusal takes it back.
    let writes = submission.target.writes_of_day();
    command.written = command.lock_account(writes).await?;
    let accepted = match &submission.target {
        Target::NewGame => submit::game(&mut command).await?,
        Target::NewEvent => submit::event(&mut command).await?,
        Target::NewPage => submit::page(&mut command).await?,
        Target::Game(slug) => update::game(&mut command, slug).await?,
        Target::Event(slug) => update::event(&mut command, slug).await?,
        Target::Page(handle) => update::page(&mut command, handle).await?,
    };
    if let Some(key) = &submission.idempotency_key {
        store_answer(&mut command, key, &accepted.outcome.answer).await?;
    }
    Ok(accepted)
}

async fn stored_answer(
    command: &mut Command<'_>,
    key: &IdempotencyKey,
) -> Result<Option<Kept>, Stop> {
    Ok(idempotency::find(command.connection, &key.name, command.now).await?)
}

async fn store_answer(
    command: &mut Command<'_>,
    key: &IdempotencyKey,
    answer: &Answer,
) -> Result<(), Stop> {
    let kept = Kept {
        body_sha256: key.body_sha256.clone(),
        // A struct of texts: writing it cannot fail.
        answer: serde_json::to_value(answer).unwrap_or(Value::Null),
    };
    Ok(idempotency::save(command.connection, &key.name, &kept, command.now).await?)
}

/// The answer that the same call was given before.
fn replay(stored: Kept, key: &IdempotencyKey) -> Result<Accepted, Stop> {
    if stored.body_sha256 != key.body_sha256 {
        return Err(limits::other_body().into());
    }
    let answer = serde_json::from_value(stored.answer).map_err(|error| Fault::internal(&error))?;
    Ok(Accepted {
        outcome: Outcome {
            answer,
            replayed: true,
        },
        change: None,
    })
}
