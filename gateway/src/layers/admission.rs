//! Admission: how many calls a thread runs at once.
//!
//! Further calls wait, first come, first served; when too many wait already, or one has waited too long, it is shed with 503 before any
//! work is done for it.
//!
//! A call holds its permit until its answer is ready, not until the caller has taken it: a caller that reads slowly keeps no other from
//! being admitted. What its answers hold in memory is bounded by the server.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use kit::overload::ConcurrencyLimit;

use super::outermost;
use crate::app::App;
use crate::bounds::{self, Objection};

/// The limits of a thread.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Calls that run at once.
    pub calls: usize,
    /// Further calls that wait at once.
    pub waiting: usize,
    /// How long each of them waits.
    pub patience: Duration,
}

impl Limits {
    /// So many calls that run at once. As many wait as the port has connections by default: over HTTP/1.1 a connection whose call waits
    /// brings no other, and to shed calls at once would bring more of them than can be shed. Most callers wait a second for an answer,
    /// so some of that is left to make it.
    pub const fn of(calls: usize) -> Self {
        Self {
            calls,
            waiting: 4_096,
            patience: Duration::from_millis(750),
        }
    }
}

#[derive(Clone)]
struct Admission {
    app: App,
    limit: Arc<ConcurrencyLimit>,
    patience: Duration,
}

/// The router behind the limits.
pub fn limited(router: Router, app: &App, limits: Limits) -> Router {
    let limit = ConcurrencyLimit::with_queue("admission", limits.calls, limits.waiting);
    let admission = Admission {
        app: Arc::clone(app),
        limit: Arc::new(limit),
        patience: limits.patience,
    };
    router.layer(from_fn_with_state(admission, admit))
}

async fn admit(State(admission): State<Admission>, mut request: Request, next: Next) -> Response {
    if let Err(fault) = bounds::host(&request) {
        request.extensions_mut().insert(Objection(fault));
    }
    match admission.limit.acquire(admission.patience).await {
        Ok(_permit) => next.run(request).await,
        Err(fault) => outermost::shed(&admission.app, request.method(), request.headers(), fault),
    }
}
