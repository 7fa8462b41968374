//! The RPC for the accounts that have used a share of their month, or have made many calls without a limit.

use contracts::gateway::v1 as proto;
use kit::Fault;
use kit::api::bad_fields::BadFields;
use kit::api::cursor::Binding;
use kit::api::page::{Limits, Page};
use kit::api::timestamp;
use uuid::Uuid;

use super::Accounts;
use crate::domain::plan::Plans;
use crate::domain::quota::Month;
use crate::store::month_use::{self, UsedShare};

pub(super) async fn list(
    accounts: &Accounts,
    request: proto::AccountsServiceListMonthUseRequest,
) -> Result<proto::AccountsServiceListMonthUseResponse, Fault> {
    let operations = &accounts.operations;
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
    let limits = operations.plans.iter().filter_map(|plan| {
        let unlimited = Some(calls).filter(|calls| *calls > 0);
        let least = plan.month_share(request.percent).or(unlimited)?;
        Some((plan.name.clone(), least))
    });
    let limits: Vec<(String, u64)> = limits.collect();
    let month = Month::of(operations.clock.now());
    let (pool, rows) = (&operations.pool, page.rows_to_fetch());
    let mut found = month_use::at_least(pool, month, &limits, page.after, rows).await?;
    let next_cursor = page.cut(&mut found, |row| row.account_id)?;
    let rows = found.into_iter();
    Ok(proto::AccountsServiceListMonthUseResponse {
        accounts: rows
            .map(|found| row(found, month, &operations.plans))
            .collect(),
        next_cursor,
    })
}

fn row(found: UsedShare, month: Month, plans: &Plans) -> proto::AccountMonthUse {
    let plan = plans.get_or_cheapest(&found.plan);
    proto::AccountMonthUse {
        account_id: found.account_id.to_string(),
        name: found.name,
        plan: plan.title.clone(),
        month: Some(proto::MonthUse {
            starts_at: Some(timestamp::encode(month.start())),
            resets_at: Some(timestamp::encode(month.end())),
            used: found.used.unsigned_abs(),
            limit: plan.calls_per_month,
        }),
    }
}
