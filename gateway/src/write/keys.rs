//! Commands on keys: create, rotate, revoke.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::{NewChange, Producer, Transaction};
use prost::Message as _;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{accounts, audit, commit, feed_row};
use crate::domain::account::Account;
use crate::domain::author::Author;
use crate::domain::key::{Key, Spec};
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
    /// The form of the dashboard that creates the key.
    pub(crate) form: Option<Uuid>,
}

/// A key, and whether this command has created it: the form of a person may be sent twice.
#[derive(Debug)]
pub(crate) struct Created {
    pub(crate) key: Key,
    pub(crate) is_new: bool,
}

/// A rotated key.
#[derive(Debug)]
pub(crate) struct Rotated {
    pub(crate) new: Key,
    /// Whether this command has created the new key.
    pub(crate) is_new: bool,
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
) -> Result<Created, Fault> {
    let mut transaction = producer.begin().await?;
    let account = accounts::lock(&mut transaction, account).await?;
    if let Some(key) = keys::by_form(&mut transaction, account.id, new_key.form).await? {
        transaction.commit(&[]).await?;
        return Ok(Created { key, is_new: false });
    }
    check_new(&mut transaction, plans, by.is_limited(), &account, spec).await?;
    let (id, last4) = (new_key.id, &new_key.last4);
    let mut key = Key::new(id, account.id, spec.clone(), last4, transaction.now);
    key.seen_by = by.person();
    keys::insert(&mut transaction, &key, new_key.hash, new_key.form).await?;
    let change = publish(&key, "created");
    commit(transaction, by, audit::key(&key), &[change]).await?;
    Ok(Created { key, is_new: true })
}

/// Rejects a key that the plan, the directory or, if the author is `limited`, the limits of owners do not allow. The account is locked.
pub(super) async fn check_new(
    transaction: &mut Transaction,
    plans: &Plans,
    limited: bool,
    account: &Account,
    spec: &Spec,
) -> Result<(), Fault> {
    let now = transaction.now;
    let working = keys::count_working(&mut **transaction, account.id).await?;
    let game = games::state(transaction, spec.game.as_deref(), spec.mode, account.id).await?;
    spec.check(plans, plans.get_or_cheapest(&account.plan), working, game)?;
    if limited {
        let counts = keys::counts(transaction, account.id, now).await?;
        owner_limits::check(Some(spec.mode), counts, now)?;
    }
    Ok(())
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
    if let Some(new) = keys::by_form(&mut transaction, key.account, new_key.form).await? {
        transaction.commit(&[]).await?;
        return Ok(Rotated { new, is_new: false, old: key, ended: None });
    }
    if by.is_limited() {
        let counts = keys::counts(&mut transaction, key.account, now).await?;
        owner_limits::check(None, counts, now)?;
    }
    let (old, mut new) = key.rotated(new_key.id, &new_key.last4, revokes_old, now)?;
    new.seen_by = by.person();
    keys::insert(&mut transaction, &new, new_key.hash, new_key.form).await?;
    keys::update_rotated(&mut transaction, &old, new.id).await?;
    let mut changes = vec![publish(&new, "created"), publish(&old, "rotated")];
    let ended = end_predecessor(&mut transaction, old.id, now).await?;
    changes.extend(ended.as_ref().map(|ended| publish(ended, "revoked")));
    commit(transaction, by, audit::rotation(&old, &new), &changes).await?;
    Ok(Rotated { new, is_new: true, old, ended })
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
        game_state: proto::GameState::Unspecified.into(),
        // Only the account's own people ask who has seen a secret.
        seen_by: String::new(),
        ..key.into()
    };
    let state = state.encode_to_vec();
    feed_row("key", key.id.to_string(), key.revision, event, state)
}
