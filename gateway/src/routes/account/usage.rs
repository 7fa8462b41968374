//! The usage of the account (§10.18).

use axum::extract::{RawQuery, State};
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService as _;
use contracts::public::{AccountMonth, AccountUsage, RouteUsage};
use kit::Fault;
use tonic::Request;

use super::{TokenCaller, time};
use crate::app::App;
use crate::envelope::{self, ApiResponse};
use crate::errors::ApiError;
use crate::extract::query::Params;

pub async fn get(
    State(app): State<App>,
    caller: TokenCaller,
    RawQuery(query): RawQuery,
) -> Result<ApiResponse, ApiError> {
    let mut query = Params::parse(query.as_deref(), &["days"]);
    let days = query.number("days");
    let account = proto::AccountsServiceGetAccountRequest {
        account_id: caller.account.clone(),
        email: String::new(),
    };
    let used = proto::AccountsServiceListUseRequest {
        account_id: caller.account,
        // 0 would stand for the default.
        days: days.map_or(0, |days| if days == 0 { u32::MAX } else { days }),
    };
    query.finish()?;
    let (account, used) = futures::join!(
        app.accounts.get_account(Request::new(account)),
        app.accounts.list_use(Request::new(used)),
    );
    let used = used.map_err(Fault::from)?.into_inner();
    let account = account.map_err(Fault::from)?.into_inner();
    let month = account.month.ok_or_else(envelope::internal)?;
    let rows = used.rows.into_iter().map(|row| RouteUsage {
        day: row.day,
        mode: row.mode,
        method: row.method,
        route: row.route,
        calls: row.calls,
        client_errors: row.client_errors,
        rate_limited: row.rate_limited,
        server_errors: row.server_errors,
    });
    ApiResponse::json(&AccountUsage {
        plan: account.plan.unwrap_or_default().name,
        working_keys: account.working_keys,
        month: AccountMonth {
            starts_at: time(month.starts_at),
            resets_at: time(month.resets_at),
            used: month.used,
            limit: month.limit,
        },
        first_day: used.first_day,
        last_day: used.last_day,
        rows: rows.collect(),
    })
}
