//! Operations on keys.

use contracts::gateway::v1 as proto;
use kit::api::bad_fields::BadFields;
use kit::{Fault, ids};
use uuid::Uuid;

use super::{AccountCredential, AccountFilter, Operations};
use crate::domain::author::Author;
use crate::domain::fields;
use crate::domain::key::{Key, KeyKind, Mode, Spec};
use crate::domain::secret::Secret;
use crate::store::keys;
use crate::write::{self, KeyRotation, NewKey};

/// The fields of a new key, or of a request for one.
pub(crate) struct KeyFields {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) may_write: bool,
    pub(crate) game: Option<String>,
}

/// The fields of a key, out of a message that has them.
macro_rules! key_fields {
    ($message:ident) => {
        $crate::service::operations::KeyFields {
            name: $message.name,
            kind: $message.kind,
            may_write: $message.may_write,
            game: $message.game,
        }
    };
}
pub(crate) use key_fields;

/// A key that has got a successor.
pub(crate) struct Rotation {
    pub(crate) key: Key,
    pub(crate) secret: Secret,
    pub(crate) old_key: Key,
}

impl KeyFields {
    /// Validates the fields.
    pub(crate) fn parse(self, bad: &mut BadFields, mode: Mode) -> Spec {
        let spec = Spec {
            name: fields::name(bad, "name", &self.name),
            mode,
            kind: fields::kind(bad, "kind", &self.kind),
            may_write: self.may_write,
            game: self.game.filter(|slug| !slug.is_empty()),
        };
        fields::key(bad, &spec);
        spec
    }
}

impl Operations {
    pub(crate) async fn create_key(
        &self,
        by: Author,
        account: Uuid,
        spec: Spec,
    ) -> Result<(Key, Secret), Fault> {
        let (secret, new_key) = self.new_secret(ids::row_id(), spec.mode, spec.kind);
        let (producer, plans) = (&self.producer, &self.plans);
        let created = write::keys::create(producer, plans, &by, account, &spec, &new_key);
        Ok((created.await?, secret))
    }

    /// The keys of an account: those that work first, then the newest.
    pub(crate) async fn list_keys(&self, account: Uuid) -> Result<proto::ListKeysResponse, Fault> {
        let keys = keys::of_account(&self.pool, account, self.clock.now()).await?;
        Ok(proto::ListKeysResponse {
            keys: keys.iter().map(Into::into).collect(),
        })
    }

    pub(crate) async fn rotate_key(
        &self,
        by: Author,
        filter: AccountFilter,
        id: Uuid,
        revokes_old: bool,
    ) -> Result<Rotation, Fault> {
        let old = self.key(filter, id).await?;
        let (secret, new_key) = self.new_secret(ids::row_id(), old.mode, old.kind);
        let rotation = KeyRotation {
            id,
            new_key,
            revokes_old,
        };
        let producer = self.producer.clone();
        let rotating =
            Box::pin(async move { write::keys::rotate(&producer, &by, &rotation).await });
        // Without a grace period, a rotation is a revocation.
        let rotated = self.change_and_stop(rotating, None, |rotated| {
            std::iter::once(&rotated.old)
                .chain(&rotated.ended)
                .collect()
        });
        let rotated = rotated.await?;
        Ok(Rotation {
            key: rotated.new,
            secret,
            old_key: rotated.old,
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
        let producer = self.producer.clone();
        let revoking = Box::pin(async move { write::keys::revoke(&producer, &by, id).await });
        self.change_and_stop(revoking, revoked, |key| vec![key])
            .await
    }

    /// Finds a key of these accounts. The account of a key never changes, so this needs no lock.
    pub(crate) async fn key(&self, filter: AccountFilter, id: Uuid) -> Result<Key, Fault> {
        keys::find(&self.pool, id)
            .await?
            .filter(|key| filter.includes(key.account))
            .ok_or_else(|| Fault::not_found("There is no key with this id."))
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
