//! The operations that staff and the people of an account share. Their callers are authorized in `staff` and `accounts`.

mod accounts;
mod key_requests;
mod keys;
mod page;
mod switches;
mod tokens;

use std::sync::Arc;

use kit::feed::Writer;
use kit::{Clock, Fault};
use sqlx::PgPool;
use uuid::Uuid;

use crate::domain::author::Author;
use crate::domain::fields::Problems;
use crate::domain::key::GraceRange;
use crate::domain::plan::Plans;
use crate::domain::secret::KeyFormat;
use crate::quota::Quota;
use crate::write::{AuthoredCommand, Command, CommandHandler, Outcome};

pub(super) use keys::KeyFields;
pub(super) use page::ResultPage;

/// The dependencies of the services.
pub struct Operations {
    /// For reads.
    pub pool: PgPool,
    /// For changes.
    pub writer: Writer<CommandHandler>,
    pub plans: Arc<Plans>,
    pub format: KeyFormat,
    /// For tombstones.
    pub quota: Arc<Quota>,
    /// How long an old key may work after a rotation.
    pub grace: GraceRange,
    pub clock: Clock,
}

/// Which keys and key requests a call may reach.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scope {
    /// A call of staff.
    All,
    /// A call of a person: those of this account. The others do not exist.
    Account(Uuid),
}

impl Operations {
    pub(super) async fn write(
        &self,
        by: impl Into<Author>,
        command: Command,
    ) -> Result<Outcome, Fault> {
        let command = AuthoredCommand::by_author(by.into(), command);
        let (outcome, _) = self.writer.write(command).await?;
        Ok(outcome)
    }
}

impl Scope {
    fn includes(self, account: Uuid) -> bool {
        match self {
            Self::All => true,
            Self::Account(own) => own == account,
        }
    }
}

pub(super) fn id(field: &str, text: &str) -> Result<Uuid, Fault> {
    let mut problems = Problems::default();
    let id = problems.id(field, text);
    problems.finish()?;
    Ok(id)
}
