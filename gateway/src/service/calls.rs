//! RPCs for the calls of an account: counts by day, and the log.

use contracts::gateway::v1 as proto;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use kit::api::page::{Limits, Page};
use kit::{Code, Fault};
use time::{Date, Duration, UtcOffset};

use super::{Services, id};
use crate::call_log::sort_key;

/// The days of a list, the current one included.
const DAYS: i64 = 31;

pub(super) async fn list_use(
    services: &Services,
    request: proto::AccountsServiceListUseRequest,
) -> Result<proto::AccountsServiceListUseResponse, Fault> {
    let account = id("account_id", &request.account_id)?;
    let today = services.clock.now().to_offset(UtcOffset::UTC).date();
    let days = (0..DAYS).rev();
    let days: Vec<Date> =
        days.filter_map(|before| today.checked_sub(Duration::days(before))).collect();
    let counted =
        services.counters.on_days(account, &days).await.map_err(|_unavailable| unavailable())?;
    let days =
        days.iter().zip(counted).map(|(day, calls)| proto::DayUse { day: day.to_string(), calls });
    Ok(proto::AccountsServiceListUseResponse { days: days.collect() })
}

pub(super) async fn list_calls(
    services: &Services,
    request: proto::AccountsServiceListCallsRequest,
) -> Result<proto::AccountsServiceListCallsResponse, Fault> {
    let mut bad = BadFields::default();
    let account = bad.id("account_id", &request.account_id);
    if !request.key_id.is_empty() {
        bad.id("key_id", &request.key_id);
    }
    let errors = request.only_errors.then_some("errors");
    let filters = [Some(&*request.account_id), Some(&*request.key_id), errors];
    let binding = Binding::new("calls", filters);
    let page: Page<(i64, String)> =
        bad.read_page(Limits::LONG, binding, request.limit, &request.cursor);
    bad.check()?;

    let log = &services.call_log;
    let calls =
        log.read(account, services.clock.now()).await.map_err(|_unavailable| unavailable())?;
    let left_out = calls.iter().map(|call| call.left_out).sum();
    let is_after = |call: &proto::Call| {
        let after = page.after.as_ref();
        after.is_none_or(|(at, id)| sort_key(call) < (*at, id.as_str()))
    };
    let mut calls: Vec<proto::Call> = calls
        .into_iter()
        .filter(|call| request.key_id.is_empty() || call.key_id == request.key_id)
        .filter(|call| !request.only_errors || call.status >= 400)
        .filter(is_after)
        .take(page.limit + 1)
        .collect();
    let next_cursor = page.cut(&mut calls, |last| {
        let (at, id) = sort_key(last);
        (at, id.to_owned())
    })?;
    Ok(proto::AccountsServiceListCallsResponse { next_cursor, calls, most: log.most(), left_out })
}

fn unavailable() -> Fault {
    let message = "The calls of the account cannot be read at the moment. Try again in a moment; calls themselves are not affected.";
    Fault::new(Code::Unavailable, message).with_retry_after(1)
}
