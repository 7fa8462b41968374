//! Commands. Every change of accounts, keys, plans and switches is a command and goes through the writer of the feed.
//!
//! Each command is one function with the same steps: lock, load, decide (`domain`), save, publish. The writer applies it in a
//! transaction that it shares with other commands, under a savepoint.

mod accounts;
mod audit;
mod key_requests;
mod keys;
mod plans;
mod switches;

use std::sync::Arc;
use std::time::Duration;

use kit::Fault;
use kit::feed::{Applied, Apply, NewChange, Stop};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::SCHEMA;
use crate::domain::account::{Account, Identifier};
use crate::domain::key::{Key, Spec};
use crate::domain::key_request::KeyRequest;
use crate::domain::plan::Plans;
use crate::domain::secret::Hash;
use crate::domain::staff_action::By;
use crate::domain::switch::{Setting, Switch};
use crate::store::RowLock;

/// Applies commands.
#[derive(Debug, Clone)]
pub struct Writes {
    /// Limits the number of working keys.
    pub plans: Arc<Plans>,
    /// How long a rotated key still works.
    pub grace: Duration,
}

/// A command and its author.
#[derive(Debug)]
pub struct Write {
    by: Option<By>,
    command: Command,
}

impl Write {
    /// A command of a member of staff. It is audited in its own transaction.
    pub fn by_staff(by: By, command: Command) -> Self {
        Self {
            by: Some(by),
            command,
        }
    }

    /// A command of the gateway itself.
    pub fn by_gateway(command: Command) -> Self {
        Self { by: None, command }
    }
}

/// A command. Its fields have been validated by themselves; whether they fit the stored state is checked here.
#[derive(Debug)]
pub enum Command {
    CreateAccount(Account),
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
    RotateKey(Uuid, NewKey),
    RevokeKey(Uuid),
    SetSwitch(SwitchUpdate),
    /// Publishes the plans of the settings that differ from the feed.
    PublishPlans,
}

/// The id of a new key, and what is stored of its secret.
#[derive(Debug, Clone)]
pub struct NewKey {
    pub id: Uuid,
    /// The SHA-256 of the secret.
    pub hash: Hash,
    /// The last four characters of the secret.
    pub last4: String,
}

#[derive(Debug, Clone)]
pub struct SwitchUpdate {
    pub switch: Switch,
    pub on: bool,
    /// May be empty.
    pub reason: String,
}

/// The result of a command.
#[derive(Debug)]
pub enum Done {
    Account(Account),
    Key(Key),
    KeyRequest(KeyRequest),
    /// The new key and the old one.
    Rotated(Key, Key),
    Switch(Setting),
    PlansPublished,
}

impl Apply for Writes {
    type Item = Write;
    type Done = Done;

    async fn apply(
        &self,
        connection: &mut PgConnection,
        write: &Write,
        now: OffsetDateTime,
    ) -> Result<Applied<Done>, sqlx::Error> {
        Applied::of(self.run(connection, write, now).await)
    }
}

impl Writes {
    /// Applies a command and audits it if it has an author.
    async fn run(
        &self,
        connection: &mut PgConnection,
        Write { by, command }: &Write,
        now: OffsetDateTime,
    ) -> Result<(Done, Vec<NewChange>), Stop> {
        let (done, changes) = self.execute(connection, command, now).await?;
        // A command that changes nothing is not audited.
        if let Some(by) = by
            && !changes.is_empty()
            && let Some(subject) = audit::subject(&done)
        {
            by.record(&mut *connection, SCHEMA, subject, now).await?;
        }
        Ok((done, changes))
    }

    async fn execute(
        &self,
        connection: &mut PgConnection,
        command: &Command,
        now: OffsetDateTime,
    ) -> Result<(Done, Vec<NewChange>), Stop> {
        match command {
            Command::CreateAccount(account) => accounts::create(connection, account).await,
            Command::SetPlan(identifier, plan) => {
                accounts::set_plan(connection, identifier, plan).await
            }
            Command::CreateKey(identifier, spec, new_key) => {
                keys::create(connection, &self.plans, identifier, (spec, new_key), now).await
            }
            Command::RequestKey(identifier, spec, id) => {
                key_requests::request(connection, &self.plans, identifier, (spec, *id), now).await
            }
            Command::ApproveKey(id) => key_requests::approve(connection, *id, now).await,
            Command::RejectKey(id, reason) => {
                key_requests::reject(connection, *id, reason, now).await
            }
            Command::RevealKey(new_key) => key_requests::reveal(connection, new_key, now).await,
            Command::RotateKey(id, new_key) => {
                keys::rotate(connection, *id, new_key, self.grace, now).await
            }
            Command::RevokeKey(id) => keys::revoke(connection, *id, now).await,
            Command::SetSwitch(update) => switches::set(connection, update, now).await,
            Command::PublishPlans => plans::publish(connection, &self.plans).await,
        }
    }
}

/// The locked row, or why there is none.
fn locked_row<T>(locked: RowLock<T>, not_found: impl FnOnce() -> Fault) -> Result<T, Stop> {
    match locked {
        RowLock::Acquired(row) => Ok(row),
        RowLock::Busy => Err(Stop::Busy),
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
