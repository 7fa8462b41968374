//! The counters in a Redis Cluster of three masters.

use futures::future::join_all;
use sqlx::PgPool;
use testing::redis::Servers;
use uuid::Uuid;

use crate::support::{Test, TestConfig, TestKey, TestResponse, plans};

fn with(servers: &Servers, limits: &str) -> TestConfig {
    TestConfig {
        plans: plans(limits),
        redis: servers.url(),
        ..TestConfig::default()
    }
}

/// Keys of several accounts, which are spread over all nodes.
async fn keys(test: &Test, count: usize) -> Vec<(String, TestKey)> {
    let mut keys = Vec::new();
    for _ in 0..count {
        let account = test.account("free").await;
        let key = test.key(&account, "live").await;
        keys.push((account, key));
    }
    keys
}

/// Keys of accounts that have called once. Accounts are added until every node counts some of them.
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
    // No gateway has read the feed: the tombstone rejects the key.
    for response in call_all(&test, &keys).await {
        assert_eq!(response.error(), (401, "invalid_key"));
    }
}

/// The month's count in PostgreSQL.
async fn written(pool: &PgPool, account: &str) -> i64 {
    let account: Uuid = account.parse().unwrap();
    #[expect(clippy::disallowed_methods, reason = "a look from outside")]
    let read = sqlx::query_scalar("select used from gateway.month_use where account_id = $1");
    let used: Option<i64> = read.bind(account).fetch_optional(pool).await.unwrap();
    used.unwrap_or(0)
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_node_that_comes_back_empty_gets_its_counts_back(pool: PgPool) {
    let mut servers = Servers::cluster(false).unwrap();
    let test = Test::with(pool.clone(), with(&servers, "calls_per_month = 3")).await;
    let keys = keys(&test, 6).await;
    for _ in 0..2 {
        assert!(call_all(&test, &keys).await.iter().all(TestResponse::is_ok));
    }
    for (account, _) in &keys {
        testing::wait_until("the calls are written", async || {
            written(&pool, account).await >= 2
        })
        .await;
    }
    for node in 0..3 {
        servers.command(node, &["flushall"]).unwrap();
        servers.command(node, &["save"]).unwrap();
        servers.restart(node).unwrap();
    }
    for (account, key) in &keys {
        let mut allowed = 0;
        loop {
            // While the gateway reconnects, a call may be counted without Redis. The header then lacks the month.
            let response = test.get(key, "/games").await;
            if response.error() == (429, "quota_exceeded") {
                break;
            }
            allowed += i32::from(response.header("ratelimit").contains("\"month\""));
            assert!(allowed <= 1, "{account} has more than three calls");
        }
    }
}
