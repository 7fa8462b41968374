//! Commands on requests for live keys: request, approve, reject, reveal.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::feed::{ApplyError, ApplyResult, NewChange};
use prost::Message as _;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{NewKey, Outcome, feed_row, keys, locked_row};
use crate::domain::key::Spec;
use crate::domain::key_request::KeyRequest;
use crate::store::{self, key_requests};

pub(super) async fn request(
    connection: &mut PgConnection,
    limits: keys::KeyLimits<'_>,
    account: Uuid,
    spec: &Spec,
    id: Uuid,
    now: OffsetDateTime,
) -> ApplyResult<Outcome> {
    let account = keys::lock_account(connection, limits, account, spec, now).await?;
    let request = KeyRequest::new(id, account.id, spec.clone(), now);
    key_requests::insert(connection, &request).await?;
    let change = publish(&request, "asked");
    Ok((Outcome::KeyRequest(request), vec![change]))
}

pub(super) async fn approve(
    connection: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> ApplyResult<Outcome> {
    let request = lock(connection, id).await?;
    let approved = request.approved(now);
    store_decision(connection, request, approved, "approved").await
}

pub(super) async fn reject(
    connection: &mut PgConnection,
    id: Uuid,
    reason: &str,
    now: OffsetDateTime,
) -> ApplyResult<Outcome> {
    let request = lock(connection, id).await?;
    let rejected = request.rejected(reason, now);
    store_decision(connection, request, rejected, "rejected").await
}

/// Stores a decision, unless it was made before.
async fn store_decision(
    connection: &mut PgConnection,
    request: KeyRequest,
    decided: Result<Option<KeyRequest>, Fault>,
    event: &'static str,
) -> ApplyResult<Outcome> {
    let Some(decided) = decided? else {
        return Ok((Outcome::KeyRequest(request), Vec::new()));
    };
    key_requests::update(connection, &decided).await?;
    let change = publish(&decided, event);
    Ok((Outcome::KeyRequest(decided), vec![change]))
}

/// Creates the key with its secret, which is about to be shown to the owner. Of two concurrent reveals, the second finds the
/// request revealed.
pub(super) async fn reveal(
    connection: &mut PgConnection,
    new_key: &NewKey,
    now: OffsetDateTime,
) -> ApplyResult<Outcome> {
    let request = lock(connection, new_key.id).await?;
    let (request, mut key) = request.revealed(&new_key.last4, now)?;
    // The game may have been taken down since the request, or its page may have another owner.
    let game = key.game.as_deref();
    key.game_state = store::games::state(connection, game, key.mode, key.account).await?;
    store::keys::insert(connection, &key, new_key.hash).await?;
    key_requests::update(connection, &request).await?;
    let changes = vec![
        publish(&request, "revealed"),
        keys::publish(&key, "created"),
    ];
    Ok((Outcome::Key(key), changes))
}

async fn lock(connection: &mut PgConnection, id: Uuid) -> Result<KeyRequest, ApplyError> {
    let locked = key_requests::lock(connection, id).await?;
    locked_row(locked, || {
        Fault::not_found("There is no key request with this id.")
    })
}

fn publish(request: &KeyRequest, event: &'static str) -> NewChange {
    let (id, state) = (request.id.to_string(), proto::KeyRequest::from(request));
    feed_row(
        "key_request",
        id,
        request.revision,
        event,
        state.encode_to_vec(),
    )
}
