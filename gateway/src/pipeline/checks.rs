//! The checks between a request and its handler, in the order of §7.1. A call that has passed the quota is used, whatever its answer.

use std::sync::Arc;

use http::header::ORIGIN;
use http::{HeaderMap, Method};
use kit::feed::Position;
use kit::{Code, Fault};
use time::OffsetDateTime;

use super::identity::{self, invalid_key};
use super::route::Route;
use crate::app::Gateway;
use crate::client_ip;
use crate::context::Context;
use crate::domain::access;
use crate::domain::key::Caller;
use crate::domain::plan::Plan;
use crate::domain::quota::RateLimitStatus;
use crate::errors::ApiError;
use crate::overload::admission::Admitted;
use crate::overload::refused_calls::RefusedCalls;
use crate::quota::Denial;

/// What the checks have found.
pub(super) struct Checked {
    pub(super) caller: Arc<Caller>,
    pub(super) rate_limit: RateLimitStatus,
    /// The position that a read of catalogue-svc must have reached; `None` if it is not known, and for other calls.
    pub(super) at_least: Option<Position>,
}

/// Checks 1 to 9.
pub(super) async fn check(
    app: &Gateway,
    route: &Route,
    request: &mut Admitted<'_>,
    context: &mut Context,
    now: OffsetDateTime,
) -> Result<Checked, ApiError> {
    // 1 to 8. A refused call uses no quota, so it counts against its address.
    let caller = match allowed_caller(app, route, request, context, now).await {
        Ok(caller) => caller,
        Err(refusal) => {
            let from = client_ip::network(app, &request.head);
            return Err(app.refused_calls.count(refusal, from, now).into());
        }
    };
    app.last_used.record(caller.key.id, now);

    // 9: rate_limited, quota_exceeded. A read of catalogue-svc must show every earlier write, so the same round trip to Redis
    // reads the newest position of the listings.
    let plan = app.plans.get_or_cheapest(&caller.plan);
    let consume = app.quota.consume(&caller, plan, now);
    let method = route.method(&request.head.method);
    let (consumed, at_least) = if method.is_some_and(|method| method.reads_catalogue) {
        futures::join!(consume, app.newest_position.read())
    } else {
        (consume.await, None)
    };
    let rate_limit = consumed.map_err(|denial| quota_error(denial, plan, context))?;
    context.rate_limit = Some(rate_limit);
    Ok(Checked {
        caller,
        rate_limit,
        at_least,
    })
}

/// The checks before the quota.
async fn allowed_caller(
    app: &Gateway,
    route: &Route,
    request: &mut Admitted<'_>,
    context: &mut Context,
    now: OffsetDateTime,
) -> Result<Arc<Caller>, Fault> {
    // 1: a preflight.
    preflight(&request.head.method, &request.head.headers)?;
    // 2 and 3: missing_key, invalid_key.
    let caller = identity::caller(app, context, request, now).await?;
    // 4 to 8: secret_key_required, server_only, switches, plan_required, write_not_allowed.
    let from_browser = request.head.headers.contains_key(ORIGIN);
    let required = route.requirements(&request.head.method, from_browser);
    let checked = access::check(required, &caller, &app.plans, app.switches.current());
    let Err(refusal) = checked else {
        return Ok(caller);
    };
    if RefusedCalls::counts(&refusal) {
        let from = client_ip::network(app, &request.head);
        app.refused_calls.check(from, now)?;
    }
    // A rejected request is not counted, so the script of the quota does not look for a tombstone. Look here: a revoked key is
    // invalid_key in any case.
    let revoked = app.quota.is_revoked(&caller).await;
    Err(if revoked { invalid_key() } else { refusal })
}

/// Rejects a CORS preflight. No page may use the API, and a preflight cannot carry a key (§5.6).
fn preflight(method: &Method, headers: &HeaderMap) -> Result<(), Fault> {
    if *method == Method::OPTIONS && headers.contains_key(ORIGIN) {
        return Err(access::server_only_error());
    }
    Ok(())
}

fn quota_error(denial: Denial, plan: &Plan, context: &mut Context) -> ApiError {
    // In the last seconds of a month, its minute may end later.
    let denial = match denial {
        Denial::Month(status) | Denial::PublicMonth(status) if minute_ends_last(&status) => {
            Denial::Minute(status)
        }
        denial => denial,
    };
    let (Denial::Minute(status) | Denial::Month(status) | Denial::PublicMonth(status)) = denial
    else {
        return invalid_key().into();
    };
    context.rate_limit = Some(status);
    // Anybody may know a public key.
    let of_plan = if status.limits.is_public {
        String::new()
    } else {
        format!(" (plan {})", plan.title)
    };
    let message = match denial {
        Denial::Revoked | Denial::Minute(_) => {
            let message = format!(
                "This key has used all calls of its minute{of_plan}. Try again after the seconds in Retry-After."
            );
            let fault = Fault::new(Code::RateLimited, message);
            return fault.with_retry_after(status.minute_wait()).into();
        }
        Denial::Month(_) => format!(
            "The account has used all calls of its month{of_plan}. Wait until `resets_at`, or choose a larger plan."
        ),
        Denial::PublicMonth(_) => format!(
            "The public keys of this account together have used the {} calls that they may make in a month. The account's other keys \
             still work. Wait until `resets_at`, or choose a larger plan.",
            status.limits.public_month.unwrap_or_default()
        ),
    };
    let resets_at = status.month_resets_at();
    let fault = Fault::new(Code::QuotaExceeded, message);
    let fault = fault.with_retry_after(status.seconds_until(resets_at));
    ApiError {
        resets_at: Some(resets_at),
        ..fault.into()
    }
}

/// Whether the minute is used up too, and ends after the month.
fn minute_ends_last(status: &RateLimitStatus) -> bool {
    let month = status.seconds_until(status.month_resets_at());
    status.minute_left() == Some(0) && status.minute_wait() > month
}
