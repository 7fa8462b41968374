//! Commands: everything that changes accounts, keys, plans and switches goes through the writer of the feed as one of these.
//!
//! Each is one function, a file a subject, and one straight line: lock, load, decide (`domain`), save, publish. The writer applies it
//! inside a transaction that it shares with others, under a savepoint of its own.

mod accounts;
mod audited;
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
use crate::domain::account::{Account, Named};
use crate::domain::key::{Key, Wanted};
use crate::domain::key_request::KeyRequest;
use crate::domain::plan::Plans;
use crate::domain::secret::Hash;
use crate::domain::staff_action::By;
use crate::domain::switch::{Setting, Switch};
use crate::store::Locked;

/// Carries out commands.
#[derive(Debug, Clone)]
pub struct Writes {
    /// The plans, for the limit of working keys.
    pub plans: Arc<Plans>,
    /// How long a rotated key goes on working.
    pub grace: Duration,
}

/// A change, and who makes it.
#[derive(Debug)]
pub struct Write {
    by: Option<By>,
    item: Item,
}

impl Write {
    /// A change that staff make. It is recorded in the audit, in its own transaction.
    pub fn by(by: By, item: Item) -> Self {
        Self { by: Some(by), item }
    }

    /// A change that the gateway makes by itself.
    pub fn of_gateway(item: Item) -> Self {
        Self { by: None, item }
    }
}

/// What is asked for. The fields are good by themselves; what is checked here is how they fit with what there is.
#[derive(Debug)]
pub enum Item {
    /// A new account.
    CreateAccount(Account),
    /// Another plan for an account.
    SetPlan(Named, String),
    /// A new key for an account.
    CreateKey(Named, Wanted, Fresh),
    /// A live key for an account, to be looked at.
    AskKey(Named, Wanted, Uuid),
    /// Leave to reveal a key that was asked for.
    ApproveKey(Uuid),
    /// The end of a key that was asked for, and why.
    RejectKey(Uuid, String),
    /// The secret of a key that was approved; the key has the request's id.
    RevealKey(Fresh),
    /// A new secret for a key.
    RotateKey(Uuid, Fresh),
    /// The end of a key.
    RevokeKey(Uuid),
    /// Another standing for a switch.
    Throw(Thrown),
    /// The plans of the settings, told to the world where they are news.
    TellPlans,
}

/// What a new key brings along: its id, and what is kept of its secret.
#[derive(Debug, Clone)]
pub struct Fresh {
    /// Its id.
    pub id: Uuid,
    /// SHA-256 of its secret.
    pub hash: Hash,
    /// The last four characters of its secret.
    pub last4: String,
}

/// A switch as staff want it.
#[derive(Debug, Clone)]
pub struct Thrown {
    /// Which one.
    pub switch: Switch,
    /// How it is to stand.
    pub on: bool,
    /// Why; may be empty.
    pub reason: String,
}

/// What came of it.
#[derive(Debug)]
pub enum Done {
    /// The account as it is now.
    Account(Account),
    /// The key as it is now.
    Key(Key),
    /// The request as it is now.
    KeyRequest(KeyRequest),
    /// The new key and the old one.
    Rotated(Key, Key),
    /// The switch as it stands now.
    Switch(Setting),
    /// Plans were told.
    Told,
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
    /// Carries out a command, and records it if it is one of staff.
    async fn run(
        &self,
        connection: &mut PgConnection,
        Write { by, item }: &Write,
        now: OffsetDateTime,
    ) -> Result<(Done, Vec<NewChange>), Stop> {
        let (done, changes) = self.carry_out(connection, item, now).await?;
        // A call that changed nothing leaves no trace.
        if let Some(by) = by
            && !changes.is_empty()
            && let Some(subject) = audited::subject(&done)
        {
            by.record(&mut *connection, SCHEMA, subject, now).await?;
        }
        Ok((done, changes))
    }

    async fn carry_out(
        &self,
        connection: &mut PgConnection,
        item: &Item,
        now: OffsetDateTime,
    ) -> Result<(Done, Vec<NewChange>), Stop> {
        match item {
            Item::CreateAccount(account) => accounts::create(connection, account).await,
            Item::SetPlan(named, plan) => accounts::set_plan(connection, named, plan).await,
            Item::CreateKey(named, wanted, fresh) => {
                keys::create(connection, &self.plans, named, (wanted, fresh), now).await
            }
            Item::AskKey(named, wanted, id) => {
                key_requests::ask(connection, &self.plans, named, (wanted, *id), now).await
            }
            Item::ApproveKey(id) => key_requests::approve(connection, *id, now).await,
            Item::RejectKey(id, reason) => key_requests::reject(connection, *id, reason, now).await,
            Item::RevealKey(fresh) => key_requests::reveal(connection, fresh, now).await,
            Item::RotateKey(id, fresh) => {
                keys::rotate(connection, *id, fresh, self.grace, now).await
            }
            Item::RevokeKey(id) => keys::revoke(connection, *id, now).await,
            Item::Throw(thrown) => switches::throw(connection, thrown, now).await,
            Item::TellPlans => plans::tell(connection, &self.plans).await,
        }
    }
}

/// The row that a command is about.
fn held<T>(locked: Locked<T>, absent: impl FnOnce() -> Fault) -> Result<T, Stop> {
    match locked {
        Locked::Held(row) => Ok(row),
        Locked::Busy => Err(Stop::Busy),
        Locked::Absent => Err(absent().into()),
    }
}

/// A row for the feed.
fn change(
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
