//! Months with very many calls of accounts without a monthly limit are announced.

use contracts::gateway::v1::LargeMonth;
use gateway::domain::quota::Month;
use gateway::store::month_use;
use gateway::write::{AuthoredCommand, Command};
use prost::Message as _;
use sqlx::PgPool;
use time::Duration;

use crate::support::{START, Test};

const LIMIT: u64 = 1_000;

/// What was announced: the month, and the calls.
async fn announced(test: &Test) -> Vec<(String, u64)> {
    let command = AuthoredCommand::by_gateway(Command::AnnounceLargeMonths(LIMIT));
    test.staff.operations.writer.write(command).await.unwrap();
    let rows = sqlx::query_scalar!(
        "select state from gateway.feed where entity = 'large_month' and announced order by seq"
    );
    let rows = rows.fetch_all(&test.pool).await.unwrap().into_iter();
    rows.map(|state| LargeMonth::decode(state.as_slice()).unwrap())
        .map(|large| (large.month, large.calls))
        .collect()
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_large_month_of_an_account_without_a_limit_is_announced_once(pool: PgPool) {
    let test = Test::new(pool).await;
    let (partner, free) = (test.account("partner").await, test.account("free").await);
    let made = async |account: &str, month: Month, calls: u64| {
        let month = gateway::domain::quota::AccountMonth {
            account: account.parse().unwrap(),
            month,
        };
        let mut connection = test.pool.acquire().await.unwrap();
        month_use::write(&mut connection, [(month, calls)])
            .await
            .unwrap();
    };
    let march = Month::of(START);
    made(&free, march, 2 * LIMIT).await;
    made(&partner, march, LIMIT - 1).await;
    assert_eq!(announced(&test).await, []);
    made(&partner, march, LIMIT + 1).await;
    let mut expected = vec![("2026-03".to_owned(), LIMIT + 1)];
    assert_eq!(announced(&test).await, expected);
    made(&partner, march, LIMIT + 2).await;
    assert_eq!(announced(&test).await, expected);

    // After 30 days, the feed deletes what it has announced.
    test.clock.advance(Duration::days(15));
    let april = Month::of(test.clock.now());
    made(&partner, april, LIMIT).await;
    expected.push(("2026-04".to_owned(), LIMIT));
    assert_eq!(announced(&test).await, expected);
}
