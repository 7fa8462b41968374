//! The operations that staff and the people of an account share. Their callers are authorized in `staff` and `accounts`.

mod accounts;
mod key_requests;
mod keys;
mod switches;

use std::sync::Arc;
use std::time::Duration;

use kit::api::bad_fields::BadFields;
use kit::feed::Producer;
use kit::{Clock, Code, Fault};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::domain::key::Key;
use crate::domain::plan::Plans;
use crate::domain::secret::KeyFormat;
use crate::quota::Quota;
use crate::service::change_tasks::ChangeTasks;

pub(crate) use keys::{KeyFields, Rotation, key_fields};

/// The dependencies of the services.
pub struct Operations {
    /// For reads.
    pub pool: PgPool,
    /// For changes.
    pub producer: Producer,
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
    /// Makes a change that may stop keys. Each of `stopped` that no longer works gets a tombstone, even if the caller hangs up.
    /// `revoked` is the key that the change stops in any case: it gets its tombstone even if the outcome is unknown.
    pub(super) async fn change_and_stop<T: Send + 'static>(
        &self,
        change: impl Future<Output = Result<T, Fault>> + Send + 'static,
        revoked: Option<AccountCredential>,
        stopped: fn(&T) -> Vec<&Key>,
    ) -> Result<T, Fault> {
        let (quota, clock) = (Arc::clone(&self.quota), self.clock.clone());
        let changes = self.changes.clone();
        let change = async move {
            let changed = change.await;
            let now = clock.now();
            for key in to_stop(changed.as_ref().map(stopped), revoked, now) {
                if !quota.revoke(key.account, key.id, now).await {
                    changes.spawn(retry_tombstone(Arc::clone(&quota), key, now));
                }
            }
            changed
        };
        self.changes.run(change).await
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

/// What needs a tombstone after a change that stops `revoked` if it takes effect.
fn to_stop(
    changed: Result<Vec<&Key>, &Fault>,
    revoked: Option<AccountCredential>,
    now: OffsetDateTime,
) -> Vec<AccountCredential> {
    match changed {
        Ok(keys) => {
            let stopped = keys.into_iter().filter(|key| !key.works(now));
            let credential = |key: &Key| AccountCredential {
                account: key.account,
                id: key.id,
            };
            stopped.map(credential).collect()
        }
        // Its owner wants it to stop, whether the revocation took effect or not.
        Err(fault) if fault.code == Code::OutcomeUnknown => revoked.into_iter().collect(),
        Err(_) => Vec::new(),
    }
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
