//! The circuit breaker of a connection.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::timeout;

use super::connection::Connection;
use super::{CONNECT_TIMEOUT, Shared};

/// Failures in a row that open the breaker.
const FAILURES: u32 = 3;
/// The interval between two probes.
const PROBE_INTERVAL: Duration = Duration::from_millis(100);

/// Counts a failed call, and opens the breaker after [`FAILURES`] in a row. The failure does not count when `others_answered`, or when
/// another was counted since the call began, with `failures_before`: one pause of Redis fails all calls of that moment.
///
/// Opening the breaker drops the connection, because a dead connection that was never closed would time out forever. A `lost` connection
/// is dropped at once.
pub(super) fn count(
    shared: &Arc<Shared>,
    connection: Option<&Arc<Connection>>,
    lost: bool,
    others_answered: bool,
    failures_before: u32,
) {
    if let Some(connection) = connection {
        let current = shared.connection.load();
        let is_current = current.as_ref().is_some_and(|it| Arc::ptr_eq(it, connection));
        if current.is_some() && !is_current {
            // The call used an older connection, which says nothing about the current one.
            return;
        }
        if is_current && lost {
            // The next call opens another.
            shared.connection.compare_and_swap(&current, None);
        }
    }
    if others_answered {
        return;
    }
    let failures = failures_before.saturating_add(1);
    let counted = shared.failures.compare_exchange(
        failures_before,
        failures,
        Ordering::Relaxed,
        Ordering::Relaxed,
    );
    if counted.is_err() || failures < FAILURES || shared.is_open.swap(true, Ordering::AcqRel) {
        return;
    }
    shared.connection.store(None);
    let probe = Probe::new(shared);
    #[expect(
        clippy::disallowed_methods,
        reason = "the task has no work to finish at shutdown, and ends with its connection or its runtime"
    )]
    drop(tokio::spawn(probe.run()));
}

/// The task that probes Redis while the breaker is open. The breaker closes when this is dropped.
struct Probe(Weak<Shared>);

impl Probe {
    fn new(shared: &Arc<Shared>) -> Self {
        metrics::gauge!("redis_breakers_open").increment(1.0);
        Self(Arc::downgrade(shared))
    }

    async fn run(self) {
        while let Some(shared) = self.0.upgrade() {
            if let Some(connection) = probe(&shared).await {
                shared.connection.store(Some(Arc::new(connection)));
                return;
            }
            drop(shared);
            tokio::time::sleep(PROBE_INTERVAL).await;
        }
    }
}

/// Opens a new connection, and checks that Redis answers a PING within the timeout of calls.
async fn probe(shared: &Shared) -> Option<Connection> {
    let limit = CONNECT_TIMEOUT.max(shared.timeout);
    let connection = timeout(limit, Connection::open(&shared.address)).await.ok()?.ok()?;
    timeout(shared.timeout, connection.ping()).await.ok()?.ok()?;
    Some(connection)
}

impl Drop for Probe {
    fn drop(&mut self) {
        metrics::gauge!("redis_breakers_open").decrement(1.0);
        if let Some(shared) = self.0.upgrade() {
            shared.failures.store(0, Ordering::Relaxed);
            shared.is_open.store(false, Ordering::Release);
        }
    }
}
