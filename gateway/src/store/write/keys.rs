//! Keys: made, rotated, revoked.

use std::time::Duration;

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::{Applied, NewChange};
use prost::Message as _;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::accounts::nobody;
use super::{Done, Fresh, Outcome};
use crate::domain::account::{Account, Named};
use crate::domain::key::{Key, Mode, Wanted};
use crate::domain::plan::{Plan, Plans};
use crate::store::{Locked, accounts, games, keys};

pub(super) async fn create(
    connection: &mut PgConnection,
    plans: &Plans,
    named: &Named,
    (wanted, fresh): (&Wanted, &Fresh),
    now: OffsetDateTime,
) -> Outcome {
    let account = match admit(connection, plans, named, wanted, now).await? {
        Ok(account) => account,
        Err(applied) => return Ok(applied),
    };
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
    let changes = vec![change(&key, "created")];
    Ok(Applied::Done(Done::Key(key), changes))
}

/// The account that may have such a key, or why it may not. Its lock holds the number of its keys still.
pub(super) async fn admit(
    connection: &mut PgConnection,
    plans: &Plans,
    named: &Named,
    wanted: &Wanted,
    now: OffsetDateTime,
) -> Result<Result<Account, Applied<Done>>, sqlx::Error> {
    let account = match accounts::lock(connection, named).await? {
        Locked::Held(account) => account,
        Locked::Busy => return Ok(Err(Applied::Busy)),
        Locked::Absent => return Ok(Err(Applied::Refused(nobody()))),
    };
    if wanted.mode == Mode::Live {
        let plan = plans.get_or_cheapest(&account.plan);
        let taken = keys::taken(connection, account.id, now).await?;
        if let Some(limit) = plan.working_keys
            && taken >= i64::from(limit)
        {
            return Ok(Err(Applied::Refused(too_many(plan, limit))));
        }
    }
    if let Some(slug) = &wanted.game
        && !games::stands(connection, slug).await?
    {
        return Ok(Err(Applied::Refused(Fault::invalid_field(
            "game",
            "no published game has this slug",
        ))));
    }
    Ok(Ok(account))
}

pub(super) async fn rotate(
    connection: &mut PgConnection,
    id: Uuid,
    fresh: &Fresh,
    grace: Duration,
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
    old.grace_until = Some(now + grace);
    old.revision += 1;
    keys::save_rotated(connection, &old, new.id).await?;
    let changes = vec![change(&new, "created"), change(&old, "rotated")];
    Ok(Applied::Done(Done::Rotated(new, old), changes))
}

pub(super) async fn revoke(
    connection: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Outcome {
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
    let changes = vec![change(&key, "revoked")];
    Ok(Applied::Done(Done::Key(key), changes))
}

fn no_key() -> Fault {
    Fault::not_found("there is no such key")
}

fn too_many(plan: &Plan, limit: u32) -> Fault {
    Fault::invalid_field(
        "account",
        format!(
            "has the {limit} live keys of its plan {}, working or asked for; revoke one, or move it to a larger plan",
            plan.title
        ),
    )
}

pub(super) fn change(key: &Key, event: &'static str) -> NewChange {
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
