//! Replicas whose clocks differ.

use contracts::economy::v1 as proto;
use contracts::public::Number;
use kit::clock::Clock;
use sqlx::PgPool;
use time::Duration;

use crate::support::{START, start, start_at};

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
        ahead.swap(&id, &party, ("bao", 1), ("kora", 7)).await;
    }
    ahead.name("bao", "Cowrie").await;
    let rate = behind.rate("bao", "kora").await;
    assert_eq!((&*rate.source, rate.rate), ("market", Number(7.0)));
    assert_eq!(rate.currency_from, "Cowrie");
    assert_eq!(behind.rates_of(all()).await, ahead.rates_of(all()).await);

    // The last write wins, even with the earlier timestamp.
    behind.name("bao", "Shell").await;
    for replica in [&ahead, &behind] {
        assert_eq!(replica.rate("bao", "kora").await.currency_from, "Shell");
    }
}
