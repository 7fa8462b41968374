//! A replica's lease on an endpoint, as its worker sees it.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::store::queue::Claim;

/// A claim, and how long it surely holds.
///
/// The end is measured by the monotonic clock from before the statement that claimed or renewed: a process that was frozen sees, when it
/// continues, that its lease may have ended, before it has spoken to PostgreSQL.
#[derive(Debug)]
pub(super) struct Lease {
    pub(super) claim: Claim,
    until: Mutex<Instant>,
}

impl Lease {
    /// A lease that was claimed for `term` by a statement that was sent at `sent_at`.
    pub(super) fn new(claim: Claim, sent_at: Instant, term: Duration) -> Self {
        Self { claim, until: Mutex::new(end(sent_at, term)) }
    }

    pub(super) fn renew(&self, sent_at: Instant, term: Duration) {
        *self.until.lock() = end(sent_at, term);
    }

    /// Another replica has claimed the endpoint.
    pub(super) fn lose(&self) {
        *self.until.lock() = Instant::now();
    }

    pub(super) fn until(&self) -> Instant {
        *self.until.lock()
    }

    /// Whether the worker may send.
    pub(super) fn is_alive(&self) -> bool {
        Instant::now() < self.until()
    }
}

/// Clocks may run at different speeds, and a request takes a moment to leave: a tenth of the term is the margin.
fn end(sent_at: Instant, term: Duration) -> Instant {
    sent_at + term * 9 / 10
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_worker_stops_before_its_lease_ends() {
        let (sent_at, term) = (Instant::now(), Duration::from_secs(10));
        let claim = Claim { endpoint: Uuid::nil(), token: 1 };
        let lease = Lease::new(claim, sent_at, term);
        assert!(lease.until() < sent_at + term);
        let renewed_at = sent_at + term / 2;
        lease.renew(renewed_at, term);
        assert!(lease.until() < renewed_at + term);
    }
}
