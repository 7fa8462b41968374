//! Operations on requests of live keys (§5.2).

use kit::{Fault, ids};
use uuid::Uuid;

use super::{AccountFilter, Operations};
use crate::domain::author::Author;
use crate::domain::key::{Key, Mode, Spec};
use crate::domain::key_request::KeyRequest;
use crate::domain::secret::Secret;
use crate::store::key_requests;
use crate::write;

impl Operations {
    /// Requests a live key.
    pub(crate) async fn request_key(
        &self,
        by: Author,
        account: Uuid,
        spec: Spec,
    ) -> Result<KeyRequest, Fault> {
        let (producer, plans) = (&self.producer, &self.plans);
        write::key_requests::request(producer, plans, &by, account, &spec, ids::row_id()).await
    }

    pub(crate) async fn reveal_key(
        &self,
        by: Author,
        filter: AccountFilter,
        id: Uuid,
    ) -> Result<(Key, Secret), Fault> {
        let key_request = self.key_request(filter, id).await?;
        let (secret, new_key) = self.new_secret(id, Mode::Live, key_request.kind);
        let key = write::key_requests::reveal(&self.producer, &by, &new_key).await?;
        Ok((key, secret))
    }

    pub(crate) async fn key_request(
        &self,
        filter: AccountFilter,
        id: Uuid,
    ) -> Result<KeyRequest, Fault> {
        key_requests::find(&self.pool, id)
            .await?
            .filter(|request| filter.includes(request.account))
            .ok_or_else(|| Fault::not_found("There is no key request with this id."))
    }
}
