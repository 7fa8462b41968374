//! Operations on keys.

use contracts::gateway::v1 as proto;
use kit::api::bad_fields::BadFields;
use kit::{Fault, ids};
use uuid::Uuid;

use super::tombstones::KeyOfAccount;
use super::{Services, id};
use crate::convert;
use crate::domain::author::Author;
use crate::domain::fields;
use crate::domain::key::{Key, KeyKind, Mode, Spec};
use crate::domain::secret::Secret;
use crate::store::keys;
use crate::write::keys::{self as write, NewKey};

/// The fields of a new key, or of a request for one.
pub(super) struct KeyFields {
    name: String,
    kind: i32,
    may_write: bool,
    game: Option<String>,
}

impl KeyFields {
    pub(super) fn new(name: String, kind: i32, may_write: bool, game: Option<String>) -> Self {
        Self { name, kind, may_write, game }
    }

    /// Validates the fields.
    pub(super) fn parse(self, bad: &mut BadFields, mode: Mode) -> Spec {
        let spec = Spec {
            name: fields::name(bad, "name", &self.name),
            mode,
            kind: convert::key_kind(bad, self.kind),
            may_write: self.may_write,
            game: self.game.filter(|slug| !slug.is_empty()),
        };
        fields::key(bad, &spec);
        spec
    }
}

/// The keys of an account: those that work first, then the newest.
pub(super) async fn list(
    services: &Services,
    account: &str,
) -> Result<proto::ListKeysResponse, Fault> {
    let account = id("account_id", account)?;
    let keys = keys::by_account(&services.pool, account, services.clock.now()).await?;
    Ok(proto::ListKeysResponse { keys: keys.iter().map(Into::into).collect() })
}

pub(super) async fn create(
    services: &Services,
    by: Author,
    account: &str,
    mode: i32,
    fields: KeyFields,
    form: &str,
) -> Result<proto::CreateKeyResponse, Fault> {
    let mut bad = BadFields::default();
    let account = bad.id("account_id", account);
    let form = form_id(&mut bad, form);
    let mode = bad.mode(mode);
    let spec = fields.parse(&mut bad, mode);
    bad.check()?;
    let (secret, new_key) = services.new_secret(ids::row_id(), mode, spec.kind, form);
    let (producer, plans) = (&services.producer, &services.plans);
    let created = write::create(producer, plans, &by, account, &spec, &new_key).await?;
    Ok(proto::CreateKeyResponse {
        key: Some((&created.key).into()),
        secret: shown(&secret, created.is_new),
    })
}

/// The id of the form that was sent, if there is one.
pub(super) fn form_id(bad: &mut BadFields, form: &str) -> Option<Uuid> {
    (!form.is_empty()).then(|| bad.id("form_id", form))
}

/// The secret of a new key. That of a key that the same form has created before is not stored.
fn shown(secret: &Secret, is_new: bool) -> String {
    if is_new { secret.expose().to_owned() } else { String::new() }
}

pub(super) async fn rotate(
    services: &Services,
    by: Author,
    key: &str,
    revokes_old: bool,
    form: &str,
) -> Result<proto::RotateKeyResponse, Fault> {
    let mut bad = BadFields::default();
    let (key, form) = (bad.id("id", key), form_id(&mut bad, form));
    bad.check()?;
    let old = services.key(&by, key).await?;
    let (secret, new_key) = services.new_secret(ids::row_id(), old.mode, old.kind, form);
    let producer = services.producer.clone();
    let rotating =
        async move { write::rotate(&producer, &by, old.id, &new_key, revokes_old).await };
    // Without a grace period, a rotation is a revocation.
    let rotated = (services.tombstones).change(Box::pin(rotating), None, |rotated| {
        let ended = rotated.ended.iter();
        std::iter::once(&rotated.old).chain(ended).collect()
    });
    let rotated = rotated.await?;
    Ok(proto::RotateKeyResponse {
        key: Some((&rotated.new).into()),
        secret: shown(&secret, rotated.is_new),
        old_key: Some((&rotated.old).into()),
    })
}

pub(super) async fn revoke(
    services: &Services,
    by: Author,
    key: &str,
) -> Result<proto::RevokeKeyResponse, Fault> {
    let key = services.key(&by, id("id", key)?).await?;
    let key = services.revoke(&by, key.account, key.id).await?;
    Ok(proto::RevokeKeyResponse { key: Some((&key).into()) })
}

impl Services {
    /// Finds a key that the author may change. The account of a key never changes, so this needs no lock.
    async fn key(&self, by: &Author, id: Uuid) -> Result<Key, Fault> {
        let found = keys::find(&self.pool, id).await?;
        let own = found.filter(|key| by.is_for(key.account));
        own.ok_or_else(|| Fault::not_found("There is no key with this id."))
    }

    /// Revokes a key, which every gateway refuses from the next call on.
    pub(super) async fn revoke(&self, by: &Author, account: Uuid, id: Uuid) -> Result<Key, Fault> {
        let (producer, by) = (self.producer.clone(), by.clone());
        let revoking = async move { write::revoke(&producer, &by, id).await };
        let revoked = Some(KeyOfAccount { account, id });
        let tombstones = &self.tombstones;
        let key = tombstones.change(Box::pin(revoking), revoked, |key| vec![key]);
        key.await
    }

    /// Generates a secret, with the hash and the last characters to store.
    pub(super) fn new_secret(
        &self,
        id: Uuid,
        mode: Mode,
        kind: KeyKind,
        form: Option<Uuid>,
    ) -> (Secret, NewKey) {
        let public = kind == KeyKind::Public;
        let secret = self.format.generate(mode, public, &mut rand::rng());
        let new_key = NewKey { id, hash: secret.hash(), last4: secret.last4().to_owned(), form };
        (secret, new_key)
    }
}
