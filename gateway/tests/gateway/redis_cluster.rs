//! The counters in a Redis Cluster of three masters.

use std::time::Duration;

use futures::future::join_all;
use kit::testing::redis::Servers;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::{Answer, Held, LONG, Test, With, plans};

fn with(servers: &Servers, limits: &str) -> With {
    With {
        plans: plans(limits),
        redis: servers.url(),
        ..With::default()
    }
}

/// Keys of as many accounts, which lie on all nodes.
async fn keys(test: &Test, count: usize) -> Vec<(String, Held)> {
    let mut keys = Vec::new();
    for _ in 0..count {
        let account = test.account("free").await;
        let key = test.key(&account, "live").await;
        keys.push((account, key));
    }
    keys
}

async fn call_all(test: &Test, keys: &[(String, Held)]) -> Vec<Answer> {
    join_all(keys.iter().map(|(_, key)| test.get(key, "/games"))).await
}

#[sqlx::test]
async fn months_hold_on_every_node(pool: PgPool) {
    let servers = Servers::cluster(false).unwrap();
    let test = Test::with(pool, with(&servers, "calls_per_month = 3")).await;
    let keys = keys(&test, 12).await;
    for left in [2, 1, 0] {
        for answer in call_all(&test, &keys).await {
            assert!(answer.is_ok(), "{}", answer.text);
            let month = format!("\"month\";r={left};");
            assert!(answer.header("ratelimit").contains(&month), "{left}");
        }
    }
    for answer in call_all(&test, &keys).await {
        assert_eq!(answer.refusal(), (429, "quota_exceeded"));
    }
    for node in 0..3 {
        let size = servers.command(node, &["dbsize"]).unwrap();
        assert_ne!(size.trim(), "0", "node {node} counts nobody");
    }
}

#[sqlx::test]
async fn a_revocation_is_met_on_every_node(pool: PgPool) {
    let servers = Servers::cluster(false).unwrap();
    let test = Test::with(pool, with(&servers, "")).await;
    let keys = keys(&test, 6).await;
    assert!(call_all(&test, &keys).await.iter().all(Answer::is_ok));
    for (_, key) in &keys {
        test.revoke(key).await;
    }
    // No gateway has seen the change on the feed: it is the tombstone.
    for answer in call_all(&test, &keys).await {
        assert_eq!(answer.refusal(), (401, "invalid_key"));
    }
}

/// What PostgreSQL has of the month of `account`.
async fn written(pool: &PgPool, account: &str) -> i64 {
    let account: Uuid = account.parse().unwrap();
    #[expect(clippy::disallowed_methods, reason = "a look from outside")]
    let read = sqlx::query_scalar("select used from gateway.month_use where account_id = $1");
    let used: Option<i64> = read.bind(account).fetch_optional(pool).await.unwrap();
    used.unwrap_or(0)
}

#[sqlx::test]
async fn a_node_that_comes_back_with_less_is_told_of_the_rest(pool: PgPool) {
    let mut servers = Servers::cluster(false).unwrap();
    let test = Test::with(pool.clone(), with(&servers, "calls_per_month = 3")).await;
    let keys = keys(&test, 6).await;
    assert!(call_all(&test, &keys).await.iter().all(Answer::is_ok));
    for node in 0..3 {
        servers.command(node, &["save"]).unwrap();
    }
    assert!(call_all(&test, &keys).await.iter().all(Answer::is_ok));
    let flushed = async {
        for (account, _) in &keys {
            while written(&pool, account).await < 2 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    };
    tokio::time::timeout(LONG, flushed).await.unwrap();
    for node in 0..3 {
        // Its file says one call.
        servers.restart(node).unwrap();
    }
    for (account, key) in &keys {
        let mut allowed = 0;
        loop {
            // While the connection is made anew a call may be counted without Redis; the header leaves the month out then.
            let answer = test.get(key, "/games").await;
            if answer.refusal() == (429, "quota_exceeded") {
                break;
            }
            allowed += i32::from(answer.header("ratelimit").contains("\"month\""));
            assert!(allowed <= 1, "{account} has more than three calls");
        }
    }
}
