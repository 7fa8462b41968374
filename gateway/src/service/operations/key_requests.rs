//! Operations on requests of live keys (§5.2).

use contracts::gateway::v1 as proto;
use kit::feed::unexpected_outcome;
use kit::{Fault, ids, pg};
use uuid::Uuid;

use super::{KeyFields, Operations, Scope};
use crate::domain::account::Identifier;
use crate::domain::author::Author;
use crate::domain::fields::Problems;
use crate::domain::key::Mode;
use crate::store::key_requests;
use crate::write::{Command, Outcome};

impl Operations {
    /// Requests a live key. `problems` has the errors of the fields that the caller has parsed.
    pub(in crate::service) async fn request_key(
        &self,
        by: Author,
        mut problems: Problems,
        identifier: Identifier,
        fields: KeyFields,
    ) -> Result<proto::RequestKeyResponse, Fault> {
        let spec = fields.parse(&mut problems, Mode::Live, self.clock.now());
        problems.finish()?;
        self.await_game(&identifier, &spec).await?;
        let command = Command::RequestKey(identifier, spec, ids::row_id());
        let request = Some(self.write_key_request(by, command).await?);
        Ok(proto::RequestKeyResponse { request })
    }

    pub(in crate::service) async fn reveal_key(
        &self,
        by: Author,
        scope: Scope,
        id: Uuid,
    ) -> Result<proto::RevealKeyResponse, Fault> {
        let key_request = key_requests::find(&self.pool, id)
            .await
            .map_err(|error| pg::fault(&error))?
            .filter(|request| scope.includes(request.account))
            .ok_or_else(|| Fault::not_found("There is no key request with this id."))?;
        let (secret, new_key) = self.new_secret(id, Mode::Live, key_request.spec.kind);
        match self.write(by, Command::RevealKey(new_key)).await? {
            Outcome::Key(key) => Ok(proto::RevealKeyResponse {
                key: Some((&key).into()),
                secret: secret.expose().to_owned(),
            }),
            other => Err(unexpected_outcome(&other)),
        }
    }

    /// Applies a command that returns a request.
    pub(in crate::service) async fn write_key_request(
        &self,
        by: impl Into<Author>,
        command: Command,
    ) -> Result<proto::KeyRequest, Fault> {
        match self.write(by, command).await? {
            Outcome::KeyRequest(request) => Ok((&request).into()),
            other => Err(unexpected_outcome(&other)),
        }
    }
}
