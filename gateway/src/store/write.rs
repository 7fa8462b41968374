//! Every change of accounts, plans and keys, and its row on the feed: what the writer task does.

use std::sync::Arc;
use std::time::Duration;

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::{Applied, Apply, NewChange};
use prost::Message as _;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Locked, accounts, games, keys, plans};
use crate::domain::account::{Account, Named, Wanted};
use crate::domain::key::{Key, Mode};
use crate::domain::plan::{Plan, Plans};
use crate::domain::secret::Hash;

/// The writer's hands: applies what is asked for.
#[derive(Debug, Clone)]
pub struct Writes {
    /// The plans, for the limit of working keys.
    pub plans: Arc<Plans>,
    /// How long a rotated key goes on working.
    pub grace: Duration,
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
    /// A new secret for a key.
    RotateKey(Uuid, Fresh),
    /// The end of a key.
    RevokeKey(Uuid),
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

/// What came of it.
#[derive(Debug)]
pub enum Done {
    /// The account as it is now.
    Account(Account),
    /// The key as it is now.
    Key(Key),
    /// The new key and the old one.
    Rotated(Key, Key),
    /// Plans were told.
    Told,
}

type Outcome = Result<Applied<Done>, sqlx::Error>;

impl Apply for Writes {
    type Item = Item;
    type Done = Done;

    async fn apply(
        &self,
        connection: &mut PgConnection,
        items: &[&Item],
        now: OffsetDateTime,
    ) -> Result<Vec<Applied<Done>>, sqlx::Error> {
        // Staff make few changes: one after the other is quick enough.
        let mut outcomes = Vec::with_capacity(items.len());
        for item in items {
            outcomes.push(match item {
                Item::CreateAccount(account) => create_account(connection, account).await?,
                Item::SetPlan(named, plan) => set_plan(connection, named, plan).await?,
                Item::CreateKey(named, wanted, fresh) => {
                    self.create_key(connection, named, (wanted, fresh), now)
                        .await?
                }
                Item::RotateKey(id, fresh) => self.rotate_key(connection, *id, fresh, now).await?,
                Item::RevokeKey(id) => revoke_key(connection, *id, now).await?,
                Item::TellPlans => self.tell_plans(connection).await?,
            });
        }
        Ok(outcomes)
    }
}

impl Writes {
    async fn create_key(
        &self,
        connection: &mut PgConnection,
        named: &Named,
        (wanted, fresh): (&Wanted, &Fresh),
        now: OffsetDateTime,
    ) -> Outcome {
        // The account's lock holds the number of its keys still.
        let account = match accounts::lock(connection, named).await? {
            Locked::Held(account) => account,
            Locked::Busy => return Ok(Applied::Busy),
            Locked::Absent => return Ok(Applied::Refused(no_account())),
        };
        if wanted.mode == Mode::Live {
            let plan = self.plans.get_or_cheapest(&account.plan);
            let working = keys::working(connection, account.id, now).await?;
            if let Some(limit) = plan.working_keys
                && working >= i64::from(limit)
            {
                return Ok(Applied::Refused(too_many_keys(plan, limit)));
            }
        }
        if let Some(slug) = &wanted.game
            && !games::stands(connection, slug).await?
        {
            return Ok(Applied::Refused(Fault::invalid_field(
                "game",
                "no published game has this slug",
            )));
        }
        let key = Key {
            id: fresh.id,
            account: account.id,
            name: wanted.name.clone(),
            mode: wanted.mode,
            kind: wanted.kind,
            may_write: wanted.may_write,
            game: wanted.game.clone(),
            last4: fresh.last4.clone(),
            created_at: now,
            last_used_at: None,
            expires_at: wanted.expires_at,
            grace_until: None,
            revoked_at: None,
            revision: 1,
        };
        keys::insert(connection, &key, fresh.hash).await?;
        let changes = vec![key_change(&key, "created")];
        Ok(Applied::Done(Done::Key(key), changes))
    }

