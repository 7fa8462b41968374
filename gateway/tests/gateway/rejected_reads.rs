//! A rejected request costs catalogue-svc nothing: the gateway calls it after all checks.

use futures::future::join_all;
use sqlx::PgPool;

use crate::support::{NO_REDIS, READS, Test, TestConfig, TestKey, plans};

/// Makes 1,000 reads of all kinds, which must get this error. Returns how many calls reached catalogue-svc.
async fn rejected(test: &Test, key: &TestKey, error: (u16, &str)) -> u32 {
    let before = test.catalogue.calls();
    let paths: Vec<&str> = READS.iter().copied().cycle().take(1_000).collect();
    for paths in paths.chunks(100) {
        let responses = join_all(paths.iter().map(|path| test.get(key, path))).await;
        for response in responses {
            assert_eq!(response.error(), error);
        }
    }
    test.catalogue.calls() - before
}

#[testing::database_test(gateway::MIGRATOR)]
async fn reads_beyond_the_minute_do_not_reach_the_catalogue(pool: PgPool) {
    let with = TestConfig {
        plans: plans("calls_per_minute = 1"),
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let account = test.account("free").await;
    for mode in ["live", "test"] {
        let key = test.key(&account, mode).await;
        assert!(test.get(&key, "/search?q=ten+letters").await.is_ok());
        assert_eq!(rejected(&test, &key, (429, "rate_limited")).await, 0);
    }
    assert_eq!(test.catalogue.calls(), 2);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn without_redis_reads_beyond_the_minute_reach_no_service(pool: PgPool) {
    let with = TestConfig {
        redis: NO_REDIS.to_owned(),
        plans: plans("calls_per_minute = 1"),
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let key = test.live_key().await;
    assert!(test.get(&key, "/games").await.is_ok());
    assert_eq!(rejected(&test, &key, (429, "rate_limited")).await, 0);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn reads_beyond_the_month_do_not_reach_the_catalogue(pool: PgPool) {
    let with = TestConfig {
        plans: plans("calls_per_month = 1"),
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let key = test.live_key().await;
    assert!(test.get(&key, "/games").await.is_ok());
    assert_eq!(rejected(&test, &key, (429, "quota_exceeded")).await, 0);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn reads_with_a_revoked_key_do_not_reach_the_catalogue(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    assert!(test.get(&key, "/games").await.is_ok());
    test.revoke(&key).await;
    // The key is still in the gateway's cache: the tombstone in Redis rejects it.
    assert_eq!(rejected(&test, &key, (401, "invalid_key")).await, 0);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn reads_while_the_api_is_off_do_not_reach_the_catalogue(pool: PgPool) {
    let mut test = Test::new(pool).await;
    let key = test.live_key().await;
    crate::switches::set(&test, "api", false, "").await.unwrap();
    test.catch_up().await;
    assert_eq!(rejected(&test, &key, (503, "api_unavailable")).await, 0);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn reads_that_the_plan_lacks_do_not_reach_the_catalogue(pool: PgPool) {
    let lacks = [
        "games",
        "events",
        "creators",
        "genres",
        "countries",
        "cities",
        "search",
        "rankings",
    ];
    let with = TestConfig {
        plans: plans(&format!("lacks = {lacks:?}")),
        ..TestConfig::default()
    };
    let mut test = Test::with(pool, with).await;
    let key = test.live_key().await;
    // Few requests with a key that is not known yet may wait at once.
    test.catch_up().await;
    assert_eq!(rejected(&test, &key, (403, "plan_required")).await, 0);
}
