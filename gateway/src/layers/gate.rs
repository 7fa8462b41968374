//! The gate of a route: every check between a request and its handler, in the order of §7.1.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::header::ORIGIN;
use http::{HeaderMap, Method};
use kit::{Code, Fault};

use super::identity::{self, invalid_key};
use super::panic;
use super::policy::{Route, RouteKind};
use crate::app::App;
use crate::bounds;
use crate::context::Context;
use crate::domain::access;
use crate::domain::plan::Plan;
use crate::envelope::{self, Answer};
use crate::errors::Refusal;
use crate::quota::Denied;
use crate::upstream::min_position::MinPosition;

/// The gate in front of one route.
#[derive(Clone)]
pub struct Gate {
    /// What the gateway has.
    pub app: App,
    /// The route.
    pub route: Arc<Route>,
}

/// Lets a request through to its handler, or answers it here.
pub async fn gate(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    let passed = gate.pass(request, next).await;
    passed.unwrap_or_else(Answer::into_response)
}

impl Gate {
    async fn pass(&self, mut request: Request, next: Next) -> Result<Response, Answer> {
        let (app, route) = (&self.app, &*self.route);
        let now = app.clock.now();
        let context = Context::of(&request).ok_or_else(envelope::internal)?;
        context.found_route(route.pattern);
        let kind = route.kind(request.method());

        // 1: a preflight.
        preflight(request.method(), request.headers())?;
        // 2 and 3: missing_key, invalid_key; rate_limited for the address that guesses.
        let (headers, extensions) = (request.headers(), request.extensions());
        let caller = identity::caller(app, &context, headers, extensions, now).await?;
        context.found_caller(&caller);
        // 4 to 8: secret_key_required, server_only, switches, plan_required, write_not_allowed.
        let call = route.call(request.method(), request.headers().contains_key(ORIGIN));
        if let Err(fault) = access::check(call, &caller, &app.plans, app.switches.now()) {
            // The quota, which knows of a revocation a moment ago, is not asked for what is refused anyway.
            let buried = app.quota.is_buried(&caller).await;
            return Err(if buried { invalid_key() } else { fault }.into());
        }
        app.last_used.note(caller.key.id, now);
        request.extensions_mut().insert(Arc::clone(&caller));

        // A read's permit for catalogue-svc. It comes after the look-up of the key: strangers whose keys are looked up slowly must not
        // hold permits that callers with known keys need.
        let _permit = match kind {
            RouteKind::CatalogueRead => Some(app.catalogue.acquire().await?),
            _ => None,
        };
        // 9: rate_limited, quota_exceeded; then the rest. A read goes its way while Redis is asked for the quota and for how far the
        // listings have come, both at once; its answer is withheld when the quota says no.
        let plan = app.plans.get_or_cheapest(&caller.plan);
        let (standing, response) = if kind == RouteKind::CatalogueRead {
            let (sender, min_position) = MinPosition::channel();
            request.extensions_mut().insert(min_position);
            let look = async { sender.send(app.latest.read().await) };
            let count = async {
                let taken = app.quota.take(&caller, plan, now);
                let (taken, ()) = futures::join!(taken, look);
                taken.map_err(|denied| refused_by_quota(denied, plan))
            };
            let call = async { Ok(self.call(kind, request, next).await) };
            futures::future::try_join(count, call).await?
        } else {
            let taken = app.quota.take(&caller, plan, now).await;
            let standing = taken.map_err(|denied| refused_by_quota(denied, plan))?;
            request.extensions_mut().insert(standing);
            (standing, self.call(kind, request, next).await)
        };

        let standing = if response.status().is_server_error() {
            app.quota.give_back(&caller, standing).await
        } else {
            standing
        };
        Ok(envelope::with_standing(response, standing))
    }

    async fn call(&self, kind: RouteKind, request: Request, next: Next) -> Response {
        let refusal = match kind {
            // 10: no such path, no such method.
            RouteKind::NotFound => Refusal::no_such_path(),
            RouteKind::NoMethod => Refusal::method_not_allowed(self.route.allow()),
            // 11: too_large. What comes after is for the handler and the services.
            RouteKind::CatalogueRead | RouteKind::CountedRead | RouteKind::Write => {
                match bounds::body(&request) {
                    Ok(()) => return panic::caught(next.run(request)).await,
                    Err(fault) => fault.into(),
                }
            }
        };
        refusal.into_response()
    }
}

/// A browser asks whether a page may call: none may, and a preflight cannot carry a key (§5.6).
fn preflight(method: &Method, headers: &HeaderMap) -> Result<(), Fault> {
    if *method == Method::OPTIONS && headers.contains_key(ORIGIN) {
        return Err(access::from_page());
    }
    Ok(())
}

fn refused_by_quota(denied: Denied, plan: &Plan) -> Answer {
    match denied {
        Denied::Revoked => invalid_key().into(),
        Denied::Minute(standing) => {
            let fault = Fault {
                retry_after: Some(standing.minute_wait()),
                ..Fault::new(
                    Code::RateLimited,
                    format!(
                        "this key has used its calls of the minute (plan {}); wait as Retry-After says",
                        plan.title
                    ),
                )
            };
            Answer::from(fault).with_standing(standing)
        }
        Denied::Month(standing) => {
            let resets_at = standing.month_resets_at();
            let fault = Fault {
                retry_after: Some(standing.seconds_until(resets_at)),
                ..Fault::new(
                    Code::QuotaExceeded,
                    format!(
                        "the account has used its calls of the month (plan {}); come back when it turns, or take a larger plan",
                        plan.title
                    ),
                )
            };
            let refusal = Refusal {
                resets_at: Some(resets_at),
                ..fault.into()
            };
            Answer::from(refusal).with_standing(standing)
        }
    }
}
