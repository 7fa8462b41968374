//! Admission control: limits how many requests run at once.
//!
//! Further requests queue, first in, first out. A request is shed with 503 before any work is done for it if the queue is full or
//! its wait is too long.
//!
//! A request holds its permit while it is worked on. It holds none while its body arrives ([`HeldPermit::yield_to`]), and none while
//! the client receives its response, so a slow client does not keep others from being admitted. What slow clients hold instead is memory:
//! `arriving_bodies.rs` and a limit here bound that of bodies, and `http_server/response.rs` of the kit that of responses.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use kit::overload::ConcurrencyLimit;

use super::request_context;
use crate::admission_permit::{AdmissionLimits, HeldPermit};
use crate::app::App;
use crate::request_limits::{self, Rejection};

/// The limits of a port.
#[derive(Debug, Clone, Copy)]
pub struct ConcurrencyLimits {
    /// Requests that run at once.
    pub calls: usize,
    /// Requests that wait at once.
    pub queued: usize,
    /// How long a request waits at most.
    pub queue_timeout: Duration,
}

impl ConcurrencyLimits {
    /// By default as many requests may wait as the port has connections. Over HTTP/1.1 a connection whose request waits sends no
    /// other; if requests were shed at once, clients would retry faster than requests can be shed. Most clients wait a second for
    /// a response, so the wait is shorter than that.
    pub const fn new(calls: usize) -> Self {
        Self {
            calls,
            queued: 4_096,
            queue_timeout: Duration::from_millis(750),
        }
    }
}

#[derive(Clone)]
struct Admission {
    app: App,
    limits: Arc<AdmissionLimits>,
}

/// Puts the limits in front of a router.
pub fn limit_calls(router: Router, app: &App, limits: ConcurrencyLimits) -> Router {
    let limits = AdmissionLimits {
        calls: ConcurrencyLimit::with_queue("admission", limits.calls, limits.queued),
        bodies: ConcurrencyLimit::new("bodies", limits.calls.saturating_mul(2)),
        queue_timeout: limits.queue_timeout,
    };
    let admission = Admission {
        app: Arc::clone(app),
        limits: Arc::new(limits),
    };
    router.layer(from_fn_with_state(admission, admit))
}

async fn admit(State(admission): State<Admission>, mut request: Request, next: Next) -> Response {
    if let Err(fault) = request_limits::host(&request) {
        request.extensions_mut().insert(Rejection(fault));
    }
    let limits = &admission.limits;
    match limits.calls.acquire(limits.queue_timeout).await {
        Ok(permit) => {
            let permit = HeldPermit::new(permit, limits);
            request.extensions_mut().insert(permit.clone());
            let response = next.run(request).await;
            permit.release();
            response
        }
        Err(fault) => request_context::shed_response(&admission.app, request.headers(), fault),
    }
}
