//! Keys: made, rotated, revoked.

use std::time::Duration;

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::NewChange;
use prost::Message as _;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Done, Fresh, Stop, accounts, change, held};
use crate::domain::account::{Account, Named};
use crate::domain::key::{Key, Wanted};
use crate::domain::plan::Plans;
use crate::store::{games, keys};

pub(super) async fn create(
    connection: &mut PgConnection,
    plans: &Plans,
    named: &Named,
    (wanted, fresh): (&Wanted, &Fresh),
    now: OffsetDateTime,
) -> Result<(Done, Vec<NewChange>), Stop> {
    let account = lock_account(connection, plans, named, wanted, now).await?;
    let key = Key::new(fresh.id, account.id, wanted.clone(), &fresh.last4, now);
    keys::insert(connection, &key, fresh.hash).await?;
    let change = publish(&key, "created");
    Ok((Done::Key(key), vec![change]))
}

/// Locks the account, and refuses a key that it may not have.
pub(super) async fn lock_account(
    connection: &mut PgConnection,
    plans: &Plans,
    named: &Named,
    wanted: &Wanted,
    now: OffsetDateTime,
) -> Result<Account, Stop> {
    let account = accounts::lock(connection, named).await?;
    let taken = keys::taken(connection, account.id, now).await?;
    let game_stands = match &wanted.game {
        Some(slug) => games::stands(connection, slug).await?,
        None => true,
    };
    wanted.check(plans.get_or_cheapest(&account.plan), taken, game_stands)?;
    Ok(account)
}

pub(super) async fn rotate(
    connection: &mut PgConnection,
    id: Uuid,
    fresh: &Fresh,
    grace: Duration,
    now: OffsetDateTime,
) -> Result<(Done, Vec<NewChange>), Stop> {
    let key = lock(connection, id).await?;
    let (old, new) = key.rotated(fresh.id, &fresh.last4, grace, now)?;
    keys::insert(connection, &new, fresh.hash).await?;
    keys::save_rotated(connection, &old, new.id).await?;
    let changes = vec![publish(&new, "created"), publish(&old, "rotated")];
    Ok((Done::Rotated(new, old), changes))
}

pub(super) async fn revoke(
    connection: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(Done, Vec<NewChange>), Stop> {
    let key = lock(connection, id).await?;
    let Some(key) = key.revoked(now) else {
        return Ok((Done::Key(key), Vec::new()));
    };
    keys::save_revoked(connection, &key).await?;
    let change = publish(&key, "revoked");
    Ok((Done::Key(key), vec![change]))
}

async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<Key, Stop> {
    let locked = keys::lock(connection, id).await?;
    held(locked, || Fault::not_found("there is no such key"))
}

pub(super) fn publish(key: &Key, event: &'static str) -> NewChange {
    let state = proto::Key::from(key).encode_to_vec();
    change("key", key.id.to_string(), key.revision, event, state)
}
