//! Admission control: limits how many requests run at once.
//!
//! Further requests queue, first in, first out. A request is shed with 503 before any work is done for it if the queue is full or
//! its wait is too long.
//!
//! A request holds its permit while it is worked on. It holds none while its body arrives, which is read before (`request_body.rs`), and none
//! while the client receives its response, so a slow client does not keep others from being admitted.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use kit::overload::ConcurrencyLimit;

use super::request_context;
use crate::admission_permit::HeldPermit;
use crate::app::App;
use crate::request_body::read_ahead;
use crate::request_limits::{self, Rejection};

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
    calls: Arc<ConcurrencyLimit>,
    /// Bodies that are arriving.
    bodies: Arc<ConcurrencyLimit>,
    queue_timeout: Duration,
}

/// Puts the limits in front of a router.
pub fn limit_calls(router: Router, app: &App, limits: ConcurrencyLimits) -> Router {
    let calls = ConcurrencyLimit::with_queue("admission", limits.calls, limits.queued);
    let bodies = limits.calls.saturating_mul(BODIES_PER_CALL);
    let admission = Admission {
        app: Arc::clone(app),
        calls: Arc::new(calls),
        bodies: Arc::new(ConcurrencyLimit::new("bodies", bodies)),
        queue_timeout: limits.queue_timeout,
    };
    router.layer(from_fn_with_state(admission, admit))
}

async fn admit(State(admission): State<Admission>, mut request: Request, next: Next) -> Response {
    if let Err(fault) = request_limits::host(&request) {
        request.extensions_mut().insert(Rejection(fault));
    }
    let app = &admission.app;
    let admitted = async {
        read_ahead(&mut request, &admission.bodies, app.body_timeout).await?;
        admission.calls.acquire(admission.queue_timeout).await
    }
    .await;
    match admitted {
        Ok(permit) => {
            let permit = HeldPermit::new(permit);
            request.extensions_mut().insert(permit.clone());
            let response = next.run(request).await;
            permit.release();
            response
        }
        Err(fault) => request_context::shed_response(app, request.headers(), fault),
    }
}
