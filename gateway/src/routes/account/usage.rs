//! The usage of the account (§10.18).

use axum::extract::RawQuery;
use contracts::public::{AccountMonth, AccountUsage, RouteUsage, Timestamp};

use super::TokenCaller;
use crate::domain::account::Identifier;
use crate::envelope::ApiResponse;
use crate::errors::ApiError;
use crate::extract::query::Params;
use crate::openapi::operation::{Operation, Success, Tag};
use crate::openapi::parameters as p;
use crate::service::operations::Operations;

/// The operations of this file (§10.16).
#[rustfmt::skip]
pub(in crate::routes) fn operations() -> [Operation; 1] {
    [
        Operation::get("/account/usage", "getUsage", Tag::AccountApi, "Gets the usage of the account.", Success::Object("AccountUsage"), &[p::DAYS])
            .about("Only calls of live keys count in the month."),
    ]
}

pub async fn get(caller: TokenCaller, RawQuery(query): RawQuery) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref());
    let days = query.number("days");
    let days = Operations::days(days, &mut query.bad);
    query.finish()?;
    let (app, own) = (&caller.app, caller.account);
    let identifier = Identifier::Id(own);
    let (account, plan_use, counts) = futures::try_join!(
        app.operations.account(&identifier),
        app.operations.plan_use(own),
        app.operations.call_counts(own, days),
    )?;
    let plan = app.plans.get_or_cheapest(&account.plan);
    let rows = counts.rows.into_iter().map(|row| RouteUsage {
        day: row.day.to_string(),
        mode: row.mode,
        method: row.method,
        route: row.route,
        calls: row.counts.calls,
        client_errors: row.counts.client_errors,
        rate_limited: row.counts.rate_limited,
        server_errors: row.counts.server_errors,
    });
    ApiResponse::json(&AccountUsage {
        plan: plan.name.clone(),
        working_keys: plan_use.working_keys,
        month: AccountMonth {
            starts_at: Some(Timestamp(plan_use.month.start())),
            resets_at: Some(Timestamp(plan_use.month.end())),
            used: plan_use.calls,
            limit: plan.calls_per_month,
        },
        first_day: counts.first_day.to_string(),
        last_day: counts.last_day.to_string(),
        rows: rows.collect(),
    })
}
