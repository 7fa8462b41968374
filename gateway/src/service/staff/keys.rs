//! Keys: made without a review, rotated, revoked.

use contracts::gateway::v1 as proto;
use kit::{Fault, ids, pg, timestamp};
use prost_types::Timestamp;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Staff, accounts, id, unexpected};
use crate::domain::fields::Problems;
use crate::domain::key::{Key, Kind, Mode, Wanted};
use crate::domain::secret::Secret;
use crate::domain::staff_action::By;
use crate::store::keys;
use crate::write::{Done, Fresh, Item};

pub(super) async fn create(
    staff: &Staff,
    by: By,
    request: proto::CreateKeyRequest,
) -> Result<proto::CreateKeyResponse, Fault> {
    let mut problems = Problems::default();
    let named = problems.account("account", &request.account);
    let wanted = Wanted {
        name: problems.name("name", &request.name),
        mode: problems.mode("mode", &request.mode),
        kind: problems.kind("kind", &request.kind),
        may_write: request.may_write,
        game: request.game.filter(|slug| !slug.is_empty()),
        expires_at: expiry(&mut problems, request.expires_at),
    };
    problems.key(&wanted, staff.clock.now());
    problems.finish()?;
    let (secret, fresh) = fresh(staff, ids::row_id(), wanted.mode, wanted.kind);
    match staff
        .write(by, Item::CreateKey(named, wanted, fresh))
        .await?
    {
        Done::Key(key) => Ok(proto::CreateKeyResponse {
            key: Some((&key).into()),
            secret: secret.expose().to_owned(),
        }),
        other => Err(unexpected(&other)),
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
        .ok_or_else(|| Fault::not_found("there is no such key"))?;
    let (secret, fresh) = fresh(staff, ids::row_id(), old.mode, old.kind);
    match staff.write(by, Item::RotateKey(id, fresh)).await? {
        Done::Rotated(new, old) => {
            if !old.works(staff.clock.now()) {
                // Without a grace, to rotate is to revoke.
                bury(staff, &old).await;
            }
            Ok(proto::RotateKeyResponse {
                key: Some((&new).into()),
                secret: secret.expose().to_owned(),
                old_key: Some((&old).into()),
            })
        }
        other => Err(unexpected(&other)),
    }
}

pub(super) async fn revoke(
    staff: &Staff,
    by: By,
    request: proto::RevokeKeyRequest,
) -> Result<proto::RevokeKeyResponse, Fault> {
    let id = id(&request.id)?;
    match staff.write(by, Item::RevokeKey(id)).await? {
        Done::Key(key) => {
            bury(staff, &key).await;
            Ok(proto::RevokeKeyResponse {
                key: Some((&key).into()),
            })
        }
        other => Err(unexpected(&other)),
    }
}

/// The next call with the key, at any gateway, meets a tombstone; without one they learn within a second, by the feed.
async fn bury(staff: &Staff, key: &Key) {
    if !staff
        .quota
        .bury(key.account, key.id, staff.clock.now())
        .await
    {
        tracing::warn!(key.id = %key.id, "a key that has stopped has no tombstone: Redis is away");
    }
}

/// When a key is to stop.
pub(super) fn expiry(problems: &mut Problems, at: Option<Timestamp>) -> Option<OffsetDateTime> {
    at.and_then(|at| {
        timestamp::decode(at).or_else(|| {
            problems.add("expires_at", "is not a time");
            None
        })
    })
}

/// Makes a secret for the key with this id, and what is kept of it.
pub(super) fn fresh(staff: &Staff, id: Uuid, mode: Mode, kind: Kind) -> (Secret, Fresh) {
    let public = kind == Kind::Public;
    let secret = staff.format.make(mode, public, &mut rand::rng());
    let fresh = Fresh {
        id,
        hash: secret.hash(),
        last4: secret.last4().to_owned(),
    };
    (secret, fresh)
}
