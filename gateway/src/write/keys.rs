//! Commands on keys: create, rotate, revoke.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::{ApplyError, ApplyResult, NewChange};
use prost::Message as _;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{KeyRotation, NewKey, Outcome, accounts, feed_row, locked_row};
use crate::domain::account::Account;
use crate::domain::key::{Key, Spec};
use crate::domain::owner_limits;
use crate::domain::plan::Plans;
use crate::store::{games, keys};

/// The limits on the keys of an account.
#[derive(Clone, Copy)]
pub(super) struct KeyLimits<'a> {
    pub(super) plans: &'a Plans,
    /// Whether [`owner_limits`] apply.
    pub(super) limited: bool,
}

pub(super) async fn create(
    connection: &mut PgConnection,
    limits: KeyLimits<'_>,
    account: Uuid,
    spec: &Spec,
    new_key: &NewKey,
    now: OffsetDateTime,
) -> ApplyResult<Outcome> {
    let account = lock_account(connection, limits, account, spec, now).await?;
    let key = Key::new(new_key.id, account.id, spec.clone(), &new_key.last4, now);
    keys::insert(connection, &key, new_key.hash).await?;
    let change = publish(&key, "created");
    Ok((Outcome::Key(key), vec![change]))
}

/// Locks the account and rejects a key that the plan, the directory or the limits of owners do not allow.
pub(super) async fn lock_account(
    connection: &mut PgConnection,
    limits: KeyLimits<'_>,
    account: Uuid,
    spec: &Spec,
    now: OffsetDateTime,
) -> Result<Account, ApplyError> {
    let account = accounts::lock(connection, account).await?;
    let working = keys::count_working(connection, account.id).await?;
    let game = games::state(connection, spec.game.as_deref(), spec.mode, account.id).await?;
    let plans = limits.plans;
    spec.check(plans, plans.get_or_cheapest(&account.plan), working, game)?;
    if limits.limited {
        let counts = keys::counts(connection, account.id, now).await?;
        owner_limits::check(Some(spec.mode), counts, now)?;
    }
    Ok(account)
}

pub(super) async fn rotate(
    connection: &mut PgConnection,
    rotation: &KeyRotation,
    limited: bool,
    now: OffsetDateTime,
) -> ApplyResult<Outcome> {
    let key = lock(connection, rotation.id).await?;
    if limited {
        let counts = keys::counts(connection, key.account, now).await?;
        owner_limits::check(None, counts, now)?;
    }
    let new_key = &rotation.new_key;
    let (old, new) = key.rotated(new_key.id, &new_key.last4, rotation.revokes_old, now)?;
    keys::insert(connection, &new, new_key.hash).await?;
    keys::update_rotated(connection, &old, new.id).await?;
    let mut changes = vec![publish(&new, "created"), publish(&old, "rotated")];
    let ended = end_predecessor(connection, old.id, now).await?;
    changes.extend(ended.as_ref().map(|ended| publish(ended, "revoked")));
    Ok((
        Outcome::Rotated(new, Box::new(old), ended.map(Box::new)),
        changes,
    ))
}

/// Revokes the predecessor of a key that is rotated, if it is still in its grace period: two secrets of a chain work at most.
async fn end_predecessor(
    connection: &mut PgConnection,
    rotated: Uuid,
    now: OffsetDateTime,
) -> Result<Option<Key>, ApplyError> {
    let Some(id) = keys::predecessor(connection, rotated).await? else {
        return Ok(None);
    };
    let predecessor = lock(connection, id).await?;
    let ended = predecessor.revoked(now).filter(|_| predecessor.works(now));
    if let Some(ended) = &ended {
        keys::update_revoked(connection, ended).await?;
    }
    Ok(ended)
}

pub(super) async fn revoke(
    connection: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> ApplyResult<Outcome> {
    let key = lock(connection, id).await?;
    let Some(key) = key.revoked(now) else {
        return Ok((Outcome::Key(key), Vec::new()));
    };
    keys::update_revoked(connection, &key).await?;
    let change = publish(&key, "revoked");
    Ok((Outcome::Key(key), vec![change]))
}

async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<Key, ApplyError> {
    let locked = keys::lock(connection, id).await?;
    locked_row(locked, || Fault::not_found("There is no key with this id."))
}

pub(super) fn publish(key: &Key, event: &'static str) -> NewChange {
    let state = proto::Key {
        // A change of the game is no change of the key, so the feed would not follow it.
        game_state: String::new(),
        ..key.into()
    };
    let state = state.encode_to_vec();
    feed_row("key", key.id.to_string(), key.revision, event, state)
}
