//! Delivers: in every replica.
//!
//! A dispatcher claims endpoints that have something to be done (`store/queue.rs`) and runs a task for each, a lane, which reads the
//! endpoint's deliveries that are due, sends them, and releases the endpoint when there are none left. What came of the tries of all
//! lanes is recorded together, many in one transaction.
//!
//! A process that dies leaves its leases to run out; what it had in flight is sent again, with the same id, by whoever claims the
//! endpoint then.

mod dispatcher;
mod lane;
mod recorder;
mod target;

use std::sync::Arc;

use kit::{Clock, Lifecycle};
use sqlx::PgPool;
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::domain::address::AllowList;
use crate::domain::health::Rules;
use crate::domain::schedule::Schedule;
use crate::http::Sender;
use crate::key_ring::KeyRing;
use kit::wakeup::Wakeup;

/// How much is done at once by a replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Deliveries in flight.
    pub in_flight: usize,
    /// Deliveries in flight to one endpoint.
    pub per_endpoint: usize,
    /// Endpoints.
    pub endpoints: usize,
}

/// What delivering takes.
#[derive(Debug, Clone)]
pub struct Parts {
    pub pool: PgPool,
    pub clock: Clock,
    pub wakeup: Wakeup,
    pub sender: Sender,
    pub key_ring: KeyRing,
    pub allow: AllowList,
    pub schedule: Schedule,
    pub rules: Rules,
    pub limits: Limits,
}

/// What the tasks of a replica share.
#[derive(Debug)]
struct Shared {
    parts: Parts,
    /// Tells this replica from others.
    holder: Uuid,
    /// A permit for each delivery in flight.
    in_flight: Semaphore,
}

/// Starts to deliver.
pub fn spawn(parts: Parts, lifecycle: &Lifecycle) {
    let shared = Arc::new(Shared {
        holder: kit::ids::row_id(),
        in_flight: Semaphore::new(parts.limits.in_flight),
        parts,
    });
    let stopping = lifecycle.stopping();
    lifecycle.spawn_graceful("delivery", dispatcher::run(shared, stopping));
}
