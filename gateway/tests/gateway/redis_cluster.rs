//! The counters in a Redis Cluster of three masters.

use futures::future::join_all;
use sqlx::PgPool;
use testing::redis::Servers;

use crate::support::{Test, TestConfig, TestKey, TestResponse, plans};

fn with(servers: &Servers, limits: &str) -> TestConfig {
    TestConfig { plans: plans(limits), redis: servers.url(), ..TestConfig::default() }
}

/// Live keys of as many new accounts, which hash to different nodes.
async fn keys(test: &Test, count: usize) -> Vec<(String, TestKey)> {
    let mut keys = Vec::new();
    for _ in 0..count {
        let account = test.account("free").await;
        let key = test.key(&account, "live").await;
        keys.push((account, key));
    }
    keys
}

/// Keys of accounts that have called once; accounts are added until every node has a counter.
async fn keys_on_every_node(test: &Test, servers: &Servers) -> Vec<(String, TestKey)> {
    let mut all = Vec::new();
    while (0..3).any(|node| servers.command(node, &["dbsize"]).unwrap().trim() == "0") {
        assert!(all.len() < 300, "a node counts nobody");
        let new = keys(test, 3).await;
        assert!(call_all(test, &new).await.iter().all(TestResponse::is_ok));
        all.extend(new);
    }
    all
}

async fn call_all(test: &Test, keys: &[(String, TestKey)]) -> Vec<TestResponse> {
    join_all(keys.iter().map(|(_, key)| test.get(key, "/games"))).await
}

#[testing::database_test(gateway::MIGRATOR)]
async fn months_are_limited_on_every_node(pool: PgPool) {
    let servers = Servers::cluster(false).unwrap();
    let test = Test::with(pool, with(&servers, "calls_per_month = 3")).await;
    let keys = keys_on_every_node(&test, &servers).await;
    for left in [1, 0] {
        for response in call_all(&test, &keys).await {
            assert!(response.is_ok(), "{}", response.text);
            let month = format!("\"month\";r={left};");
            assert!(response.header("ratelimit").contains(&month), "{left}");
        }
    }
    for response in call_all(&test, &keys).await {
        assert_eq!(response.error(), (429, "quota_exceeded"));
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_revocation_takes_effect_on_every_node(pool: PgPool) {
    let servers = Servers::cluster(false).unwrap();
    let test = Test::with(pool, with(&servers, "")).await;
    let keys = keys(&test, 6).await;
    assert!(call_all(&test, &keys).await.iter().all(TestResponse::is_ok));
    for (_, key) in &keys {
        test.revoke(key).await;
    }
    // No gateway has read the feed: the tombstones reject the keys.
    for response in call_all(&test, &keys).await {
        assert_eq!(response.error(), (401, "invalid_key"));
    }
}
