//! The order of checks (§7.1): a request that fails two checks gets the error of the earlier one.
//!
//! `domain/access/tests.rs` tests the pairs of permissions, switches and plans.

use axum::body::Body;
use contracts::gateway::v1 as proto;
use contracts::gateway::v1::KeyKind;
use futures::future::join_all;
use sqlx::PgPool;

use crate::support::{NO_REDIS, READS, Test, TestConfig, TestKey, account_key, plans};

const ORIGIN: (&str, &str) = ("origin", "https://example.org");

/// A gateway whose plan `free` has these limits.
async fn limited(pool: PgPool, limits: &str) -> Test {
    let with = TestConfig { plans: plans(limits), ..TestConfig::default() };
    Test::with(pool, with).await
}

/// Keys of one account: an account key, and the secret and the public key of the game `kora`.
async fn keys(test: &Test, plan: &str) -> [TestKey; 3] {
    crate::keys::publish(test, "kora", true).await;
    let account = test.account(plan).await;
    let key = async |kind: KeyKind, may_write| {
        let request = proto::CreateKeyRequest {
            kind: kind.into(),
            may_write,
            game: (kind != KeyKind::Account).then(|| "kora".to_owned()),
            ..account_key(&account, "live")
        };
        test.key_like(request).await.unwrap()
    };
    [
        key(KeyKind::Account, false).await,
        key(KeyKind::Secret, true).await,
        key(KeyKind::Public, false).await,
    ]
}

/// The status and the code of a call, and whether it was counted.
async fn outcome(test: &Test, call: http::request::Builder) -> (u16, String, bool) {
    let response = test.call(call).await;
    let (status, code) = response.error();
    let counted = !response.header("ratelimit").is_empty();
    (status, code.to_owned(), counted)
}

/// Each call passes all checks before the one that it fails, and would fail the later ones too.
#[testing::database_test(gateway::MIGRATOR)]
async fn the_checks_are_made_in_the_documented_order(pool: PgPool) {
    let mut test = limited(pool, "calls_per_minute = 2\nlacks = [\"games\", \"tips\"]").await;
    let [read, write, public] = keys(&test, "free").await;
    let page = |call: http::request::Builder| call.header(ORIGIN.0, ORIGIN.1);
    let bare = |method| http::Request::builder().method(method).uri("/v1/games");
    let check = async |test: &Test, call, status, code: &str| {
        let counted = matches!(status, 404 | 405 | 413 | 400) || code == "rate_limited";
        let expected = (status, code.to_owned(), counted);
        assert_eq!(outcome(test, call).await, expected);
    };
    crate::switches::set(&test, "api", false, "").await.unwrap();
    crate::switches::set(&test, "economy", false, "").await.unwrap();
    crate::switches::set(&test, "api_writes", false, "").await.unwrap();
    crate::switches::set(&test, "submissions", false, "").await.unwrap();
    test.catch_up().await;
    check(&test, page(bare("OPTIONS")), 403, "server_only").await;
    check(&test, page(bare("POST")), 401, "missing_key").await;
    check(&test, bare("OPTIONS"), 401, "missing_key").await;
    check(&test, page(test.guess().get("/economy/rates")), 401, "invalid_key").await;
    for path in ["/economy/rates", "/economy/", "/economy/a/b", "/me/listings"] {
        check(&test, page(public.get(path)), 403, "secret_key_required").await;
    }
    for call in [read.request("POST", "/play/tips"), write.get("/economy/rates")] {
        check(&test, page(call), 403, "secret_key_required").await;
    }
    check(&test, page(read.request("POST", "/games")), 403, "server_only").await;
    for call in [read.request("POST", "/games"), read.get("/nowhere")] {
        check(&test, call, 503, "api_unavailable").await;
    }
    crate::switches::set(&test, "api", true, "").await.unwrap();
    test.catch_up().await;
    for call in [
        public.request("POST", "/play/tips"),
        write.get("/economy/a/b"),
        read.request("POST", "/games"),
        read.request("PATCH", "/events/jam"),
    ] {
        check(&test, call, 503, "module_off").await;
    }
    crate::switches::set(&test, "economy", true, "").await.unwrap();
    crate::switches::set(&test, "api_writes", true, "").await.unwrap();
    test.catch_up().await;
    check(&test, read.request("POST", "/games"), 503, "closed").await;
    for call in [
        read.request("PATCH", "/games/kora"),
        read.request("DELETE", "/games"),
        read.get("/games?limit=0"),
        public.request("POST", "/play/tips"),
        read.get("/webhooks/messages"),
    ] {
        check(&test, call, 403, "plan_required").await;
    }
    check(&test, read.request("PATCH", "/events/jam"), 403, "write_not_allowed").await;
    // None of these calls was counted: two calls of the minute are left.
    let long = |call: http::request::Builder| call.header("content-length", "1000000");
    check(&test, long(read.get("/nowhere")), 404, "not_found").await;
    check(&test, long(read.request("DELETE", "/events")), 405, "method_not_allowed").await;
    for call in [
        read.get("/nowhere"),
        read.request("DELETE", "/events"),
        long(read.get("/events")),
        read.get("/events?limit=0"),
    ] {
        check(&test, call, 429, "rate_limited").await;
    }
    check(&test, long(write.get("/events?limit=0")), 413, "too_large").await;
    assert_eq!(test.catalogue.calls(), 0);
    check(&test, write.get("/events?limit=0"), 400, "invalid").await;
    // Plans restrict only live keys.
    let account = test.account("free").await;
    let sample = test.key(&account, "test").await;
    assert!(test.get(&sample, "/games").await.is_ok());
}

