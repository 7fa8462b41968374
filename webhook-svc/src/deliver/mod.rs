//! Sends deliveries. Runs in every replica.
//!
//! A dispatcher claims endpoints with due deliveries (`store/queue.rs`) and spawns a worker for each. The worker reads the endpoint's due
//! deliveries ahead (`pages.rs`) and sends them, and ends when none is left; the dispatcher then releases the endpoint. The recorders store the
//! results of all workers' attempts, many in one transaction.
//!
//! The leases of a process that dies expire. The replica that claims an endpoint next sends what was in flight again, with the same id. A worker
//! stops sending when its lease may have ended (`lease.rs`), and what it has sent until then is recorded only if no other replica has claimed the
//! endpoint.

mod attempt;
mod dispatcher;
mod endpoint_worker;
mod lease;
mod message_cache;
mod pages;
mod recorder;
mod target;

use std::sync::Arc;
use std::time::Duration;

use kit::feed::Producer;
use kit::key_ring::KeyRing;
use kit::wakeup::Wakeup;
use kit::{Clock, Lifecycle, descriptor_limit};
use parking_lot::Mutex;
use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::domain::health::DisablePolicy;
use crate::domain::schedule::Schedule;
use crate::http::Sender;
use message_cache::MessageCache;

/// Limits of a replica's concurrency, and its timeouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Deliveries in flight.
    pub in_flight: usize,
    /// Deliveries in flight to one endpoint.
    pub per_endpoint: usize,
    /// Endpoints with a worker.
    pub endpoints: usize,
    /// The length of a lease on an endpoint without renewal.
    pub lease: Duration,
    /// The timeout of a statement here: PostgreSQL's own plus a margin.
    pub statement_timeout: Duration,
}

/// File descriptors for each delivery in flight: its connection, and one for the connections that the client keeps for some seconds after their
/// deliveries. It may keep more, up to `idle_connections` per host. An attempt that finds no descriptor fails, and is repeated.
const DESCRIPTORS: u32 = 2;

impl Limits {
    /// These limits, or lower ones if the process does not have enough file descriptors. Raises the limit of descriptors as far as the
    /// system allows.
    #[must_use]
    pub fn within_descriptors(self) -> Self {
        let wanted = u32::try_from(self.in_flight).unwrap_or(u32::MAX);
        let possible = descriptor_limit::allowed("in_flight", wanted, DESCRIPTORS);
        Self { in_flight: usize::try_from(possible).unwrap_or(self.in_flight), ..self }
    }
}

/// The dependencies of the delivery tasks.
#[derive(Debug, Clone)]
pub struct DeliveryDependencies {
    pub pool: PgPool,
    /// Publishes the notices for the owners of endpoints.
    pub producer: Producer,
    pub clock: Clock,
    pub wakeup: Wakeup,
    pub sender: Sender,
    pub key_ring: KeyRing,
    pub schedule: Schedule,
    pub disable_policy: DisablePolicy,
    pub limits: Limits,
}

/// What the delivery tasks of a replica share.
#[derive(Debug)]
struct Shared {
    pool: PgPool,
    producer: Producer,
    clock: Clock,
    wakeup: Wakeup,
    sender: Sender,
    key_ring: KeyRing,
    schedule: Schedule,
    disable_policy: DisablePolicy,
    limits: Limits,
    /// Identifies this replica in leases.
    holder: Uuid,
    /// A permit for each delivery in flight. Closed when the replica stops.
    in_flight: Semaphore,
    messages: MessageCache,
    /// How far PostgreSQL's clock is ahead of this process's, as of its last reading.
    difference: Mutex<time::Duration>,
}

impl Shared {
    /// PostgreSQL's time, by its last reading: the claims read it at least once in the third of a
    /// lease, and a reading for each page and each attempt would cost a round trip.
    fn now(&self) -> OffsetDateTime {
        self.clock.now() + *self.difference.lock()
    }

    /// Reads PostgreSQL's time.
    async fn read_time(
        &self,
        executor: impl PgExecutor<'_>,
    ) -> Result<OffsetDateTime, sqlx::Error> {
        let now = kit::pg::now(executor, &self.clock).await?;
        // After the answer: a time of `now` is never before one that was read, by which a delivery
        // was due.
        *self.difference.lock() = now - self.clock.now();
        Ok(now)
    }

    /// Runs statements with a timeout. PostgreSQL may vanish without closing the connection; the pool closes it when the caller gives up.
    async fn with_statement_timeout<T, E: From<sqlx::Error>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        kit::pg::with_timeout(self.limits.statement_timeout, work).await
    }
}

/// Starts the delivery tasks.
pub fn spawn(dependencies: DeliveryDependencies, lifecycle: &Lifecycle) {
    let shared = Arc::new(Shared {
        pool: dependencies.pool,
        producer: dependencies.producer,
        clock: dependencies.clock,
        wakeup: dependencies.wakeup,
        sender: dependencies.sender,
        key_ring: dependencies.key_ring,
        schedule: dependencies.schedule,
        disable_policy: dependencies.disable_policy,
        limits: dependencies.limits,
        holder: kit::ids::row_id(),
        in_flight: Semaphore::new(dependencies.limits.in_flight),
        messages: MessageCache::default(),
        difference: Mutex::default(),
    });
    let stopping = lifecycle.stopping();
    lifecycle.spawn_graceful("delivery", dispatcher::run(shared, stopping));
}
