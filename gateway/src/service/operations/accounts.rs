//! Operations on accounts.

use contracts::gateway::v1 as proto;
use kit::feed::unexpected_outcome;
use kit::{Fault, pg};

use super::Operations;
use crate::domain::account::{Account, Identifier};
use crate::domain::author::Author;
use crate::store::accounts;
use crate::write::{Command, Outcome};

impl Operations {
    pub(in crate::service) async fn account(
        &self,
        identifier: &Identifier,
    ) -> Result<Account, Fault> {
        let found = match identifier {
            Identifier::Id(id) => accounts::find(&self.pool, *id).await.map(Vec::from_iter),
            Identifier::Email(email) => accounts::with_address(&self.pool, email).await,
        };
        identifier.only(found.map_err(|error| pg::fault(&error))?)
    }

    /// Applies a command that returns an account.
    pub(in crate::service) async fn write_account(
        &self,
        by: impl Into<Author>,
        command: Command,
    ) -> Result<proto::Account, Fault> {
        match self.write(by, command).await? {
            Outcome::Account(account) => Ok((&account).into()),
            other => Err(unexpected_outcome(&other)),
        }
    }
}
