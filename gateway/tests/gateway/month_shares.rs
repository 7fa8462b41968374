//! The list of accounts that have used a share of their monthly calls.

use contracts::gateway::v1 as proto;
use contracts::gateway::v1::accounts_service_server::AccountsService as _;
use gateway::domain::month::{AccountMonth, Month};
use gateway::store::month_use;
use kit::{Code, Fault};
use sqlx::PgPool;
use time::Duration;
use tonic::{Request, Status};

use crate::support::{START, Test};

/// An account without a monthly limit is listed from this many calls on.
const LARGE: u64 = 200_000_000;

type Listed = Result<proto::AccountsServiceListMonthUseResponse, Status>;

async fn list(test: &Test, percent: u32, limit: u32, cursor: &str) -> Listed {
    let request = proto::AccountsServiceListMonthUseRequest {
        percent,
        limit,
        cursor: cursor.to_owned(),
        unlimited_calls: LARGE,
    };
    let listed = test.accounts.list_month_use(Request::new(request)).await?;
    Ok(listed.into_inner())
}

async fn ids(test: &Test, percent: u32) -> Vec<String> {
    let listed = list(test, percent, 0, "").await.unwrap();
    let rows = listed.accounts.into_iter();
    rows.map(|row| row.account_id).collect()
}

async fn make(test: &Test, account: &str, month: Month, calls: u64) {
    let month = AccountMonth { account: account.parse().unwrap(), month };
    let mut connection = test.pool.acquire().await.unwrap();
    month_use::write(&mut connection, [(month, calls)]).await.unwrap();
}

#[testing::database_test(gateway::MIGRATOR)]
async fn accounts_are_listed_from_a_share_of_their_limit(pool: PgPool) {
    let test = Test::new(pool).await;
    let march = Month::at(START);
    let (free, build, partner) =
        (test.account("free").await, test.account("build").await, test.account("partner").await);
    make(&test, &free, march, 39_999).await;
    make(&test, &build, march, 40_000).await;
    make(&test, &partner, march, 100_000_000).await;
    assert_eq!(ids(&test, 80).await, Vec::<String>::new());
    make(&test, &free, march, 40_000).await;
    assert_eq!(ids(&test, 80).await, [free.as_str()]);
    assert_eq!(ids(&test, 100).await, Vec::<String>::new());
    make(&test, &build, march, 1_000_000).await;
    assert_eq!(ids(&test, 100).await, [build.as_str()]);

    let [row, _] = list(&test, 80, 0, "").await.unwrap().accounts.try_into().unwrap();
    let month = row.month.unwrap();
    assert_eq!((month.used, month.limit), (40_000, Some(50_000)));
    assert_eq!(row.plan, "Free");
    assert!(!row.name.is_empty());
    let bounds = [march.start(), march.end()].map(kit::api::timestamp::encode);
    assert_eq!([month.starts_at.unwrap(), month.resets_at.unwrap()], bounds);

    make(&test, &partner, march, LARGE).await;
    assert!(ids(&test, 100).await.contains(&partner));
    let limited = proto::AccountsServiceListMonthUseRequest {
        percent: 100,
        ..proto::AccountsServiceListMonthUseRequest::default()
    };
    let limited = test.accounts.list_month_use(Request::new(limited)).await;
    assert_eq!(limited.unwrap().into_inner().accounts.len(), 1);

    // A new month starts at zero.
    test.clock.advance(Duration::days(31));
    assert_eq!(ids(&test, 1).await, Vec::<String>::new());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_list_is_paginated(pool: PgPool) {
    let test = Test::new(pool).await;
    let mut accounts = Vec::new();
    for _ in 0..3 {
        let account = test.account("free").await;
        make(&test, &account, Month::at(START), 45_000).await;
        accounts.push(account);
    }
    accounts.sort();
    let first = list(&test, 80, 2, "").await.unwrap();
    let cursor = first.next_cursor.unwrap();
    let second = list(&test, 80, 2, &cursor).await.unwrap();
    assert_eq!(second.next_cursor, None);
    let rows = first.accounts.into_iter().chain(second.accounts);
    let found: Vec<String> = rows.map(|row| row.account_id).collect();
    assert_eq!(found, accounts);

    let fault = Fault::from(list(&test, 101, 501, &cursor).await.unwrap_err());
    assert_eq!(fault.code, Code::Invalid);
    let fields: Vec<&str> = fault.fields.keys().map(String::as_str).collect();
    assert_eq!(fields, ["cursor", "limit", "percent"]);
}
