//! RPCs for keys. `CreateKey` makes a key without a review.

use contracts::gateway::v1 as proto;
use kit::feed::{arrival, unexpected_outcome};
use kit::{Fault, ids, pg, timestamp};
use prost_types::Timestamp;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Staff, accounts, id};
use crate::domain::account::Identifier;
use crate::domain::fields::Problems;
use crate::domain::key::{GameState, Key, KeyKind, Mode, Spec};
use crate::domain::secret::Secret;
use crate::domain::staff_action::By;
use crate::store::{accounts as account_rows, games, keys};
use crate::write::{Command, NewKey, Outcome};

pub(super) async fn create(
    staff: &Staff,
    by: By,
    request: proto::CreateKeyRequest,
) -> Result<proto::CreateKeyResponse, Fault> {
    let mut problems = Problems::default();
    let identifier = problems.account("account", &request.account);
    let spec = Spec {
        name: problems.name("name", &request.name),
        mode: problems.mode("mode", &request.mode),
        kind: problems.kind("kind", &request.kind),
        may_write: request.may_write,
        game: request.game.filter(|slug| !slug.is_empty()),
        expires_at: expiry(&mut problems, request.expires_at),
    };
    problems.key(&spec, staff.clock.now());
    problems.finish()?;
    await_game(staff, &identifier, &spec).await?;
    let (secret, new_key) = new_secret(staff, ids::row_id(), spec.mode, spec.kind);
    match staff
        .write(by, Command::CreateKey(identifier, spec, new_key))
        .await?
    {
        Outcome::Key(key) => Ok(proto::CreateKeyResponse {
            key: Some((&key).into()),
            secret: secret.expose().to_owned(),
        }),
        other => Err(unexpected_outcome(&other)),
    }
}

pub(super) async fn list(
    staff: &Staff,
    request: proto::ListKeysRequest,
) -> Result<proto::ListKeysResponse, Fault> {
    let account = accounts::find(staff, &request.account).await?;
    let keys = keys::of_account(&staff.pool, account.id)
        .await
        .map_err(|error| pg::fault(&error))?;
    Ok(proto::ListKeysResponse {
        keys: keys.iter().map(Into::into).collect(),
    })
}

pub(super) async fn rotate(
    staff: &Staff,
    by: By,
    request: proto::RotateKeyRequest,
) -> Result<proto::RotateKeyResponse, Fault> {
    let id = id(&request.id)?;
    let old = keys::find(&staff.pool, id)
        .await
        .map_err(|error| pg::fault(&error))?
        .ok_or_else(|| Fault::not_found("There is no key with this id."))?;
    let (secret, new_key) = new_secret(staff, ids::row_id(), old.mode, old.kind);
    match staff.write(by, Command::RotateKey(id, new_key)).await? {
        Outcome::Rotated(new, old) => {
            if !old.works(staff.clock.now()) {
                // Without a grace period, a rotation is a revocation.
                add_tombstone(staff, &old).await;
            }
            Ok(proto::RotateKeyResponse {
                key: Some((&new).into()),
                secret: secret.expose().to_owned(),
                old_key: Some((&old).into()),
            })
        }
        other => Err(unexpected_outcome(&other)),
    }
}

pub(super) async fn revoke(
    staff: &Staff,
    by: By,
    request: proto::RevokeKeyRequest,
) -> Result<proto::RevokeKeyResponse, Fault> {
    let id = id(&request.id)?;
    match staff.write(by, Command::RevokeKey(id)).await? {
        Outcome::Key(key) => {
            add_tombstone(staff, &key).await;
            Ok(proto::RevokeKeyResponse {
                key: Some((&key).into()),
            })
        }
        other => Err(unexpected_outcome(&other)),
    }
}

/// Waits for the game of a new key, or for its owner, which staff may have published or added a moment ago. The command decides whether the
/// account may have the key.
pub(super) async fn await_game(
    staff: &Staff,
    identifier: &Identifier,
    spec: &Spec,
) -> Result<(), Fault> {
    let Some(slug) = &spec.game else {
        return Ok(());
    };
    let account = account_rows::find(&staff.pool, identifier);
    let Some(account) = account.await.map_err(|error| pg::fault(&error))? else {
        return Ok(());
    };
    let arrived = arrival(|| async {
        let mut connection = staff.pool.acquire().await?;
        let state = games::state(&mut connection, slug, spec.mode, account.id).await?;
        Ok::<_, sqlx::Error>((state == GameState::Usable).then_some(()))
    });
    arrived.await.map_err(|error| pg::fault(&error))?;
    Ok(())
}

/// With the tombstone, every gateway rejects the next call with the key. Without it, the gateways learn of the revocation from
/// the feed, within a second.
async fn add_tombstone(staff: &Staff, key: &Key) {
    if !staff
        .quota
        .revoke(key.account, key.id, staff.clock.now())
        .await
    {
        tracing::warn!(key.id = %key.id, "Redis is away, so the stopped key has no tombstone; gateways reject it once they have read the feed");
    }
}

/// Parses an expiry.
pub(super) fn expiry(problems: &mut Problems, at: Option<Timestamp>) -> Option<OffsetDateTime> {
    at.and_then(|at| {
        timestamp::decode(at).or_else(|| {
            problems.add("expires_at", "Give a valid time.");
            None
        })
    })
}

/// Generates a secret, and what is stored of it.
pub(super) fn new_secret(staff: &Staff, id: Uuid, mode: Mode, kind: KeyKind) -> (Secret, NewKey) {
    let public = kind == KeyKind::Public;
    let secret = staff.format.generate(mode, public, &mut rand::rng());
    let new_key = NewKey {
        id,
        hash: secret.hash(),
        last4: secret.last4().to_owned(),
    };
    (secret, new_key)
}
