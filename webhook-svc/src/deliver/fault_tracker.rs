//! Since when faults of ours keep this replica from its endpoints.

use std::collections::HashMap;

use parking_lot::Mutex;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::http::OwnFault;

/// A fault of ours that may be the endpoint's is a failed attempt after this time.
const DOUBT: Duration = Duration::HOUR;

/// A fault after a longer pause is a new one: nobody knows what was in between. With the default `waits`, no two attempts of a delivery are
/// further apart.
const PAUSE: Duration = Duration::hours(13);

/// The fault that this replica meets at an endpoint that it has not reached since.
#[derive(Debug, Clone, Copy)]
struct Fault {
    since: OffsetDateTime,
    last: OffsetDateTime,
}

/// The faults by endpoint.
#[derive(Debug, Default)]
pub(super) struct FaultTracker(Mutex<HashMap<Uuid, Fault>>);

impl FaultTracker {
    /// Whether a fault has lasted so long that it is rather the endpoint's. `reached_at`: another replica may have reached the endpoint
    /// since this one met a fault.
    pub(super) fn has_lasted(
        &self,
        endpoint: Uuid,
        fault: OwnFault,
        reached_at: Option<OffsetDateTime>,
        now: OffsetDateTime,
    ) -> bool {
        if fault == OwnFault::Sockets {
            return false;
        }
        let mut faults = self.0.lock();
        let begun = Fault {
            since: now,
            last: now,
        };
        let met = faults.entry(endpoint).or_insert(begun);
        if reached_at.is_some_and(|reached| reached > met.since) || now - met.last > PAUSE {
            *met = begun;
        }
        met.last = now;
        now - met.since >= DOUBT
    }

    /// The endpoint was reached, or failed for a reason of its own.
    pub(super) fn clear(&self, endpoint: Uuid) {
        self.0.lock().remove(&endpoint);
    }
}
