//! Reports whose supply does not follow from the report before.

use contracts::common::v1::PageRequest;
use contracts::economy::v1 as proto;
use sqlx::PgPool;
use time::Duration;

use crate::support::{Economy, report, start};

async fn list(economy: &Economy, limit: u32, cursor: &str) -> proto::ListSupplyDifferencesResponse {
    let page = PageRequest {
        limit,
        cursor: cursor.to_owned(),
    };
    let request = proto::ListSupplyDifferencesRequest { page: Some(page) };
    let answer = economy.staff.clone().list_supply_differences(request).await;
    answer.unwrap().into_inner()
}

/// Each report mints 5,000 and burns 1,000.
#[testing::database_test(economy::MIGRATOR)]
async fn staff_see_the_reports_whose_supply_differs_by_more_than_one_percent(pool: PgPool) {
    let economy = start(pool).await;
    economy.listed("bao", 10).await;
    let mut numbers = Vec::new();
    for supply in [1_014_000, 1_020_000, 1_100_000, 1_000_000] {
        economy.clock.advance(Duration::HOUR);
        let mut body = report(10);
        body["supply"] = supply.into();
        let answer = economy.report("bao", &body).await.unwrap();
        assert!(answer.counted);
        numbers.push(answer.report.unwrap());
    }
    // The first was expected to be 1,004,000, and the second 1,018,000: both are within 1 %.
    let first = list(&economy, 1, "").await;
    assert_eq!((first.reports.len(), first.total), (1, 2));
    let newest = &first.reports[0];
    assert_eq!((newest.id, newest.supply), (numbers[3], 1_000_000));
    assert_eq!(newest.supply_expected, Some(1_104_000));
    let second = list(&economy, 1, &first.next_cursor).await;
    assert_eq!(second.reports[0].id, numbers[2]);
    assert_eq!(second.reports[0].supply_expected, Some(1_024_000));
    assert!(second.next_cursor.is_empty());
}
