//! Replicas whose clocks differ.

use contracts::common::v1::Mode;
use contracts::economy::v1 as proto;
use contracts::public::HistoryRow;
use kit::clock::Clock;
use kit::timestamp;
use sqlx::PgPool;
use time::Duration;

use crate::support::{ACCOUNT, START, report, start, start_at};

#[testing::database_test(economy::MIGRATOR)]
async fn a_replica_whose_clock_is_behind_misses_nothing(pool: PgPool) {
    let ahead = start(pool.clone()).await;
    let behind = start_at(pool, Clock::fixed(START - Duration::milliseconds(5))).await;
    ahead.listed("bao", 10).await;
    ahead.listed("kora", 20).await;
    let all = proto::ListRatesRequest::default;
    let (version, rates) = behind.rates_of(all()).await;
    assert_eq!(rates.len(), 2);
    assert_eq!((version, rates), ahead.rates_of(all()).await);

    for n in 1..4 {
        let (id, party) = (format!("s-{n}"), format!("party-{n}"));
        let swap = ahead.swap(&id, &party, ("bao", 1), ("kora", 7)).await;
        swap.unwrap();
    }
    ahead.name("bao", "Cowrie").await;
    let rate = behind.rate("bao", "kora").await;
    assert_eq!((&*rate.source, rate.rate.as_str()), ("market", "7"));
    assert_eq!(rate.currency_from, "Cowrie");
    assert_eq!(behind.rates_of(all()).await, ahead.rates_of(all()).await);

    // The last name is the newest, whichever clock gave it its time.
    behind.name("bao", "Shell").await;
    for replica in [&ahead, &behind] {
        assert_eq!(replica.rate("bao", "kora").await.currency_from, "Shell");
    }
}

/// A replica whose clock is ahead names the currency, another one takes the first report a moment later: the report is older than the name.
#[testing::database_test(economy::MIGRATOR)]
async fn a_report_that_is_older_than_the_first_name_of_its_currency_has_that_name(pool: PgPool) {
    let ahead = start(pool.clone()).await;
    let behind = start_at(pool, Clock::fixed(START - Duration::milliseconds(500))).await;
    ahead.currency("bao").await;
    let first = behind.report("bao", &report(10)).await.unwrap();
    assert!(first.counted);
    let at = timestamp::decode(first.at.unwrap()).unwrap();
    assert_eq!(at, START - Duration::milliseconds(500));
    behind.listed("kora", 20).await;
    ahead.owned_by(&[ACCOUNT]).await;

    let history = proto::ListHistoryRequest {
        mode: Mode::Live.into(),
        game: "bao".to_owned(),
        ..proto::ListHistoryRequest::default()
    };
    let history = ahead.history.clone().list_history(history).await.unwrap();
    let rows: Vec<HistoryRow> = serde_json::from_slice(&history.into_inner().json).unwrap();
    assert_eq!(rows[0].currency, "BAO");

    // The time of the report, as it was printed, is a moment at which the currency is listed.
    let past = proto::ListRatesRequest {
        from: "bao".to_owned(),
        at: first.at,
        ..proto::ListRatesRequest::default()
    };
    let (_, rates) = ahead.rates_of(past).await;
    assert_eq!((rates.len(), rates[0].currency_from.as_ref()), (1, "BAO"));

    // A report that is held is compared with the first one, in a list of all games.
    behind.clock.advance(Duration::HOUR);
    assert!(!behind.report("bao", &report(30)).await.unwrap().counted);
    let held = proto::ListHeldReportsRequest::default();
    let held = ahead.staff.clone().list_held_reports(held).await.unwrap();
    let last_counted = held.into_inner().reports.remove(0).last_counted.unwrap();
    assert_eq!(last_counted.currency, "BAO");
    let own = proto::ListOwnReportsRequest {
        account_id: ACCOUNT.to_owned(),
        game: "bao".to_owned(),
        page: None,
    };
    let own = ahead.reports.clone().list_own_reports(own).await.unwrap();
    let own = own.into_inner().reports;
    let name = |own: &proto::OwnReport| own.report.as_ref().unwrap().currency.clone();
    assert_eq!(own.iter().map(name).collect::<Vec<_>>(), ["BAO", "BAO"]);
}