    async fn rotate_key(
        &self,
        connection: &mut PgConnection,
        id: Uuid,
        fresh: &Fresh,
        now: OffsetDateTime,
    ) -> Outcome {
        let mut old = match keys::lock(connection, id).await? {
            Locked::Held(key) => key,
            Locked::Busy => return Ok(Applied::Busy),
            Locked::Absent => return Ok(Applied::Refused(no_key())),
        };
        if !old.works(now) {
            return Ok(Applied::Refused(Fault::invalid_field(
                "id",
                "this key no longer works; make a new one",
            )));
        }
        if old.grace_until.is_some() {
            return Ok(Applied::Refused(Fault::invalid_field(
                "id",
                "this key was rotated before; rotate the one that followed it",
            )));
        }
        let new = Key {
            id: fresh.id,
            last4: fresh.last4.clone(),
            created_at: now,
            last_used_at: None,
            revision: 1,
            ..old.clone()
        };
        keys::insert(connection, &new, fresh.hash).await?;
        old.grace_until = Some(now + self.grace);
        old.revision += 1;
        keys::save_rotated(connection, &old, new.id).await?;
        let changes = vec![key_change(&new, "created"), key_change(&old, "rotated")];
        Ok(Applied::Done(Done::Rotated(new, old), changes))
    }

    async fn tell_plans(&self, connection: &mut PgConnection) -> Outcome {
        let mut changes = Vec::new();
        // By name, so that processes that start together take their locks in one order.
        let mut told: Vec<&Plan> = self.plans.iter().collect();
        told.sort_by(|a, b| a.name.cmp(&b.name));
        for plan in &told {
            let state = proto::Plan::from(*plan).encode_to_vec();
            if let Some(revision) = plans::tell(connection, &plan.name, &state).await? {
                let event = if revision == 1 { "created" } else { "updated" };
                changes.push(plan_change(plan.name.clone(), revision, event, state));
            }
        }
        let names: Vec<String> = told.iter().map(|plan| plan.name.clone()).collect();
        for gone in plans::withdraw(connection, &names).await? {
            changes.push(plan_change(gone.name, gone.revision, "removed", gone.state));
        }
        Ok(Applied::Done(Done::Told, changes))
    }
}

async fn create_account(connection: &mut PgConnection, account: &Account) -> Outcome {
    if !accounts::insert(connection, account).await? {
        return Ok(Applied::Refused(Fault::invalid_field(
            "email",
            "another account has this address",
        )));
    }
    let changes = vec![account_change(account, "created")];
    Ok(Applied::Done(Done::Account(account.clone()), changes))
}

async fn set_plan(connection: &mut PgConnection, named: &Named, plan: &str) -> Outcome {
    let mut account = match accounts::lock(connection, named).await? {
        Locked::Held(account) => account,
        Locked::Busy => return Ok(Applied::Busy),
        Locked::Absent => return Ok(Applied::Refused(no_account())),
    };
    if account.plan == plan {
        return Ok(Applied::Done(Done::Account(account), Vec::new()));
    }
    plan.clone_into(&mut account.plan);
    account.revision += 1;
    accounts::save(connection, &account).await?;
    let changes = vec![account_change(&account, "updated")];
    Ok(Applied::Done(Done::Account(account), changes))
}

async fn revoke_key(connection: &mut PgConnection, id: Uuid, now: OffsetDateTime) -> Outcome {
    let mut key = match keys::lock(connection, id).await? {
        Locked::Held(key) => key,
        Locked::Busy => return Ok(Applied::Busy),
        Locked::Absent => return Ok(Applied::Refused(no_key())),
    };
    if key.revoked_at.is_some() {
        return Ok(Applied::Done(Done::Key(key), Vec::new()));
    }
    key.revoked_at = Some(now);
    key.revision += 1;
    keys::save_revoked(connection, &key).await?;
    let changes = vec![key_change(&key, "revoked")];
    Ok(Applied::Done(Done::Key(key), changes))
}

fn no_account() -> Fault {
    Fault::not_found("there is no such account")
}

fn no_key() -> Fault {
    Fault::not_found("there is no such key")
}

fn too_many_keys(plan: &Plan, limit: u32) -> Fault {
    Fault::invalid_field(
        "mode",
        format!(
            "the account has the {limit} working live keys of its plan {}; revoke one, or move it to a larger plan",
            plan.title
        ),
    )
}

fn account_change(account: &Account, event: &'static str) -> NewChange {
    NewChange {
        entity: "account",
        id: account.id.to_string(),
        revision: account.revision,
        event,
        announced: false,
        happening: false,
        state: proto::Account::from(account).encode_to_vec(),
    }
}

fn key_change(key: &Key, event: &'static str) -> NewChange {
    NewChange {
        entity: "key",
        id: key.id.to_string(),
        revision: key.revision,
        event,
        announced: false,
        happening: false,
        state: proto::Key::from(key).encode_to_vec(),
    }
}

fn plan_change(name: String, revision: i64, event: &'static str, state: Vec<u8>) -> NewChange {
    NewChange {
        entity: "plan",
        id: name,
        revision,
        event,
        announced: false,
        happening: false,
        state,
    }
}
