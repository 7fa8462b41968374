//! Commands on keys: create, rotate, revoke.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::api::timestamp;
use kit::feed::{NewChange, Producer, Transaction};
use prost::Message as _;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{accounts, audit, commit, feed_row};
use crate::domain::account::Account;
use crate::domain::author::Author;
use crate::domain::key::{GameState, Key, Spec};
use crate::domain::owner_limits;
use crate::domain::plan::Plans;
use crate::domain::secret::Hash;
use crate::store::{games, keys};

/// The id of a new key, and the stored parts of its secret.
#[derive(Debug, Clone)]
pub(crate) struct NewKey {
    pub(crate) id: Uuid,
    /// The SHA-256 of the secret.
    pub(crate) hash: Hash,
    /// The last four characters of the secret.
    pub(crate) last4: String,
}

/// A rotated key.
#[derive(Debug)]
pub(crate) struct Rotated {
    pub(crate) new: Key,
    pub(crate) old: Key,
    /// The predecessor of the old key, if the rotation has ended it.
    pub(crate) ended: Option<Key>,
}

pub(crate) async fn create(
    producer: &Producer,
    plans: &Plans,
    by: &Author,
    account: Uuid,
    spec: &Spec,
    new_key: &NewKey,
) -> Result<Key, Fault> {
    let mut transaction = producer.begin().await?;
    let account = lock_account(&mut transaction, plans, by.is_limited(), account, spec).await?;
    let (id, last4) = (new_key.id, &new_key.last4);
    let key = Key::new(id, account.id, spec.clone(), last4, transaction.now);
    keys::insert(&mut transaction, &key, new_key.hash).await?;
    let change = publish(&key, "created");
    commit(transaction, by, audit::key(&key), &[change]).await?;
    Ok(key)
}

/// Locks the account and rejects a key that the plan, the directory or, if the author is `limited`, the limits of owners do not allow.
pub(super) async fn lock_account(
    transaction: &mut Transaction,
    plans: &Plans,
    limited: bool,
    account: Uuid,
    spec: &Spec,
) -> Result<Account, Fault> {
    let now = transaction.now;
    let account = accounts::lock(transaction, account).await?;
    let working = keys::count_working(transaction, account.id).await?;
    let game = games::state(transaction, spec.game.as_deref(), spec.mode, account.id).await?;
    spec.check(plans, plans.get_or_cheapest(&account.plan), working, game)?;
    if limited {
        let counts = keys::counts(transaction, account.id, now).await?;
        owner_limits::check(Some(spec.mode), counts, now)?;
    }
    Ok(account)
}

pub(crate) async fn rotate(
    producer: &Producer,
    by: &Author,
    id: Uuid,
    new_key: &NewKey,
    revokes_old: bool,
) -> Result<Rotated, Fault> {
    let mut transaction = producer.begin().await?;
    let now = transaction.now;
    let key = lock(&mut transaction, id).await?;
    if by.is_limited() {
        let counts = keys::counts(&mut transaction, key.account, now).await?;
        owner_limits::check(None, counts, now)?;
    }
    let (old, new) = key.rotated(new_key.id, &new_key.last4, revokes_old, now)?;
    keys::insert(&mut transaction, &new, new_key.hash).await?;
    keys::update_rotated(&mut transaction, &old, new.id).await?;
    let mut changes = vec![publish(&new, "created"), publish(&old, "rotated")];
    let ended = end_predecessor(&mut transaction, old.id, now).await?;
    changes.extend(ended.as_ref().map(|ended| publish(ended, "revoked")));
    commit(transaction, by, audit::rotation(&old, &new), &changes).await?;
    Ok(Rotated { new, old, ended })
}

/// Revokes the predecessor of a key that is rotated, if it is still in its grace period: two secrets of a chain work at most.
async fn end_predecessor(
    connection: &mut PgConnection,
    rotated: Uuid,
    now: OffsetDateTime,
) -> Result<Option<Key>, Fault> {
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

pub(crate) async fn revoke(producer: &Producer, by: &Author, id: Uuid) -> Result<Key, Fault> {
    let mut transaction = producer.begin().await?;
    let key = lock(&mut transaction, id).await?;
    let Some(key) = key.revoked(transaction.now) else {
        transaction.commit(&[]).await?;
        return Ok(key);
    };
    keys::update_revoked(&mut transaction, &key).await?;
    let change = publish(&key, "revoked");
    commit(transaction, by, audit::key(&key), &[change]).await?;
    Ok(key)
}

async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<Key, Fault> {
    let locked = keys::lock(connection, id).await?;
    locked.ok_or_else(|| Fault::not_found("There is no key with this id."))
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

impl From<&Key> for proto::Key {
    fn from(key: &Key) -> Self {
        Self {
            id: key.id.to_string(),
            account_id: key.account.to_string(),
            name: key.name.clone(),
            mode: key.mode.as_str().to_owned(),
            kind: key.kind.as_str().to_owned(),
            may_write: key.may_write,
            game: key.game.clone(),
            last4: key.last4.clone(),
            created_at: Some(timestamp::encode(key.created_at)),
            last_used_at: key.last_used_at.map(timestamp::encode),
            grace_until: key.grace_until.map(timestamp::encode),
            revoked_at: key.revoked_at.map(timestamp::encode),
            revision: key.revision,
            game_state: match key.game_state {
                GameState::Usable => String::new(),
                state => state.to_string(),
            },
        }
    }
}
