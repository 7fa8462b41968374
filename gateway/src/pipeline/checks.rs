//! The checks between a request and its handler, in the order of §7.1. Every call that passes the quota check counts, whatever its response.

use std::sync::Arc;

use http::header::ORIGIN;
use http::request::Parts;
use http::{HeaderMap, Method};
use kit::feed::Position;
use kit::network::Network;
use kit::{Code, Fault};
use time::OffsetDateTime;

use super::route::Route;
use crate::app::Gateway;
use crate::client_ip;
use crate::context::Context;
use crate::domain::access::{self, invalid_key};
use crate::domain::key::Caller;
use crate::domain::plan::Plan;
use crate::domain::quota::RateLimitStatus;
use crate::errors::ApiError;
use crate::overload::admission::Admission;
use crate::overload::refused_calls::RefusedCalls;
use crate::quota::Denial;

/// The checks of one request.
pub(super) struct Checks<'a> {
    pub(super) app: &'a Gateway,
    pub(super) admission: &'a Admission,
    pub(super) route: &'a Route,
    pub(super) head: &'a Parts,
    pub(super) now: OffsetDateTime,
}

/// An allowed call.
pub(super) struct Allowed {
    pub(super) caller: Arc<Caller>,
    /// After the call was counted.
    pub(super) rate_limit: RateLimitStatus,
    /// The position that a read of catalogue-svc must have reached; `None` if it is not known, and
    /// for other calls.
    pub(super) at_least: Option<Position>,
}

impl Checks<'_> {
    /// Checks 1 to 9.
    pub(super) async fn run(&self, context: &mut Context) -> Result<Allowed, ApiError> {
        let Self { app, now, .. } = *self;
        // 1 to 8. A refused call uses no quota, so it counts against its network.
        let caller = match self.allowed_caller(context).await {
            Ok(caller) => caller,
            Err(refusal) => {
                let counted = app.refused_calls.count(refusal, self.network(), now);
                // No other limit comes before the quota.
                context.exceeds_refused_calls = counted.code == Code::RateLimited;
                return Err(counted.into());
            }
        };
        app.last_used.record(caller.key.id, now);

        // 9: rate_limited, quota_exceeded. A read of catalogue-svc must show every earlier write, so the newest position of the listings is
        // read from Redis at the same time.
        let plan = app.plans.get_or_cheapest(&caller.plan);
        let consume = app.quota.consume(&caller, plan);
        let method = self.route.method(&context.method);
        let (consumed, at_least) = if method.is_some_and(|method| method.reads_catalogue) {
            futures::join!(consume, app.newest_position.read())
        } else {
            (consume.await, None)
        };
        let rate_limit = consumed.map_err(|denial| quota_error(denial, plan, context))?;
        context.rate_limit = Some(rate_limit);
        Ok(Allowed { caller, rate_limit, at_least })
    }

    /// The checks before the quota.
    async fn allowed_caller(&self, context: &mut Context) -> Result<Arc<Caller>, Fault> {
        let Self { app, now, .. } = *self;
        let headers = &self.head.headers;
        // 1: a preflight.
        preflight(&context.method, headers)?;
        // 2 and 3: missing_key, invalid_key.
        let caller = self.caller(context).await?;
        // 4 to 8: secret_key_required, server_only, switches, plan_required, write_not_allowed.
        let from_browser = headers.contains_key(ORIGIN);
        let required = self.route.requirements(&context.method, from_browser);
        let checked = access::check(required, &caller, &app.plans, app.switches.current());
        let Err(refusal) = checked else {
            return Ok(caller);
        };
        if RefusedCalls::counts(&refusal) {
            app.refused_calls.check(self.network(), now)?;
        }
        // A rejected request is not counted, so the script of the quota does not look for a tombstone. Look here: a revoked key is
        // invalid_key in any case.
        let revoked = app.quota.is_revoked(&caller).await;
        Err(if revoked { invalid_key() } else { refusal })
    }

    /// The network of the client.
    pub(super) fn network(&self) -> Network {
        client_ip::network(self.app, self.head)
    }
}

/// Rejects a CORS preflight. No page may use the API, and a preflight cannot carry a key (§5.6).
fn preflight(method: &Method, headers: &HeaderMap) -> Result<(), Fault> {
    if *method == Method::OPTIONS && headers.contains_key(ORIGIN) {
        return Err(access::server_only_error());
    }
    Ok(())
}

fn quota_error(denial: Denial, plan: &Plan, context: &mut Context) -> ApiError {
    let (status, is_of_month) = match denial {
        Denial::Revoked => return invalid_key().into(),
        Denial::Minute(status) => (status, false),
        // In the last seconds of a month, its minute may end later.
        Denial::Month(status) | Denial::PublicMonth(status) => (status, !minute_ends_last(&status)),
    };
    context.rate_limit = Some(status);
    // Anybody may know a public key.
    let plan = if status.limits.is_public {
        "its plan".to_owned()
    } else {
        format!("the plan {}", plan.title)
    };
    if !is_of_month {
        let allowed = status.limits.minute.unwrap_or_default();
        let message = format!(
            "This key has made the {allowed} calls per minute that {plan} allows. Try again after the seconds in Retry-After."
        );
        let fault = Fault::new(Code::RateLimited, message);
        return fault.with_retry_after(status.minute_wait()).into();
    }
    let message = if matches!(denial, Denial::PublicMonth(_)) {
        format!(
            "The public keys of this account together have used the {} calls that they may make in a month. The account's other keys \
             still work. Wait until `resets_at`, or choose a larger plan.",
            status.limits.public_month.unwrap_or_default()
        )
    } else {
        format!(
            "The account has made the calls per month that {plan} allows. Wait until `resets_at`, or choose a larger plan."
        )
    };
    let resets_at = status.month_resets_at();
    let fault =
        Fault::new(Code::QuotaExceeded, message).with_retry_after(status.seconds_until(resets_at));
    ApiError { resets_at: Some(resets_at), ..fault.into() }
}

/// Whether the minute is used up too, and ends after the month.
fn minute_ends_last(status: &RateLimitStatus) -> bool {
    let month = status.seconds_until(status.month_resets_at());
    status.minute_left() == Some(0) && status.minute_wait() > month
}
