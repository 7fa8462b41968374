//! Every change of accounts, keys, plans and switches, and its row on the feed: what the writer task does. A file a subject.

mod accounts;
mod audited;
mod key_requests;
mod keys;
mod plans;
mod switches;

use std::sync::Arc;
use std::time::Duration;

use kit::feed::{Applied, Apply};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::account::{Account, Named};
use crate::domain::key::{Key, Wanted};
use crate::domain::key_request::KeyRequest;
use crate::domain::plan::Plans;
use crate::domain::secret::Hash;
use crate::domain::switch::{Setting, Switch};
use crate::store::audit::{self, By};

/// The writer's hands: applies what is asked for.
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

type Outcome = Result<Applied<Done>, sqlx::Error>;

impl Apply for Writes {
    type Item = Write;
    type Done = Done;

    async fn apply(
        &self,
        connection: &mut PgConnection,
        write: &Write,
        now: OffsetDateTime,
    ) -> Outcome {
        let Write { by, item } = write;
        let outcome = self.make(connection, item, now).await?;
        // A call that changed nothing leaves no trace.
        if let (Some(by), Applied::Done(done, changes)) = (by, &outcome)
            && !changes.is_empty()
            && let Some(subject) = audited::subject(done)
        {
            audit::append(&mut *connection, by, subject, now).await?;
        }
        Ok(outcome)
    }
}

impl Writes {
    async fn make(
        &self,
        connection: &mut PgConnection,
        item: &Item,
        now: OffsetDateTime,
    ) -> Outcome {
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
