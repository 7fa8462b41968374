//! The month use of accounts, as of the last flush to PostgreSQL.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use kit::api::page::{Limits, Page};
use kit::api::timestamp;
use uuid::Uuid;

use super::Services;
use crate::domain::month::{AccountMonth, Month};
use crate::domain::plan::Plan;
use crate::store::month_use;

/// The current month of an account on `plan`.
pub(super) async fn by_account(
    services: &Services,
    account: Uuid,
    plan: &Plan,
) -> Result<proto::MonthUse, Fault> {
    let month = Month::at(services.clock.now());
    let used = month_use::read(&services.pool, AccountMonth { account, month }).await?;
    Ok(message(month, used.unwrap_or_default(), plan))
}

/// The accounts that have used a share of their month, or have made many calls without a limit.
pub(super) async fn list(
    services: &Services,
    request: proto::AccountsServiceListMonthUseRequest,
) -> Result<proto::AccountsServiceListMonthUseResponse, Fault> {
    let plans = &services.plans;
    let mut bad = BadFields::default();
    if !(1..=100).contains(&request.percent) {
        bad.add("percent", "Give a whole number from 1 to 100.");
    }
    let (percent, calls) = (request.percent.to_string(), request.unlimited_calls);
    let filters = [percent, calls.to_string()];
    let filters = filters.iter().map(|filter| Some(filter.as_str()));
    let binding = Binding::new("month use", filters);
    let page: Page<Uuid> = bad.read_page(Limits::LONG, binding, request.limit, &request.cursor);
    bad.check()?;
    let limits: Vec<(String, u64)> = plans
        .iter()
        .filter_map(|plan| {
            let unlimited = Some(calls).filter(|calls| *calls > 0);
            let least = plan.month_share(request.percent).or(unlimited)?;
            Some((plan.name.clone(), least))
        })
        .collect();
    let month = Month::at(services.clock.now());
    let (pool, rows) = (&services.pool, page.rows_to_fetch());
    let mut found = month_use::at_least(pool, month, &limits, page.after, rows).await?;
    let next_cursor = page.cut(&mut found, |row| row.account_id)?;
    let rows = found.into_iter().map(|row| {
        let plan = plans.get_or_cheapest(&row.plan);
        proto::AccountMonthUse {
            account_id: row.account_id.to_string(),
            name: row.name,
            plan: plan.title.clone(),
            month: Some(message(month, row.used.unsigned_abs(), plan)),
        }
    });
    Ok(proto::AccountsServiceListMonthUseResponse { accounts: rows.collect(), next_cursor })
}

fn message(month: Month, used: u64, plan: &Plan) -> proto::MonthUse {
    proto::MonthUse {
        starts_at: Some(timestamp::encode(month.start())),
        resets_at: Some(timestamp::encode(month.end())),
        used,
        limit: plan.calls_per_month,
    }
}