/// Checks that reads of all kinds get this error without a call to catalogue-svc.
async fn assert_rejected(test: &Test, key: &TestKey, error: (u16, &str)) {
    let before = test.catalogue.calls();
    let paths = READS.iter().cycle().take(120);
    for response in join_all(paths.map(|path| test.get(key, path))).await {
        assert_eq!(response.error(), error);
    }
    assert_eq!(test.catalogue.calls(), before);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_rejected_read_does_not_call_the_catalogue(pool: PgPool) {
    for (limits, redis, error) in [
        ("calls_per_minute = 1", true, (429, "rate_limited")),
        ("calls_per_minute = 1", false, (429, "rate_limited")),
        ("calls_per_month = 1", true, (429, "quota_exceeded")),
    ] {
        let usual = TestConfig::default();
        let with = TestConfig {
            plans: plans(limits),
            redis: if redis { usual.redis } else { NO_REDIS.to_owned() },
            ..usual
        };
        let test = Test::with(pool.clone(), with).await;
        let key = test.live_key().await;
        assert!(test.get(&key, "/search?q=ten+letters").await.is_ok());
        assert_rejected(&test, &key, error).await;
    }
    let mut test = Test::new(pool).await;
    let key = test.live_key().await;
    assert!(test.get(&key, "/games").await.is_ok());
    crate::switches::set(&test, "api", false, "").await.unwrap();
    test.catch_up().await;
    assert!(test.get(&key, "/games").await.status == 503);
    assert_rejected(&test, &key, (503, "api_unavailable")).await;
    // The gateway still caches the key; the tombstone in Redis rejects it.
    test.revoke(&key).await;
    assert_rejected(&test, &key, (401, "invalid_key")).await;
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_body_with_a_coding_is_refused_after_its_length(pool: PgPool) {
    let test = Test::new(pool).await;
    let [_, key, _] = keys(&test, "partner").await;
    let send = async |path: &str, coding: &str, length: Option<u32>| {
        let call = key.request("POST", path).header("content-encoding", coding);
        let call = length.iter().fold(call, |call, length| call.header("content-length", *length));
        test.send(call.body(Body::from("{}")).unwrap()).await
    };
    for path in ["/games", "/events", "/economy/report", "/play/tips"] {
        for coding in ["gzip", "ZSTD", "identity, x-gzip"] {
            let refused = send(path, coding, None).await;
            assert_eq!(refused.error(), (415, "unsupported_encoding"), "{path}");
            assert_eq!(refused.header("accept-encoding"), "identity");
        }
        let long = send(path, "gzip", Some(300_000)).await;
        assert_eq!(long.error(), (413, "too_large"));
        let plain = send(path, "Identity,identity", None).await;
        assert_eq!(plain.status, 201, "{path}: {}", plain.text);
    }
}
