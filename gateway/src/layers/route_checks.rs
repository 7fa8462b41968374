//! The checks of a route, between a request and its handler, in the order of §7.1. A call that has passed the quota is used, whatever its
//! answer.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::header::ORIGIN;
use http::request::Parts;
use http::{HeaderMap, Method};
use kit::{Code, Fault};
use time::OffsetDateTime;

use super::identity::{self, invalid_key};
use super::panic;
use super::policy::{Route, RouteKind};
use super::response_cache::ResponseCache;
use crate::app::App;
use crate::client_ip;
use crate::context::Context;
use crate::domain::access;
use crate::domain::key::Caller;
use crate::domain::plan::Plan;
use crate::domain::quota::RateLimitStatus;
use crate::envelope::{self, ApiResponse};
use crate::errors::ApiError;
use crate::extract::catalogue_read::MinPosition;
use crate::quota::Denial;
use crate::refused_calls::RefusedCalls;
use crate::request_limits;

#[derive(Clone)]
pub struct RouteChecks {
    pub app: App,
    pub route: Arc<Route>,
    pub responses: Arc<ResponseCache>,
}

/// Runs the checks: the request reaches its handler, or is answered here.
pub async fn run(State(checks): State<RouteChecks>, request: Request, next: Next) -> Response {
    let result = checks.check_and_run(request, next).await;
    result.unwrap_or_else(ApiResponse::into_response)
}

impl RouteChecks {
    async fn check_and_run(&self, request: Request, next: Next) -> Result<Response, ApiResponse> {
        let (app, route) = (&self.app, &*self.route);
        let now = app.clock.now();
        let context = Context::from_request(&request).ok_or_else(envelope::internal)?;
        context.set_route(route.pattern);
        let kind = route.kind(request.method());

        // 1 to 8. A refused call uses no quota, so it counts against its address.
        let (head, body) = request.into_parts();
        let allowed = self.allowed_caller(&context, &head, now).await;
        let caller = allowed.map_err(|refusal| {
            let from = client_ip::network(app, &head);
            app.refused_calls.count(refusal, from, now)
        })?;
        let mut request = Request::from_parts(head, body);
        app.last_used.record(caller.key.id, now);
        request.extensions_mut().insert(Arc::clone(&caller));

        // 9: rate_limited, quota_exceeded. A read of catalogue-svc must show every earlier write, so the same round trip to Redis
        // reads the newest position of the listings.
        let plan = app.plans.get_or_cheapest(&caller.plan);
        let consume = app.quota.consume(&caller, plan, now);
        let status = if kind == RouteKind::CatalogueRead {
            let (consumed, position) = futures::join!(consume, app.newest_position.read());
            let status = consumed.map_err(|denial| quota_error(denial, plan))?;
            request.extensions_mut().insert(MinPosition(position));
            status
        } else {
            let consumed = consume.await;
            consumed.map_err(|denial| quota_error(denial, plan))?
        };
        request.extensions_mut().insert(status);

        let response = self.run(kind, request, next, now).await;
        Ok(envelope::with_rate_limit(response, status))
    }

    /// The checks before the quota.
    async fn allowed_caller(
        &self,
        context: &Context,
        request: &Parts,
        now: OffsetDateTime,
    ) -> Result<Arc<Caller>, Fault> {
        let (app, method, headers) = (&self.app, &request.method, &request.headers);
        // 1: a preflight.
        preflight(method, headers)?;
        // 2 and 3: missing_key, invalid_key.
        let requirements = self
            .route
            .requirements(method, headers.contains_key(ORIGIN));
        let caller = identity::caller(app, context, request, now).await?;
        context.set_caller(&caller);
        // 4 to 8: secret_key_required, server_only, switches, plan_required, write_not_allowed.
        let checked = access::check(requirements, &caller, &app.plans, app.switches.current());
        let Err(refusal) = checked else {
            return Ok(caller);
        };
        if RefusedCalls::counts(&refusal) {
            let from = client_ip::network(app, request);
            app.refused_calls.check(from, now)?;
        }
        // A rejected request is not counted, so the script of the quota does not look for a tombstone. Look here: a revoked key is
        // invalid_key in any case.
        let revoked = app.quota.is_revoked(&caller).await;
        Err(if revoked { invalid_key() } else { refusal })
    }

    /// Runs the handler, or answers an unknown path, a wrong method or a large body.
    async fn run(
        &self,
        kind: RouteKind,
        request: Request,
        next: Next,
        now: OffsetDateTime,
    ) -> Response {
        let error = match kind {
            // 10: unknown path, wrong method.
            RouteKind::NotFound => ApiError::path_not_found(),
            RouteKind::NoMethod => ApiError::method_not_allowed(self.route.allow()),
            // 11: too_large. The later checks belong to the handler and the services.
            RouteKind::CatalogueRead | RouteKind::OtherRead | RouteKind::Write => {
                match request_limits::body(&request) {
                    Ok(()) if kind == RouteKind::CatalogueRead => {
                        return self.responses.respond(request, next, now).await;
                    }
                    Ok(()) => return panic::caught(next.run(request)).await,
                    Err(fault) => fault.into(),
                }
            }
        };
        error.into_response()
    }
}

/// Rejects a CORS preflight. No page may use the API, and a preflight cannot carry a key (§5.6).
fn preflight(method: &Method, headers: &HeaderMap) -> Result<(), Fault> {
    if *method == Method::OPTIONS && headers.contains_key(ORIGIN) {
        return Err(access::server_only_error());
    }
    Ok(())
}

fn quota_error(denial: Denial, plan: &Plan) -> ApiResponse {
    // Anybody may know a public key.
    let of_plan = |status: &RateLimitStatus| {
        if status.limits.is_public {
            String::new()
        } else {
            format!(" (plan {})", plan.title)
        }
    };
    // In the last seconds of a month, its minute may end later.
    let denial = match denial {
        Denial::Month(status) | Denial::PublicMonth(status) if minute_ends_last(&status) => {
            Denial::Minute(status)
        }
        denial => denial,
    };
    match denial {
        Denial::Revoked => invalid_key().into(),
        Denial::Minute(status) => {
            let message = format!(
                "This key has used all calls of its minute{}. Try again after the seconds in Retry-After.",
                of_plan(&status)
            );
            let fault = Fault::new(Code::RateLimited, message);
            let fault = fault.with_retry_after(status.minute_wait());
            ApiResponse::from(fault).with_rate_limit(status)
        }
        Denial::Month(status) => month_error(
            status,
            format!(
                "The account has used all calls of its month{}. Wait until `resets_at`, or choose a larger plan.",
                of_plan(&status)
            ),
        ),
        Denial::PublicMonth(status) => month_error(
            status,
            format!(
                "The public keys of this account together have used the {} calls that they may make in a month. The account's other keys \
                 still work. Wait until `resets_at`, or choose a larger plan.",
                status.limits.public_month.unwrap_or_default()
            ),
        ),
    }
}

/// Whether the minute is used up too, and ends after the month.
fn minute_ends_last(status: &RateLimitStatus) -> bool {
    let month = status.seconds_until(status.month_resets_at());
    status.minute_left() == Some(0) && status.minute_wait() > month
}

fn month_error(status: RateLimitStatus, message: String) -> ApiResponse {
    let resets_at = status.month_resets_at();
    let fault = Fault::new(Code::QuotaExceeded, message);
    let fault = fault.with_retry_after(status.seconds_until(resets_at));
    let error = ApiError {
        resets_at: Some(resets_at),
        ..fault.into()
    };
    ApiResponse::from(error).with_rate_limit(status)
}
