//! Admission control: limits how many requests a thread runs at once.
//!
//! Further requests queue, first in, first out. A request is shed with 503 before any work is done for it if the queue is full or
//! its wait is too long.
//!
//! A request holds its permit until its response is ready, not until the client has received it, so a slow client does not keep
//! others from being admitted. The memory of responses is limited in `http_server/response.rs` of the kit.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use kit::overload::{ConcurrencyLimit, Permit};

use super::request_context;
use crate::app::App;
use crate::request_limits::{self, Rejection};

/// The limits of one thread.
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

/// The permit of a request, as a request extension.
#[derive(Debug, Clone)]
pub struct HeldPermit(Arc<Mutex<Option<Permit>>>);

impl HeldPermit {
    fn new(permit: Permit) -> Self {
        Self(Arc::new(Mutex::new(Some(permit))))
    }

    /// Lets another request be admitted, before this one is answered.
    pub fn release(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

#[derive(Clone)]
struct Admission {
    app: App,
    limit: Arc<ConcurrencyLimit>,
    queue_timeout: Duration,
}

/// Puts the limits in front of a router.
pub fn limit_calls(router: Router, app: &App, limits: ConcurrencyLimits) -> Router {
    let limit = ConcurrencyLimit::with_queue("admission", limits.calls, limits.queued);
    let admission = Admission {
        app: Arc::clone(app),
        limit: Arc::new(limit),
        queue_timeout: limits.queue_timeout,
    };
    router.layer(from_fn_with_state(admission, admit))
}

async fn admit(State(admission): State<Admission>, mut request: Request, next: Next) -> Response {
    if let Err(fault) = request_limits::host(&request) {
        request.extensions_mut().insert(Rejection(fault));
    }
    match admission.limit.acquire(admission.queue_timeout).await {
        Ok(permit) => {
            let permit = HeldPermit::new(permit);
            request.extensions_mut().insert(permit.clone());
            let response = next.run(request).await;
            permit.release();
            response
        }
        Err(fault) => request_context::shed_response(
            &admission.app,
            request.method(),
            request.headers(),
            fault,
        ),
    }
}
