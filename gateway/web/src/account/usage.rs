//! What an account uses of its plan: the share of the month, and its calls by day.

use contracts::gateway::v1 as proto;
use pages::bars::Columns;
use pages::usage::{AccountUsePage, CountRow, MonthLimit, MonthShare};

use crate::account::member_request::MemberRequest;
use crate::english::{say_of, say_of_two, texts};
use crate::page_error::{PageError, PageResult};
use crate::render::ok;
use crate::request::Section;
use crate::upstream::{minute_of, time_of};

pub async fn show(request: MemberRequest) -> PageResult {
    let (gateway, scope) = (&request.app.gateway, &request.scope);
    let (found, days) = futures::join!(gateway.account(scope.id), gateway.days(scope.id));
    let (found, days) = (found?, days?.days);
    let account = found.account.ok_or_else(PageError::not_found)?;
    let frame = scope.frame(&request.viewer, &account.name, Section::Usage);
    let counts: Vec<u64> = days.iter().map(|day| day.calls).collect();
    let end = |day: Option<&proto::DayUse>| day.map(|day| texts().day(&day.day));
    let first_day = end(days.first()).unwrap_or_default();
    let last_day = end(days.last()).unwrap_or_default();
    let title = say_of_two("usage-chart", &first_day, &last_day);
    Ok(ok(&AccountUsePage {
        frame,
        account: scope.id.to_string(),
        plan: found.plan.map_or(account.plan, |plan| plan.title),
        month: month(&found.month.unwrap_or_default()),
        columns: Columns::new(title, &counts, first_day.clone(), last_day.clone()),
        days: day_rows(&days),
        first_day,
        last_day,
    }))
}

/// The calls of a month in words.
pub(super) fn month(month: &proto::MonthUse) -> MonthShare {
    let limit = |limit| month_limit(month.used, limit);
    let name = time_of(month.starts_at).map(|at| texts().month_of(at.date()));
    MonthShare {
        name: name.unwrap_or_default(),
        used: texts().number(month.used),
        limit: month.limit.map(limit),
        resets: minute_of(texts(), month.resets_at),
    }
}

fn month_limit(used: u64, limit: u64) -> MonthLimit {
    let permille = u128::from(used) * 1_000 / u128::from(limit.max(1));
    let permille = u64::try_from(permille).unwrap_or(u64::MAX);
    let percent = texts().decimal(&format!("{}.{}", permille / 10, permille % 10));
    MonthLimit {
        calls: texts().number(limit),
        left: texts().number(limit.saturating_sub(used)),
        share: say_of("usage-percent", &percent),
        permille: permille.min(1_000),
    }
}

/// The days with calls, newest first.
fn day_rows(days: &[proto::DayUse]) -> Vec<CountRow> {
    let newest_first = days.iter().rev();
    let called = newest_first.filter(|day| day.calls > 0);
    called
        .map(|day| CountRow { day: texts().day(&day.day), calls: texts().number(day.calls) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_the_month_has_one_decimal_place() {
        for (used, limit, share, left) in [
            (0, 50_000, "0.0 %", "50,000"),
            (1_204, 50_000, "2.4 %", "48,796"),
            (49_999, 50_000, "99.9 %", "1"),
            (50_010, 50_000, "100.0 %", "0"),
            (5, 0, "500.0 %", "0"),
        ] {
            let limit = month_limit(used, limit);
            assert_eq!((limit.share.as_str(), limit.left.as_str()), (share, left));
            assert!(limit.permille <= 1_000);
        }
    }
}
