//! The operations that staff and the people of an account share. Their callers are authorized in `staff` and `accounts`.

mod accounts;
mod key_requests;
mod keys;
mod switches;

use std::sync::Arc;
use std::time::Duration;

use kit::bad_fields::BadFields;
use kit::feed::{Writer, unexpected_outcome};
use kit::{Clock, Code, Fault};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::author::Author;
use crate::domain::plan::Plans;
use crate::domain::secret::KeyFormat;
use crate::quota::Quota;
use crate::service::change_tasks::ChangeTasks;
use crate::write::{AuthoredCommand, Command, CommandHandler, Outcome};

pub(crate) use keys::{KeyFields, Rotation, key_fields};

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
    pub clock: Clock,
    /// Changes of more than one step.
    pub changes: ChangeTasks,
}

/// A key of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AccountCredential {
    pub(super) account: Uuid,
    pub(super) id: Uuid,
}

/// Whose keys and key requests a call finds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AccountFilter {
    /// Those of all accounts, for a call of staff.
    Any,
    /// Those of one account. Those of other accounts do not exist for the call.
    Only(Uuid),
}

impl Operations {
    pub(super) async fn write<T>(
        &self,
        by: impl Into<Author>,
        command: Command,
        read: impl FnOnce(Outcome) -> Option<T>,
    ) -> Result<T, Fault> {
        let command = AuthoredCommand::by_author(by.into(), command);
        self.writer.write_as(command, read).await
    }

    /// Applies a command that may stop keys, and writes a tombstone for each key that it stopped, even if the caller hangs up.
    /// `revoked` is the key that the command stops in any case: it gets its tombstone even if the outcome is unknown.
    pub(super) async fn write_and_stop<T>(
        &self,
        by: impl Into<Author>,
        command: Command,
        revoked: Option<AccountCredential>,
        read: impl FnOnce(Outcome) -> Option<T>,
    ) -> Result<T, Fault> {
        let command = AuthoredCommand::by_author(by.into(), command);
        let (writer, quota) = (self.writer.clone(), Arc::clone(&self.quota));
        let (clock, changes) = (self.clock.clone(), self.changes.clone());
        let change = async move {
            let written = writer.write(command).await;
            let now = clock.now();
            let outcome = written.as_ref().map(|(outcome, _)| outcome);
            for stopped in to_stop(outcome, revoked, now) {
                if !quota.revoke(stopped.account, stopped.id, now).await {
                    changes.spawn(retry_tombstone(Arc::clone(&quota), stopped, now));
                }
            }
            written.map(|(outcome, _)| outcome)
        };
        read(self.changes.run(change).await?).ok_or_else(unexpected_outcome)
    }
}

/// How often a tombstone is tried again, and the pause before each try.
const TOMBSTONE_RETRIES: u32 = 2;
const TOMBSTONE_PAUSE: Duration = Duration::from_millis(200);

/// Adds a tombstone after a first try that has failed: a call to Redis is given up after some milliseconds.
///
/// With the tombstone, every gateway rejects the next call with the key. Without it, the gateways learn of the revocation from the feed,
/// within a second.
async fn retry_tombstone(
    quota: Arc<Quota>,
    AccountCredential { account, id }: AccountCredential,
    now: OffsetDateTime,
) {
    for _ in 0..TOMBSTONE_RETRIES {
        tokio::time::sleep(TOMBSTONE_PAUSE).await;
        if quota.revoke(account, id, now).await {
            return;
        }
    }
    tracing::warn!(key.id = %id, "Redis is away, so the stopped key has no tombstone; gateways reject it once they have read the feed");
}

/// What needs a tombstone after a command that stops `revoked` if it takes effect.
fn to_stop(
    written: Result<&Outcome, &Fault>,
    revoked: Option<AccountCredential>,
    now: OffsetDateTime,
) -> Vec<AccountCredential> {
    match written {
        Ok(outcome) => stopped(outcome, now),
        // Its owner wants it to stop, whether the revocation took effect or not.
        Err(fault) if fault.code == Code::OutcomeUnknown => revoked.into_iter().collect(),
        Err(_) => Vec::new(),
    }
}

/// The keys that a command has stopped.
fn stopped(outcome: &Outcome, now: OffsetDateTime) -> Vec<AccountCredential> {
    let keys = match outcome {
        Outcome::Key(key) => [Some(key), None],
        // Without a grace period, a rotation is a revocation.
        Outcome::Rotated(_, old, ended) => [Some(old.as_ref()), ended.as_deref()],
        _ => [None, None],
    };
    let stopped = keys.into_iter().flatten().filter(|key| !key.works(now));
    stopped
        .map(|key| AccountCredential {
            account: key.account,
            id: key.id,
        })
        .collect()
}

impl AccountFilter {
    fn includes(self, account: Uuid) -> bool {
        match self {
            Self::Any => true,
            Self::Only(own) => own == account,
        }
    }
}

pub(super) fn id(field: &str, text: &str) -> Result<Uuid, Fault> {
    let mut bad = BadFields::default();
    let id = bad.id(field, text);
    bad.check()?;
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revocation_with_an_unknown_outcome_stops_the_key() {
        let key = AccountCredential {
            account: Uuid::nil(),
            id: Uuid::max(),
        };
        let now = OffsetDateTime::UNIX_EPOCH;
        let unknown = Fault::outcome_unknown("a test");
        assert_eq!(to_stop(Err(&unknown), Some(key), now), [key]);
        assert_eq!(to_stop(Err(&unknown), None, now), []);
        let not_made = Fault::unavailable("a test");
        assert_eq!(to_stop(Err(&not_made), Some(key), now), []);
    }
}
