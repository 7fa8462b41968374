//! Operations on keys.

use std::time::Duration;

use kit::bad_fields::BadFields;
use kit::feed::arrival;
use kit::{Code, Fault, ids};
use prost_types::Timestamp;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{AccountCredential, AccountFilter, Operations};
use crate::domain::account::Identifier;
use crate::domain::author::Author;
use crate::domain::fields;
use crate::domain::key::{GameState, Key, KeyKind, Mode, Spec};
use crate::domain::secret::Secret;
use crate::feeds::listings::PRODUCER;
use crate::store::{feed_cursor, games, keys};
use crate::write::{Command, KeyRotation, NewKey, Outcome};

/// The most ended keys in a list, which has the newest ones.
pub(super) const ENDED_KEYS: usize = 100;

/// How many calls at once wait for a game that is not known or not the account's. Anybody who may make keys can make such calls.
pub(super) const GAME_WAITS: usize = 16;

/// The fields of a new key, or of a request for one.
pub(crate) struct KeyFields {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) may_write: bool,
    pub(crate) game: Option<String>,
    pub(crate) expires_at: Option<Timestamp>,
}

/// The fields of a key, out of a message that has them.
macro_rules! key_fields {
    ($message:ident) => {
        $crate::service::operations::KeyFields {
            name: $message.name,
            kind: $message.kind,
            may_write: $message.may_write,
            game: $message.game,
            expires_at: $message.expires_at,
        }
    };
}
pub(crate) use key_fields;

/// The keys of an account.
pub(crate) struct KeyList {
    /// All that work, and the newest ones that have ended. Oldest first.
    pub(crate) keys: Vec<Key>,
    /// Whether there are more that have ended.
    pub(crate) left_out: bool,
}

/// A key that has got a successor.
pub(crate) struct Rotation {
    pub(crate) key: Key,
    pub(crate) secret: Secret,
    pub(crate) old_key: Key,
}

impl KeyFields {
    /// Validates the fields.
    pub(crate) fn parse(self, bad: &mut BadFields, mode: Mode, now: OffsetDateTime) -> Spec {
        let spec = Spec {
            name: fields::name(bad, "name", &self.name),
            mode,
            kind: fields::kind(bad, "kind", &self.kind),
            may_write: self.may_write,
            game: self.game.filter(|slug| !slug.is_empty()),
            expires_at: bad.time("expires_at", self.expires_at),
        };
        fields::key(bad, &spec, now);
        spec
    }
}

impl Operations {
    pub(crate) async fn create_key(
        &self,
        by: Author,
        identifier: Identifier,
        spec: Spec,
    ) -> Result<(Key, Secret), Fault> {
        self.await_game(&identifier, &spec).await?;
        let (secret, new_key) = self.new_secret(ids::row_id(), spec.mode, spec.kind);
        let command = Command::CreateKey(identifier, spec, new_key);
        let key = self.write(by, command, Outcome::try_as_key).await?;
        Ok((key, secret))
    }

    pub(crate) async fn list_keys(&self, account: Uuid) -> Result<KeyList, Fault> {
        let now = self.clock.now();
        // Reads one ended key more than the list has, which shows whether keys are left out.
        let rows = i64::try_from(ENDED_KEYS + 1).unwrap_or(i64::MAX);
        let mut keys = keys::of_account(&self.pool, account, rows, now).await?;
        let ended = keys.iter().filter(|key| !key.works(now)).count();
        let left_out = ended > ENDED_KEYS;
        if left_out && let Some(oldest) = keys.iter().position(|key| !key.works(now)) {
            keys.remove(oldest);
        }
        Ok(KeyList { keys, left_out })
    }

    /// Rotates a key. The old one works for `grace`, which is checked once the key is found. The new one has the expiry of the old one,
    /// unless `expires_at` is another.
    pub(crate) async fn rotate_key(
        &self,
        by: Author,
        filter: AccountFilter,
        id: Uuid,
        grace: Result<Duration, String>,
        expires_at: Option<OffsetDateTime>,
    ) -> Result<Rotation, Fault> {
        let old = self.key(filter, id).await?;
        let grace = grace.map_err(|problem| Fault::invalid_field("grace_seconds", problem))?;
        let (secret, new_key) = self.new_secret(ids::row_id(), old.mode, old.kind);
        let command = Command::RotateKey(KeyRotation {
            id,
            new_key,
            grace,
            expires_at,
        });
        let rotated = self.write_and_stop(by, command, None, Outcome::try_as_rotated);
        let (key, old_key, _) = rotated.await?;
        Ok(Rotation {
            key,
            secret,
            old_key,
        })
    }

    pub(crate) async fn revoke_key(
        &self,
        by: Author,
        filter: AccountFilter,
        id: Uuid,
    ) -> Result<Key, Fault> {
        let account = self.key(filter, id).await?.account;
        let revoked = Some(AccountCredential { account, id });
        let command = Command::RevokeKey(id);
        self.write_and_stop(by, command, revoked, Outcome::try_as_key)
            .await
    }

    /// Finds a key of these accounts. The account of a key never changes, so this needs no lock.
    pub(crate) async fn key(&self, filter: AccountFilter, id: Uuid) -> Result<Key, Fault> {
        keys::find(&self.pool, id)
            .await?
            .filter(|key| filter.includes(key.account))
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
            games::state(&mut connection, Some(slug), spec.mode, account.id).await
        };
        if state.await? == GameState::Usable {
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
        reached.await?;
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
