//! Sends deliveries. Runs in every replica.
//!
//! A dispatcher claims endpoints with due deliveries (`store/queue.rs`) and spawns a worker for each. The worker reads and sends the endpoint's
//! due deliveries, and ends when none is left; the dispatcher then releases the endpoint. The recorder stores the results of all workers'
//! attempts, many in one transaction.
//!
//! The leases of a process that dies expire. The replica that claims an endpoint next sends what was in flight again, with the same id.

mod dispatcher;
mod endpoint_worker;
mod recorder;
mod target;

use std::sync::Arc;

use kit::{Clock, Lifecycle};
use sqlx::PgPool;
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::domain::address::AllowList;
use crate::domain::health::DisablePolicy;
use crate::domain::schedule::Schedule;
use crate::http::Sender;
use crate::key_ring::KeyRing;
use kit::wakeup::Wakeup;

/// Limits of a replica's concurrency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Deliveries in flight.
    pub in_flight: usize,
    /// Deliveries in flight to one endpoint.
    pub per_endpoint: usize,
    /// Endpoints with a worker.
    pub endpoints: usize,
}

/// The dependencies of the delivery tasks.
#[derive(Debug, Clone)]
pub struct DeliveryDependencies {
    pub pool: PgPool,
    pub clock: Clock,
    pub wakeup: Wakeup,
    pub sender: Sender,
    pub key_ring: KeyRing,
    pub allow: AllowList,
    pub schedule: Schedule,
    pub disable_policy: DisablePolicy,
    pub limits: Limits,
}

/// What the delivery tasks of a replica share.
#[derive(Debug)]
struct Shared {
    dependencies: DeliveryDependencies,
    /// Identifies this replica in leases.
    holder: Uuid,
    /// A permit for each delivery in flight.
    in_flight: Semaphore,
}

/// Starts the delivery tasks.
pub fn spawn(dependencies: DeliveryDependencies, lifecycle: &Lifecycle) {
    let shared = Arc::new(Shared {
        holder: kit::ids::row_id(),
        in_flight: Semaphore::new(dependencies.limits.in_flight),
        dependencies,
    });
    let stopping = lifecycle.stopping();
    lifecycle.spawn_graceful("delivery", dispatcher::run(shared, stopping));
}
