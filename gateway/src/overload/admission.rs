//! Admission control: limits how many requests run at once.
//!
//! Further requests queue, first in, first out. A request is shed with 503 before it is checked if the queue is full or its wait is too
//! long.
//!
//! A request takes its permit once its body has arrived, and returns it before the client receives the response: a slow client keeps
//! no other request out.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::request::Parts;
use kit::Fault;
use kit::overload::{ConcurrencyLimit, Permit};

use super::request_body::read_ahead;

/// How many bodies may be arriving for each request that may run.
const BODIES_PER_CALL: usize = 4;

/// The limits of a port.
#[derive(Debug, Clone, Copy)]
pub struct ConcurrencyLimits {
    /// Requests that run at once.
    pub calls: usize,
    /// Requests that wait at once.
    pub queued: usize,
    /// How long a request waits at most.
    pub queue_timeout: Duration,
    /// How long a body may take to arrive.
    pub body_timeout: Duration,
}

impl ConcurrencyLimits {
    /// By default as many requests may wait as the port has connections. Over HTTP/1.1 a connection whose request waits sends no
    /// other; if requests were shed at once, clients would retry faster than requests can be shed. Most clients wait a second for
    /// a response, so the wait is shorter than that.
    pub const fn new(calls: usize, body_timeout: Duration) -> Self {
        Self {
            calls,
            queued: 4_096,
            queue_timeout: Duration::from_millis(750),
            body_timeout,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Admission {
    calls: ConcurrencyLimit,
    /// Bodies that are arriving.
    bodies: ConcurrencyLimit,
    limits: ConcurrencyLimits,
}

/// A request that may run.
#[derive(Debug)]
pub(crate) struct Admitted<'a> {
    pub(crate) head: Parts,
    /// The body, or why it could not be read. The checks of the request come before that error.
    pub(crate) body: Result<Bytes, Fault>,
    /// `None` while the request has returned it.
    pub(crate) permit: Option<Permit>,
    admission: &'a Admission,
}

impl Admission {
    pub(crate) fn new(limits: ConcurrencyLimits) -> Self {
        let bodies = limits.calls.saturating_mul(BODIES_PER_CALL);
        Self {
            calls: ConcurrencyLimit::with_queue("admission", limits.calls, limits.queued),
            bodies: ConcurrencyLimit::new("bodies", bodies),
            limits,
        }
    }

    /// Reads the body of a request, and waits for a permit.
    ///
    /// # Errors
    /// The request is shed.
    pub(crate) async fn admit(&self, head: Parts, body: &mut Body) -> Result<Admitted<'_>, Fault> {
        let mut admitted = Admitted {
            body: read_ahead(&head, body, &self.bodies, self.limits.body_timeout).await?,
            head,
            permit: None,
            admission: self,
        };
        admitted.acquire_permit().await?;
        Ok(admitted)
    }
}

impl Admitted<'_> {
    /// Waits for a permit.
    ///
    /// # Errors
    /// The request is shed.
    pub(crate) async fn acquire_permit(&mut self) -> Result<(), Fault> {
        let Admission { calls, limits, .. } = self.admission;
        self.permit = Some(calls.acquire(limits.queue_timeout).await?);
        Ok(())
    }
}
