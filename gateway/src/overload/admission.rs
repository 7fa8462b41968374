//! Admission control: limits how many requests run at once.
//!
//! Further requests queue, first in, first out, one of each connection at a time: a client that sends many delays another by one turn. A
//! request is shed with 503 before it is checked if the queue is full or its wait is too long.
//!
//! A request takes its permit once its body has arrived, and returns it before the client receives the response: a slow client keeps
//! no other request out.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::request::Parts;
use kit::Fault;
use kit::overload::{ConcurrencyLimit, Permit, QueueSlot};

use super::request_body::read_ahead;

/// How many bodies may be arriving for each request that may run.
const BODIES_PER_CALL: usize = 4;

/// The limits of a port.
#[derive(Debug, Clone, Copy)]
pub struct LoadLimits {
    /// Requests that run at once.
    pub calls: usize,
    /// Requests that wait at once.
    pub queued: usize,
    /// How long a request waits at most.
    pub queue_timeout: Duration,
    /// How long a body may take to arrive.
    pub body_timeout: Duration,
}

impl LoadLimits {
    /// By default as many requests may queue as the port has connections: one of each. The few others that an HTTP/2 connection may send
    /// wait for its place. If requests were shed at once, clients would retry faster than requests can be shed. Most clients wait a second
    /// for a response, so the wait is shorter than that.
    pub const fn new(calls: usize, body_timeout: Duration) -> Self {
        Self { calls, queued: 4_096, queue_timeout: Duration::from_millis(750), body_timeout }
    }
}

#[derive(Debug)]
pub(crate) struct Admission {
    calls: ConcurrencyLimit,
    /// Bodies that are arriving.
    bodies: ConcurrencyLimit,
    limits: LoadLimits,
}

impl Admission {
    pub(crate) fn new(limits: LoadLimits) -> Self {
        let bodies = limits.calls.saturating_mul(BODIES_PER_CALL);
        Self {
            calls: ConcurrencyLimit::with_queue("admission", limits.calls, limits.queued),
            bodies: ConcurrencyLimit::new("bodies", bodies),
            limits,
        }
    }

    /// Reads the body of a request, and waits for a permit. The inner error is that of the body: the checks of the request come before it.
    ///
    /// # Errors
    /// The request is shed.
    pub(crate) async fn admit(
        &self,
        head: &Parts,
        body: &mut Body,
    ) -> Result<(Result<Bytes, Fault>, Permit), Fault> {
        let body = read_ahead(head, body, &self.bodies, self.limits.body_timeout).await?;
        Ok((body, self.acquire(head).await?))
    }

    /// Waits for a permit.
    ///
    /// # Errors
    /// The request is shed.
    pub(crate) async fn acquire(&self, head: &Parts) -> Result<Permit, Fault> {
        let slot = head.extensions.get::<QueueSlot>();
        self.calls.acquire_in(slot, self.limits.queue_timeout).await
    }
}
