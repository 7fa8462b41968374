//! Tombstones of keys that a change stops. With its tombstone, every gateway rejects the next call with the key. Without it, the gateways
//! learn of the change from the feed, within a second.

use std::sync::Arc;
use std::time::Duration;

use kit::{Code, Fault, Lifecycle};
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;
use uuid::Uuid;

use crate::domain::key::Key;
use crate::quota::Counters;

/// How often a tombstone is tried again, and the pause before each try: a call to Redis is given up after some milliseconds.
const RETRIES: u32 = 2;
const PAUSE: Duration = Duration::from_millis(200);

/// Makes changes that may stop keys.
pub struct Tombstones {
    counters: Arc<Counters>,
    tasks: TaskTracker,
}

/// A key of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KeyOfAccount {
    pub(super) account: Uuid,
    pub(super) id: Uuid,
}

impl Tombstones {
    /// Shutdown waits for changes.
    pub fn start(lifecycle: &Lifecycle, counters: &Arc<Counters>) -> Self {
        let tasks = TaskTracker::new();
        let (tracker, stopping) = (tasks.clone(), lifecycle.stopping());
        lifecycle.spawn_graceful("changes", async move {
            stopping.cancelled().await;
            tracker.close();
            tracker.wait().await;
            Ok(())
        });
        Self { counters: Arc::clone(counters), tasks }
    }

    /// Makes a change in a task, which goes on if the client disconnects. Each of the `changed_keys` that is revoked after it gets a tombstone.
    /// `revoked` is the key that the change stops in any case: it gets its tombstone even if the outcome is unknown.
    pub(super) async fn change<T: Send + 'static>(
        &self,
        change: impl Future<Output = Result<T, Fault>> + Send + 'static,
        revoked: Option<KeyOfAccount>,
        changed_keys: fn(&T) -> Vec<&Key>,
    ) -> Result<T, Fault> {
        let (counters, tasks) = (Arc::clone(&self.counters), self.tasks.clone());
        let change = async move {
            let changed = change.await;
            for key in to_stop(changed.as_ref().map(changed_keys), revoked) {
                if !counters.revoke(key.account, key.id).await {
                    tasks.spawn(retry(Arc::clone(&counters), key).in_current_span());
                }
            }
            changed
        };
        let made = self.tasks.spawn(change.in_current_span()).await;
        made.unwrap_or_else(|panicked| Err(Fault::internal(&panicked)))
    }
}

async fn retry(counters: Arc<Counters>, KeyOfAccount { account, id }: KeyOfAccount) {
    for _ in 0..RETRIES {
        tokio::time::sleep(PAUSE).await;
        if counters.revoke(account, id).await {
            return;
        }
    }
    tracing::warn!(key.id = %id, "Redis is unavailable, so the stopped key has no tombstone; gateways reject it once they have read the feed");
}

/// What needs a tombstone after a change that stops `revoked` if it takes effect. The change has decided with PostgreSQL's time which keys
/// stop: this replica's clock may differ, so it is not asked.
fn to_stop(changed: Result<Vec<&Key>, &Fault>, revoked: Option<KeyOfAccount>) -> Vec<KeyOfAccount> {
    match changed {
        Ok(keys) => {
            let stopped = keys.into_iter().filter(|key| key.revoked_at.is_some());
            let named = |key: &Key| KeyOfAccount { account: key.account, id: key.id };
            stopped.map(named).collect()
        }
        // Its owner wants it to stop, whether the revocation took effect or not.
        Err(fault) if fault.code == Code::OutcomeUnknown => revoked.into_iter().collect(),
        Err(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::key::tests::caller;

    #[test]
    fn a_rotation_without_a_grace_period_stops_the_key() {
        let key = caller().key;
        let rotate = |revokes_old| {
            let (old, _new) =
                key.rotated(Uuid::max(), "wxyz", revokes_old, key.created_at).unwrap();
            to_stop(Ok(vec![&old]), None)
        };
        let stopped = KeyOfAccount { account: key.account, id: key.id };
        assert_eq!(rotate(true), [stopped]);
        assert_eq!(rotate(false), []);
    }

    #[test]
    fn a_revocation_with_an_unknown_outcome_stops_the_key() {
        let key = KeyOfAccount { account: Uuid::nil(), id: Uuid::max() };
        let unknown = Fault::outcome_unknown("a test");
        assert_eq!(to_stop(Err(&unknown), Some(key)), [key]);
        assert_eq!(to_stop(Err(&unknown), None), []);
        let not_made = Fault::unavailable("a test");
        assert_eq!(to_stop(Err(&not_made), Some(key)), []);
    }
}
