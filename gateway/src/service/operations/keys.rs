//! Operations on keys.

use contracts::gateway::v1 as proto;
use kit::feed::{arrival, unexpected_outcome};
use kit::{Code, Fault, ids, pg, timestamp};
use prost_types::Timestamp;
use std::time::Duration;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Operations, Scope};
use crate::domain::account::Identifier;
use crate::domain::author::Author;
use crate::domain::fields::Problems;
use crate::domain::key::{GameState, Key, KeyKind, Mode, Spec};
use crate::domain::secret::Secret;
use crate::feeds::listings::PRODUCER;
use crate::store::{feed_cursor, games, keys};
use crate::write::{Command, NewKey, Outcome};

/// The most ended keys in a list, which has the newest ones.
const ENDED_KEYS: usize = 100;

/// How many calls at once wait for a game that is not known or not the account's. Anybody who may make keys can make such calls.
pub(super) const GAME_WAITS: usize = 16;

/// The fields of a new key, or of a request for one.
pub(in crate::service) struct KeyFields {
    pub(in crate::service) name: String,
    pub(in crate::service) kind: String,
    pub(in crate::service) may_write: bool,
    pub(in crate::service) game: Option<String>,
    pub(in crate::service) expires_at: Option<Timestamp>,
}

impl KeyFields {
    /// Validates the fields.
    pub(in crate::service) fn parse(
        self,
        problems: &mut Problems,
        mode: Mode,
        now: OffsetDateTime,
    ) -> Spec {
        let spec = Spec {
            name: problems.name("name", &self.name),
            mode,
            kind: problems.kind("kind", &self.kind),
            may_write: self.may_write,
            game: self.game.filter(|slug| !slug.is_empty()),
            expires_at: expiry(problems, self.expires_at),
        };
        problems.key(&spec, now);
        spec
    }
}

impl Operations {
    /// Creates a key. `problems` has the errors of the fields that the caller has parsed.
    pub(in crate::service) async fn create_key(
        &self,
        by: Author,
        mut problems: Problems,
        identifier: Identifier,
        (mode, fields): (Mode, KeyFields),
    ) -> Result<proto::CreateKeyResponse, Fault> {
        let spec = fields.parse(&mut problems, mode, self.clock.now());
        problems.finish()?;
        self.await_game(&identifier, &spec).await?;
        let (secret, new_key) = self.new_secret(ids::row_id(), spec.mode, spec.kind);
        let command = Command::CreateKey(identifier, spec, new_key);
        match self.write(by, command).await? {
            Outcome::Key(key) => Ok(proto::CreateKeyResponse {
                key: Some((&key).into()),
                secret: secret.expose().to_owned(),
            }),
            other => Err(unexpected_outcome(&other)),
        }
    }

    pub(in crate::service) async fn list_keys(
        &self,
        account: Uuid,
    ) -> Result<proto::ListKeysResponse, Fault> {
        let now = self.clock.now();
        // Reads one ended key more than the list has, which shows whether keys are left out.
        let rows = i64::try_from(ENDED_KEYS + 1).unwrap_or(i64::MAX);
        let keys = keys::of_account(&self.pool, account, rows, now);
        let mut keys = keys.await.map_err(|error| pg::fault(&error))?;
        let ended = keys.iter().filter(|key| !key.works(now)).count();
        let left_out = ended > ENDED_KEYS;
        if left_out && let Some(oldest) = keys.iter().position(|key| !key.works(now)) {
            keys.remove(oldest);
        }
        Ok(proto::ListKeysResponse {
            keys: keys.iter().map(Into::into).collect(),
            left_out,
        })
    }

    /// Rotates a key. The old one works for `grace`, which is checked once the key is found.
    pub(in crate::service) async fn rotate_key(
        &self,
        by: Author,
        scope: Scope,
        id: Uuid,
        grace: Result<Duration, String>,
    ) -> Result<proto::RotateKeyResponse, Fault> {
        let old = self.key(scope, id).await?;
        let grace = grace.map_err(|problem| Fault::invalid_field("grace_seconds", problem))?;
        let (secret, new_key) = self.new_secret(ids::row_id(), old.mode, old.kind);
        let command = Command::RotateKey(id, new_key, grace);
        match self.write_and_stop(by, command).await? {
            Outcome::Rotated(new, old) => Ok(proto::RotateKeyResponse {
                key: Some((&new).into()),
                secret: secret.expose().to_owned(),
                old_key: Some((&old).into()),
            }),
            other => Err(unexpected_outcome(&other)),
        }
    }

    pub(in crate::service) async fn revoke_key(
        &self,
        by: Author,
        scope: Scope,
        id: Uuid,
    ) -> Result<proto::RevokeKeyResponse, Fault> {
        self.key(scope, id).await?;
        match self.write_and_stop(by, Command::RevokeKey(id)).await? {
            Outcome::Key(key) => Ok(proto::RevokeKeyResponse {
                key: Some((&key).into()),
            }),
            other => Err(unexpected_outcome(&other)),
        }
    }

    /// Finds a key in the scope. Its account never changes, so this needs no lock.
    async fn key(&self, scope: Scope, id: Uuid) -> Result<Key, Fault> {
        let found = keys::find(&self.pool, id).await;
        found
            .map_err(|error| pg::fault(&error))?
            .filter(|key| scope.includes(key.account))
            .ok_or_else(|| Fault::not_found("There is no key with this id."))
    }

    /// Waits for the game of a new key, or for its owner, which staff may have published or added a moment ago: until this service has
    /// followed listings-svc to where it is now. The command decides whether the account may have the key.
    pub(super) async fn await_game(
        &self,
        identifier: &Identifier,
        spec: &Spec,
    ) -> Result<(), Fault> {
        let Some(slug) = &spec.game else {
            return Ok(());
        };
        let account = match self.account(identifier).await {
            Ok(account) => account,
            // The command returns this error.
            Err(fault) if matches!(fault.code, Code::NotFound | Code::Invalid) => return Ok(()),
            Err(fault) => return Err(fault),
        };
        let state = async {
            let mut connection = self.pool.acquire().await?;
            games::state(&mut connection, slug, spec.mode, account.id).await
        };
        if state.await.map_err(|error| pg::fault(&error))? == GameState::Usable {
            return Ok(());
        }
        let _permit = self.game_waits.try_acquire()?;
        // While listings-svc does not answer, nothing is published.
        let Some(position) = self.listings_position.get().await else {
            return Ok(());
        };
        let reached = arrival(|| async {
            let reached = feed_cursor::has_reached(&self.pool, PRODUCER, position).await?;
            Ok::<_, sqlx::Error>(reached.then_some(()))
        });
        reached.await.map_err(|error| pg::fault(&error))?;
        Ok(())
    }

    /// Generates a secret, with the hash and the last characters to store.
    pub(super) fn new_secret(&self, id: Uuid, mode: Mode, kind: KeyKind) -> (Secret, NewKey) {
        let public = kind == KeyKind::Public;
        let secret = self.format.generate(mode, public, &mut rand::rng());
        let new_key = NewKey {
            id,
            hash: secret.hash(),
            last4: secret.last4().to_owned(),
        };
        (secret, new_key)
    }
}

fn expiry(problems: &mut Problems, at: Option<Timestamp>) -> Option<OffsetDateTime> {
    at.and_then(|at| {
        timestamp::decode(at).or_else(|| {
            problems.add("expires_at", "Give a valid time.");
            None
        })
    })
}
