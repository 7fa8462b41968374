//! The rate limit as clients see it: headers, errors, `GET /me`, and a Redis outage.

use std::time::Duration as Patience;

use contracts::gateway::v1 as proto;
use contracts::public::Me;
use kit::{Clock, Code, Fault};
use serde_json::json;
use sqlx::PgPool;
use time::Duration;
use time::macros::datetime;
use tokio::net::TcpListener;

use crate::support::{Script, Test, TestConfig, TestKey, account_key, plans};

fn limited(limits: &str) -> TestConfig {
    TestConfig { plans: plans(limits), ..TestConfig::default() }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn every_counted_response_has_rate_limit_headers(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    let key = test.key(&account, "live").await;
    let response = test.get(&key, "/games").await;
    assert_eq!(response.header("ratelimit-policy"), "\"minute\";q=60;w=60, \"month\";q=50000");
    // From 22 March 08:00 to the end of the month there are 9 days and 16 hours.
    assert_eq!(response.header("ratelimit"), "\"minute\";r=59;t=60, \"month\";r=49999;t=835200");
    test.clock.advance(Duration::milliseconds(30_001));
    for (path, left) in [("/games?limit=0", 58), ("/nowhere", 57), ("/me", 56)] {
        let response = test.get(&key, path).await;
        let expected = format!("\"minute\";r={left};t=30, ");
        assert!(
            response.header("ratelimit").starts_with(&expected),
            "{path}: {}",
            response.header("ratelimit")
        );
    }
    let sample = test.key(&account, "test").await;
    let response = test.get(&sample, "/games").await;
    assert_eq!(response.header("ratelimit-policy"), "\"minute\";q=60;w=60");
}

/// A public key of the published game `kora`.
pub(crate) async fn public_key(test: &Test, account: &str, mode: &str) -> TestKey {
    crate::keys::publish(test, "kora", true).await;
    let public = proto::CreateKeyRequest {
        kind: proto::KeyKind::Public.into(),
        game: Some("kora".to_owned()),
        ..account_key(account, mode)
    };
    test.key_like(public).await.unwrap()
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_public_key_learns_nothing_of_its_account(pool: PgPool) {
    let limits = "calls_per_minute = 9\ncalls_per_month = 10\nlacks = [\"cities\"]";
    let test = Test::with(pool, limited(limits)).await;
    let account = test.account("free").await;
    let public = public_key(&test, &account, "live").await;
    let sample = public_key(&test, &account, "test").await;
    let key = test.key(&account, "live").await;
    // Calls of other keys are visible only when they leave less than the share.
    for (others, used, left) in [(0, 1, 4), (1, 2, 3), (5, 3, 1)] {
        for _ in 0..others {
            assert!(test.get(&key, "/games").await.is_ok());
        }
        let response = test.get(&public, "/me").await;
        let data = &response.json["data"];
        assert!(data.get("account").is_none(), "{data}");
        let resets_at = "2026-04-01T00:00:00.000Z";
        let month = serde_json::json!({"limit": 5, "used": used, "remaining": left, "resets_at": resets_at});
        assert_eq!(data["month"], month);
        let expected = format!("\"month\";r={left};t=");
        assert!(response.header("ratelimit").contains(&expected));
        assert!(!response.text.contains(&account), "{}", response.text);
        assert!(!response.text.contains("Savanna"), "{}", response.text);
    }
    let of_sample = test.get(&sample, "/me").await;
    assert!(of_sample.json["data"].get("account").is_none());
    assert_eq!(of_sample.json["data"]["month"]["used"], 3);
    assert_eq!(of_sample.json["data"]["month"]["limit"], 5);

    let lacking = test.get(&public, "/cities").await;
    assert_eq!(lacking.error().1, "plan_required");
    let over = loop {
        let response = test.get(&sample, "/games").await;
        if !response.is_ok() {
            break response;
        }
    };
    assert_eq!(over.error().1, "rate_limited");
    for error in [lacking, over] {
        assert!(!error.text.contains("Free"), "{}", error.text);
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_exceeded_minute_has_retry_after(pool: PgPool) {
    let test = Test::with(pool, limited("calls_per_minute = 1")).await;
    let key = test.live_key().await;
    assert!(test.get(&key, "/games").await.is_ok());
    test.clock.advance(Duration::milliseconds(500));
    for _ in 0..2 {
        let response = test.get(&key, "/games").await;
        assert_eq!(response.error(), (429, "rate_limited"));
        assert_eq!(response.header("retry-after"), "60");
        assert_eq!(response.header("ratelimit"), "\"minute\";r=0;t=60");
    }
    test.clock.advance(Duration::milliseconds(59_400));
    assert_eq!(test.get(&key, "/games").await.header("retry-after"), "1");
    test.clock.advance(Duration::milliseconds(100));
    assert!(test.get(&key, "/games").await.is_ok());
}

/// The clocks of the gateway and of Redis lie in two months, and in two minutes.
#[testing::database_test(gateway::MIGRATOR)]
async fn the_clock_of_a_gateway_ends_no_minute_and_no_month(pool: PgPool) {
    for gateway in [datetime!(2026-03-31 23:58 UTC), datetime!(2026-04-01 00:01 UTC)] {
        let redis_clock = Clock::fixed(datetime!(2026-03-31 23:59:59 UTC));
        let with = TestConfig {
            clock: Clock::fixed(gateway),
            redis_clock: Some(redis_clock.clone()),
            ..limited("calls_per_minute = 3\ncalls_per_month = 1")
        };
        let test = Test::with(pool.clone(), with).await;
        let key = test.live_key().await;
        for (limits, next_month, wait) in [
            ("\"minute\";r=2;t=60, \"month\";r=0;t=1", "2026-04-01", "1"),
            ("\"minute\";r=1;t=59, \"month\";r=0;t=2592000", "2026-05-01", "2592000"),
        ] {
            let resets_at = format!("{next_month}T00:00:00.000Z");
            let me = test.get(&key, "/me").await;
            assert_eq!(me.header("ratelimit"), limits);
            let month = &me.json["data"]["month"];
            assert_eq!((&month["used"], &month["resets_at"]), (&json!(1), &json!(resets_at)));
            let refused = test.get(&key, "/me").await;
            assert_eq!(refused.error(), (429, "quota_exceeded"));
            assert_eq!(refused.header("retry-after"), wait);
            assert_eq!(refused.json["error"]["resets_at"], resets_at);
            redis_clock.advance(Duration::SECOND);
        }
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_exceeded_month_has_its_reset(pool: PgPool) {
    let test = Test::with(pool, limited("calls_per_month = 1")).await;
    let account = test.account("free").await;
    let (one, other) = (test.key(&account, "live").await, test.key(&account, "live").await);
    assert!(test.get(&one, "/games").await.is_ok());
    let response = test.get(&other, "/games").await;
    assert_eq!(response.error(), (429, "quota_exceeded"));
    assert_eq!(response.json["error"]["resets_at"], "2026-04-01T00:00:00.000Z");
    assert_eq!(response.header("retry-after"), "835200");
    assert_eq!(response.header("ratelimit"), "\"month\";r=0;t=835200");
    let sample = test.key(&account, "test").await;
    assert!(test.get(&sample, "/games").await.is_ok());
    test.clock.advance(Duration::seconds(835_200));
    assert!(test.get(&other, "/games").await.is_ok());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn of_two_exhausted_windows_the_error_names_the_later_reset(pool: PgPool) {
    let test = Test::with(pool, limited("calls_per_minute = 1\ncalls_per_month = 2")).await;
    let account = test.account("free").await;
    let (one, other) = (test.key(&account, "live").await, test.key(&account, "live").await);
    let refused = async |key: &TestKey| {
        let refused = test.get(key, "/games").await;
        let wait: u32 = refused.header("retry-after").parse().unwrap();
        (refused.error().1.to_owned(), wait)
    };
    assert!(test.get(&one, "/games").await.is_ok());
    assert_eq!(refused(&one).await, ("rate_limited".to_owned(), 60));
    // Ten seconds before the month ends, the other key's minute starts, and the month is used up.
    test.clock.advance(Duration::seconds(835_190));
    assert!(test.get(&other, "/games").await.is_ok());
    assert_eq!(refused(&one).await, ("quota_exceeded".to_owned(), 10));
    assert_eq!(refused(&other).await, ("rate_limited".to_owned(), 60));
    test.clock.advance(Duration::seconds(60));
    assert!(test.get(&other, "/games").await.is_ok());
}

/// Public keys may use half of the month.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_public_key_waits_for_the_later_of_its_share_and_its_minute(pool: PgPool) {
    let test = Test::with(pool, limited("calls_per_minute = 3\ncalls_per_month = 6")).await;
    // In the middle of the month, and ten seconds before its end.
    for (advance, code, wait) in [(0, "quota_exceeded", "835200"), (835_190, "rate_limited", "60")]
    {
        test.clock.advance(Duration::seconds(advance));
        let account = test.account("free").await;
        let public = public_key(&test, &account, "live").await;
        for _ in 0..3 {
            assert!(test.get(&public, "/games").await.is_ok());
        }
        let refused = test.get(&public, "/games").await;
        assert_eq!(refused.error(), (429, code));
        assert_eq!(refused.header("retry-after"), wait);
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn me_returns_key_account_and_limits(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("build").await;
    let key = test.key(&account, "live").await;
    test.get(&key, "/games").await;
    let response = test.get(&key, "/me").await;
    assert!(response.is_ok());
    let data = response.json["data"].clone();
    let me: Me = serde_json::from_value(data.clone()).unwrap();
    let expected = serde_json::json!({
        "account": {"id": account, "name": "Savanna Studio", "plan": {"name": "build", "title": "Build"}},
        "key": {
            "id": key.id, "name": "server", "mode": "live", "kind": "account", "may_write": false, "game": null,
            "expires_at": null, "last4": &key.secret[key.secret.len() - 4..],
        },
        "minute": {"limit": 300, "remaining": 298, "resets_at": "2026-03-22T08:01:00.500Z"},
        "month": {"limit": 1_000_000, "used": 2, "remaining": 999_998, "resets_at": "2026-04-01T00:00:00.000Z"},
    });
    assert_eq!(data, expected);
    assert_eq!(me.month.unwrap().used, 2);
    assert!(!response.text.contains(&key.secret));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn me_without_limits_has_nulls(pool: PgPool) {
    let test = Test::with(pool, limited("")).await;
    let key = test.live_key().await;
    let response = test.get(&key, "/me").await;
    assert_eq!(response.header("ratelimit"), "");
    let me: Me = serde_json::from_value(response.json["data"].clone()).unwrap();
    assert_eq!((me.minute.limit, me.minute.remaining), (None, None));
    let month = me.month.unwrap();
    assert_eq!((month.limit, month.used, month.remaining), (None, 1, None));
}

async fn without_redis(pool: PgPool, redis: String) {
    let with = TestConfig {
        redis,
        patience: Patience::from_millis(50),
        ..limited("calls_per_minute = 2\ncalls_per_month = 1")
    };
    let test = Test::with(pool, with).await;
    let key = test.live_key().await;
    for left in ["1", "0"] {
        let response = test.get(&key, "/me").await;
        assert!(response.is_ok(), "{}", response.text);
        assert_eq!(response.header("ratelimit"), format!("\"minute\";r={left};t=60"));
        assert!(response.json["data"]["month"].is_null());
    }
    assert_eq!(test.get(&key, "/games").await.error(), (429, "rate_limited"));
    test.clock.advance(Duration::MINUTE);
    assert!(test.get(&key, "/games").await.is_ok());

    test.catalogue.script(Script::Refuse(Fault::new(Code::Internal, "broken")));
    assert_eq!(test.get(&key, "/games").await.error(), (500, "internal"));
    assert_eq!(test.get(&key, "/games").await.error(), (429, "rate_limited"));
    // A revocation succeeds without a tombstone.
    test.revoke(&key).await;
}

#[testing::database_test(gateway::MIGRATOR)]
async fn without_redis_each_replica_limits_the_minute(pool: PgPool) {
    without_redis(pool, "redis://127.0.0.1:1".to_owned()).await;
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_unresponsive_redis_counts_as_down(pool: PgPool) {
    // The listener accepts connections and never replies.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    without_redis(pool, format!("redis://{}", silent.local_addr().unwrap())).await;
}
