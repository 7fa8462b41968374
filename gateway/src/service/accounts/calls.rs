//! RPCs for the calls of an account: counts by day and route, and the log.

use contracts::gateway::v1 as proto;
use kit::cursor::Binding;
use kit::{Code, Fault, pg};

use super::Accounts;
use crate::call_log::sort_key;
use crate::domain::call_record::{self, COUNTED_DAYS};
use crate::domain::fields::Problems;
use crate::store::day_use::{self, RouteUse};

/// The days of a list, unless the request says otherwise.
const DEFAULT_DAYS: u16 = 31;

/// Calls per page: by default, and at most.
const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 500;

pub(super) async fn list_use(
    accounts: &Accounts,
    request: &proto::AccountsServiceListUseRequest,
) -> Result<proto::AccountsServiceListUseResponse, Fault> {
    let mut problems = Problems::default();
    let account = problems.id("account_id", &request.account_id);
    let days = match u16::try_from(request.days) {
        Ok(0) => DEFAULT_DAYS,
        Ok(days) if days <= COUNTED_DAYS => days,
        _ => {
            let reason = format!("Give a whole number from 1 to {COUNTED_DAYS}.");
            problems.add("days", reason);
            DEFAULT_DAYS
        }
    };
    problems.finish()?;
    let now = accounts.operations.clock.now();
    let (first, last) = (call_record::first_day(now, days), call_record::day(now));
    let found = day_use::of_account(&accounts.operations.pool, account, first);
    let found = found.await.map_err(|error| pg::fault(&error))?;
    Ok(proto::AccountsServiceListUseResponse {
        rows: found.into_iter().map(row).collect(),
        first_day: first.to_string(),
        last_day: last.to_string(),
    })
}

fn row(found: RouteUse) -> proto::RouteUse {
    proto::RouteUse {
        day: found.day.to_string(),
        mode: found.mode,
        method: found.method,
        route: found.route,
        calls: found.counts.calls,
        client_errors: found.counts.client_errors,
        rate_limited: found.counts.rate_limited,
        server_errors: found.counts.server_errors,
    }
}

pub(super) async fn list_calls(
    accounts: &Accounts,
    request: &proto::AccountsServiceListCallsRequest,
) -> Result<proto::AccountsServiceListCallsResponse, Fault> {
    let mut problems = Problems::default();
    let account = problems.id("account_id", &request.account_id);
    if !request.key_id.is_empty() {
        problems.id("key_id", &request.key_id);
    }
    let limit = match usize::try_from(request.limit) {
        Ok(0) => DEFAULT_LIMIT,
        Ok(limit) if limit <= MAX_LIMIT => limit,
        _ => {
            let reason = format!("Give a whole number from 1 to {MAX_LIMIT}.");
            problems.add("limit", reason);
            DEFAULT_LIMIT
        }
    };
    let errors = request.only_errors.then_some("errors");
    let filters = [Some(&*request.account_id), Some(&*request.key_id), errors];
    let binding = Binding::new("calls", filters);
    let after: Option<(i64, String)> = binding.decode(&request.cursor);
    if after.is_none() && !request.cursor.is_empty() {
        let reason = "This cursor is not from this list. Start without a cursor.";
        problems.add("cursor", reason);
    }
    problems.finish()?;

    let log = &accounts.call_log;
    let calls = log.read(account, accounts.operations.clock.now()).await;
    let calls = calls.map_err(|_unavailable| unavailable())?;
    let left_out = calls.iter().map(|call| call.left_out).sum();
    let is_after = |call: &proto::Call| {
        let after = after.as_ref();
        after.is_none_or(|(at, id)| sort_key(call) < (*at, id.as_str()))
    };
    let mut page: Vec<proto::Call> = calls
        .into_iter()
        .filter(|call| request.key_id.is_empty() || call.key_id == request.key_id)
        .filter(|call| !request.only_errors || call.status >= 400)
        .filter(is_after)
        .take(limit + 1)
        .collect();
    let more = page.len() > limit;
    page.truncate(limit);
    let last = page.last().filter(|_| more).map(sort_key);
    let next_cursor = last.map(|key| binding.encode(&key)).transpose();
    Ok(proto::AccountsServiceListCallsResponse {
        next_cursor: next_cursor.map_err(|error| Fault::internal(&error))?,
        calls: page,
        most: log.most(),
        left_out,
    })
}

fn unavailable() -> Fault {
    Fault {
        retry_after: Some(1),
        ..Fault::new(
            Code::Unavailable,
            "The log of calls cannot be read at the moment. Try again in a moment; calls themselves are not affected.",
        )
    }
}
