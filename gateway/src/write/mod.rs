//! Commands. Every change of accounts, keys and switches is a command and goes through the writer of the feed.
//!
//! Each command is one function with the same steps: lock, load, decide (`domain`), save, publish. The writer applies it in a
//! transaction that it shares with other commands, under a savepoint.

mod accounts;
mod audit;
mod key_requests;
mod keys;
mod switches;

use std::sync::Arc;

use kit::Fault;
use kit::feed::{Apply, ApplyError, ApplyResult, NewChange};
use kit::pg::RowLock;
use sqlx::PgConnection;
use strum::EnumTryAs;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::account::{Account, Identifier};
use crate::domain::author::Author;
use crate::domain::key::{Key, Spec};
use crate::domain::key_request::KeyRequest;
use crate::domain::plan::Plans;
use crate::domain::secret::Hash;
use crate::domain::switch::{Setting, Switch};

/// Applies commands inside the writer's transaction.
#[derive(Debug, Clone)]
pub struct CommandHandler {
    /// Limits the number of working keys.
    pub plans: Arc<Plans>,
}

/// A command and its author.
#[derive(Debug)]
pub struct AuthoredCommand {
    by: Author,
    command: Command,
}

impl AuthoredCommand {
    /// A command of a member of staff or of a person. It is audited in its own transaction.
    pub fn by_author(by: Author, command: Command) -> Self {
        Self { by, command }
    }
}

/// A command. Its fields have been validated by themselves; whether they fit the stored state is checked here.
#[derive(Debug)]
pub enum Command {
    CreateAccount(Account),
    ChangeAccount(AccountUpdate),
    SetPlan(Identifier, String),
    CreateKey(Identifier, Spec, NewKey),
    /// Requests a live key, which staff review.
    RequestKey(Identifier, Spec, Uuid),
    /// Allows the owner to reveal the requested key.
    ApproveKey(Uuid),
    /// Rejects the requested key, with a reason.
    RejectKey(Uuid, String),
    /// Creates the approved key. It gets the id of the request.
    RevealKey(NewKey),
    RotateKey(KeyRotation),
    RevokeKey(Uuid),
    SetSwitch(SwitchUpdate),
}

/// The id of a new key, and the stored parts of its secret.
#[derive(Debug, Clone)]
pub struct NewKey {
    pub id: Uuid,
    /// The SHA-256 of the secret.
    pub hash: Hash,
    /// The last four characters of the secret.
    pub last4: String,
}

/// How a key is rotated.
#[derive(Debug, Clone)]
pub struct KeyRotation {
    pub id: Uuid,
    pub new_key: NewKey,
    /// Whether the old key stops at once.
    pub revokes_old: bool,
}

/// New values of an account; absent ones stay.
#[derive(Debug, Clone)]
pub struct AccountUpdate {
    pub id: Uuid,
    pub name: Option<String>,
    pub email: Option<String>,
}

#[derive(Debug, Clone)]
pub struct SwitchUpdate {
    pub switch: Switch,
    pub on: bool,
    /// May be empty.
    pub reason: String,
}

/// The outcome of a command.
#[derive(Debug, EnumTryAs)]
pub enum Outcome {
    Account(Account),
    Key(Key),
    KeyRequest(KeyRequest),
    /// The new key, the old one, and the predecessor of the old one if it has been ended.
    Rotated(Key, Box<Key>, Option<Box<Key>>),
    Switch(Setting),
}

impl Apply for CommandHandler {
    type Item = AuthoredCommand;
    type Outcome = Outcome;

    /// Applies a command and audits it.
    async fn apply(
        &self,
        connection: &mut PgConnection,
        AuthoredCommand { by, command }: &AuthoredCommand,
        now: OffsetDateTime,
    ) -> ApplyResult<Outcome> {
        let limited = by.is_limited();
        let (outcome, changes) = self.execute(connection, command, limited, now).await?;
        // A command that changes nothing is not audited.
        if !changes.is_empty() {
            audit::record(&mut *connection, by, audit::subject(&outcome), now).await?;
        }
        Ok((outcome, changes))
    }
}

impl CommandHandler {
    async fn execute(
        &self,
        connection: &mut PgConnection,
        command: &Command,
        limited: bool,
        now: OffsetDateTime,
    ) -> ApplyResult<Outcome> {
        let limits = keys::KeyLimits {
            plans: &self.plans,
            limited,
        };
        match command {
            Command::CreateAccount(account) => {
                accounts::create(connection, account, !limited).await
            }
            Command::ChangeAccount(update) => accounts::change(connection, update).await,
            Command::SetPlan(identifier, plan) => {
                accounts::set_plan(connection, identifier, plan).await
            }
            Command::CreateKey(identifier, spec, new_key) => {
                keys::create(connection, limits, identifier, spec, new_key, now).await
            }
            Command::RequestKey(identifier, spec, id) => {
                key_requests::request(connection, limits, identifier, spec, *id, now).await
            }
            Command::ApproveKey(id) => key_requests::approve(connection, *id, now).await,
            Command::RejectKey(id, reason) => {
                key_requests::reject(connection, *id, reason, now).await
            }
            Command::RevealKey(new_key) => key_requests::reveal(connection, new_key, now).await,
            Command::RotateKey(rotation) => keys::rotate(connection, rotation, limited, now).await,
            Command::RevokeKey(id) => keys::revoke(connection, *id, now).await,
            Command::SetSwitch(update) => switches::set(connection, update, now).await,
        }
    }
}

/// The locked row, or why there is none.
fn locked_row<T>(locked: RowLock<T>, not_found: impl FnOnce() -> Fault) -> Result<T, ApplyError> {
    match locked {
        RowLock::Acquired(row) => Ok(row),
        RowLock::Busy => Err(ApplyError::Busy),
        RowLock::NotFound => Err(not_found().into()),
    }
}

/// A change to publish on the feed.
fn feed_row(
    entity: &'static str,
    id: String,
    revision: i64,
    event: &'static str,
    state: Vec<u8>,
) -> NewChange {
    NewChange {
        entity,
        id,
        revision,
        event,
        announced: false,
        happening: false,
        state,
    }
}
