//! Commands on requests for live keys: request, approve, end, reveal.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::{NewChange, Producer, Transaction};
use prost::Message as _;
use sqlx::PgConnection;
use uuid::Uuid;

use super::keys::{self, NewKey};
use super::{accounts, audit, commit, feed_row};
use crate::domain::author::Author;
use crate::domain::key::{Key, Spec};
use crate::domain::key_request::{Ended, EndedBy, KeyRequest};
use crate::domain::plan::Plans;
use crate::store::{self, key_requests};

/// Requests a live key. A form of a person that was sent before has made its request.
pub(crate) async fn request(
    producer: &Producer,
    plans: &Plans,
    by: &Author,
    account: Uuid,
    spec: &Spec,
    (id, form): (Uuid, Option<Uuid>),
) -> Result<KeyRequest, Fault> {
    let mut transaction = producer.begin().await?;
    let account = accounts::lock(&mut transaction, account).await?;
    if let Some(request) = key_requests::by_form(&mut transaction, account.id, form).await? {
        transaction.commit(&[]).await?;
        return Ok(request);
    }
    keys::check_new(&mut transaction, plans, by.is_limited(), &account, spec).await?;
    let request = KeyRequest::new(id, account.id, spec.clone(), transaction.now);
    key_requests::insert(&mut transaction, &request, form).await?;
    let change = publish(&request, "asked");
    commit(transaction, by, audit::key_request(&request), &[change]).await?;
    Ok(request)
}

/// Allows the owner to reveal the requested key.
pub(crate) async fn approve(
    producer: &Producer,
    by: &Author,
    id: Uuid,
) -> Result<KeyRequest, Fault> {
    let mut transaction = producer.begin().await?;
    let request = lock(&mut transaction, id).await?;
    let approved = request.approved()?;
    save_decision(transaction, by, request, approved, "approved").await
}

/// Ends a request without a key: staff reject it, or its account withdraws it.
pub(crate) async fn end(
    producer: &Producer,
    by: &Author,
    id: Uuid,
    reason: &str,
) -> Result<KeyRequest, Fault> {
    let mut transaction = producer.begin().await?;
    let request = lock(&mut transaction, id).await?;
    let (ended_by, event) = match by {
        Author::Staff(_) => (EndedBy::Staff, "rejected"),
        Author::Person(..) => (EndedBy::Account, "withdrawn"),
    };
    let ended = Ended { by: ended_by, at: transaction.now, reason: reason.to_owned() };
    let ended = request.ended(ended)?;
    save_decision(transaction, by, request, ended, event).await
}

/// Saves a decision, unless it was made before, and returns the request after that.
async fn save_decision(
    mut transaction: Transaction,
    by: &Author,
    request: KeyRequest,
    decided: Option<KeyRequest>,
    event: &'static str,
) -> Result<KeyRequest, Fault> {
    let Some(decided) = decided else {
        transaction.commit(&[]).await?;
        return Ok(request);
    };
    key_requests::update(&mut transaction, &decided).await?;
    let change = publish(&decided, event);
    commit(transaction, by, audit::key_request(&decided), &[change]).await?;
    Ok(decided)
}

/// Creates the key with its secret, which is about to be shown to the owner. Of two concurrent reveals, the second finds the
/// request revealed.
pub(crate) async fn reveal(
    producer: &Producer,
    by: &Author,
    new_key: &NewKey,
) -> Result<Key, Fault> {
    let mut transaction = producer.begin().await?;
    let request = lock(&mut transaction, new_key.id).await?;
    let (request, mut key) = request.revealed(&new_key.last4, transaction.now)?;
    // The game may have been taken down since the request, or its page may have another owner.
    let game = key.game.as_deref();
    key.seen_by = by.person();
    key.game_state = store::games::state(&mut transaction, game, key.mode, key.account).await?;
    store::keys::insert(&mut transaction, &key, new_key.hash, None).await?;
    key_requests::update(&mut transaction, &request).await?;
    let changes = [publish(&request, "revealed"), keys::publish(&key, "created")];
    commit(transaction, by, audit::key(&key), &changes).await?;
    Ok(key)
}

async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<KeyRequest, Fault> {
    let locked = key_requests::lock(connection, id).await?;
    locked.ok_or_else(unknown)
}

/// The error if there is no such request.
pub(crate) fn unknown() -> Fault {
    Fault::not_found("There is no key request with this id.")
}

fn publish(request: &KeyRequest, event: &'static str) -> NewChange {
    let (id, state) = (request.id.to_string(), proto::KeyRequest::from(request));
    feed_row("key_request", id, request.revision, event, state.encode_to_vec())
}
