//! The order of checks (§7.1): a request that fails two checks gets the error of the earlier one.
//!
//! Pairs of switches, plans and permissions that no request can fail together are tested in `domain/access/`.

use contracts::gateway::v1 as proto;
use sqlx::PgPool;

use crate::support::{Test, TestConfig, TestKey, account_key, plans};

const ORIGIN: (&str, &str) = ("origin", "https://example.org");

/// A gateway whose only plan allows one call per minute and lacks `games`, with a key of each mode.
async fn narrow(pool: PgPool, lacks: &str) -> (Test, TestKey, TestKey) {
    let with = TestConfig {
        plans: plans(&format!("calls_per_minute = 1\nlacks = [{lacks}]")),
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let account = test.account("free").await;
    let (live, sample) = (
        test.key(&account, "live").await,
        test.key(&account, "test").await,
    );
    (test, live, sample)
}

fn wrong() -> TestKey {
    TestKey {
        id: String::new(),
        secret: format!("svc_live_{}", "x".repeat(38)),
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_preflight_comes_before_a_missing_key(pool: PgPool) {
    let test = Test::new(pool).await;
    let preflight = http::Request::options("/v1/games").header(ORIGIN.0, ORIGIN.1);
    let response = test.call(preflight).await;
    assert_eq!(response.error(), (403, "server_only"));
    let other = http::Request::options("/v1/games");
    assert_eq!(test.call(other).await.error(), (401, "missing_key"));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_missing_key_comes_before_everything_else(pool: PgPool) {
    let test = Test::new(pool).await;
    for (method, path) in [
        ("GET", "/v1/games"),
        ("GET", "/v1/nowhere"),
        ("GET", "/"),
        ("DELETE", "/v1/games"),
        ("POST", "/v1/economy/report"),
    ] {
        let call = http::Request::builder().method(method).uri(path);
        let response = test.call(call.header(ORIGIN.0, ORIGIN.1)).await;
        assert_eq!(response.error(), (401, "missing_key"), "{method} {path}");
        assert_eq!(response.header("www-authenticate"), "Bearer");
        assert!(response.json["meta"].get("mode").is_none());
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_malformed_key_is_a_missing_key(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    for value in [
        key.secret.clone(),
        format!("Basic {}", key.secret),
        "Bearer hello".to_owned(),
        "Bearer".to_owned(),
    ] {
        let call = http::Request::get("/v1/games").header("authorization", &value);
        assert_eq!(
            test.call(call).await.error(),
            (401, "missing_key"),
            "{value}"
        );
    }
    let twice = key
        .get("/games")
        .header("authorization", format!("Bearer {}", key.secret));
    assert_eq!(test.call(twice).await.error(), (401, "missing_key"));
    let lower =
        http::Request::get("/v1/games").header("authorization", format!("bEARER {}", key.secret));
    assert!(test.call(lower).await.is_ok());
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_missing_key_says_what_was_read(pool: PgPool) {
    let test = Test::new(pool).await;
    let get = || http::Request::get("/v1/games");
    let authorization = |value: &str| get().header("authorization", value);
    for (call, reason) in [
        (
            get().header("x-api-key", "svc_x"),
            "has no Authorization header",
        ),
        (
            authorization("Bearer foo"),
            "The Authorization header was read, and its value is not an API key",
        ),
        (
            authorization("Bearer a").header("authorization", "Bearer b"),
            "several Authorization headers",
        ),
    ] {
        let response = test.call(call).await;
        assert_eq!(response.error(), (401, "missing_key"));
        let message = response.json["error"]["message"].as_str().unwrap();
        assert!(message.contains(reason), "{message}");
        assert!(
            message.contains("`Authorization: Bearer <key>`"),
            "{message}"
        );
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_invalid_key_comes_before_permissions(pool: PgPool) {
    let test = Test::new(pool).await;
    for path in ["/economy/rates", "/games", "/nowhere"] {
        let response = test
            .call(wrong().get(path).header(ORIGIN.0, ORIGIN.1))
            .await;
        assert_eq!(response.error(), (401, "invalid_key"), "{path}");
        assert_eq!(response.header("www-authenticate"), "Bearer");
        assert_eq!(response.json["meta"]["mode"], "live");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_kind_of_key_comes_before_the_page(pool: PgPool) {
    let (test, live, sample) = narrow(pool, "\"economy\", \"tips\"").await;
    for key in [&live, &sample] {
        let response = test
            .call(key.get("/economy/rates").header(ORIGIN.0, ORIGIN.1))
            .await;
        assert_eq!(response.error(), (403, "secret_key_required"));
        let tip = test
            .call(key.request("POST", "/play/tips").header(ORIGIN.0, ORIGIN.1))
            .await;
        assert_eq!(tip.error(), (403, "secret_key_required"));
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_page_comes_before_switches(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let response = test
        .call(key.request("POST", "/games").header(ORIGIN.0, ORIGIN.1))
        .await;
    assert_eq!(response.error(), (403, "server_only"));
    let read = test
        .call(key.get("/games").header(ORIGIN.0, ORIGIN.1))
        .await;
    assert_eq!(read.error(), (403, "server_only"));
    assert_eq!(test.catalogue.calls(), 0);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn switches_come_before_the_plan_and_the_permission(pool: PgPool) {
    let (mut test, live, sample) = narrow(pool, "\"games\", \"events\"").await;
    crate::switches::set(&test, "api_writes", false, "")
        .await
        .unwrap();
    test.catch_up().await;
    for key in [&live, &sample] {
        for (method, path) in [
            ("POST", "/games"),
            ("PATCH", "/games/kora"),
            ("POST", "/events"),
            ("PATCH", "/events/jam"),
        ] {
            // More requests than the minute allows: none of them is counted.
            let response = test.call(key.request(method, path)).await;
            assert_eq!(response.error(), (503, "module_off"), "{method} {path}");
            assert_eq!(response.header("ratelimit"), "");
        }
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_economy_s_switch_applies_to_keys_of_games(pool: PgPool) {
    let mut test = Test::new(pool).await;
    crate::switches::set(&test, "economy", false, "")
        .await
        .unwrap();
    test.catch_up().await;
    let account = test.account("free").await;
    crate::keys::publish(&test, "kora", true).await;
    for kind in ["secret", "public"] {
        let request = proto::CreateKeyRequest {
            kind: kind.to_owned(),
            game: Some("kora".to_owned()),
            ..account_key(&account, "live")
        };
        let key = test.key_like(request).await.unwrap();
        let tip = test.call(key.request("POST", "/play/tips")).await;
        assert_eq!(tip.error(), (503, "module_off"), "{kind}");
        for path in ["/economy/rates", "/economy/", "/economy/a/b"] {
            let economy = test.get(&key, path).await;
            let expected = match kind {
                "secret" => (503, "module_off"),
                _ => (403, "secret_key_required"),
            };
            assert_eq!(economy.error(), expected, "{kind} {path}");
        }
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_public_key_cannot_read_unpublished_listings(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("free").await;
    crate::keys::publish(&test, "kora", true).await;
    for (kind, game) in [
        ("account", None),
        ("secret", Some("kora")),
        ("public", Some("kora")),
    ] {
        let request = proto::CreateKeyRequest {
            kind: kind.to_owned(),
            game: game.map(str::to_owned),
            ..account_key(&account, "live")
        };
        let key = test.key_like(request).await.unwrap();
        let own = test.get(&key, "/me/listings").await;
        if kind != "public" {
            assert!(own.is_ok(), "{kind}: {}", own.text);
            continue;
        }
        assert_eq!(own.error(), (403, "secret_key_required"));
        let message = own.json["error"]["message"].as_str().unwrap();
        assert!(message.contains("public key"), "{message}");
        // It comes before the check of the page and is not counted.
        let page = test
            .call(key.get("/me/listings").header(ORIGIN.0, ORIGIN.1))
            .await;
        assert_eq!(page.error(), (403, "secret_key_required"));
        assert!(test.get(&key, "/games").await.is_ok());
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_plan_comes_before_the_quota(pool: PgPool) {
    let (test, live, sample) = narrow(pool, "\"games\"").await;
    assert!(test.get(&live, "/me").await.is_ok());
    // The minute is exceeded now, but the plan is checked first.
    let response = test.get(&live, "/games").await;
    assert_eq!(response.error(), (403, "plan_required"));
    assert!(
        response.json["error"]["message"]
            .as_str()
            .unwrap()
            .contains("Build")
    );
    assert!(
        test.get(&sample, "/games").await.is_ok(),
        "plans bind live keys only"
    );
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_quota_comes_before_paths_methods_bodies_and_fields(pool: PgPool) {
    let (test, live, sample) = narrow(pool, "").await;
    for key in [&live, &sample] {
        assert!(test.get(key, "/me").await.is_ok());
        for call in [
            key.get("/nowhere"),
            key.request("DELETE", "/games"),
            key.get("/games").header("content-length", "1000000"),
            key.get("/games?limit=0"),
            key.get("/games"),
            key.get("/me"),
        ] {
            assert_eq!(test.call(call).await.error(), (429, "rate_limited"));
        }
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn paths_and_methods_come_before_bodies_and_bodies_before_fields(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let long = |call: http::request::Builder| call.header("content-length", "1000000");
    let response = test.call(long(key.get("/nowhere"))).await;
    assert_eq!(response.error(), (404, "not_found"));
    let response = test.call(long(key.request("DELETE", "/games"))).await;
    assert_eq!(response.error(), (405, "method_not_allowed"));
    let response = test.call(long(key.get("/games?limit=0"))).await;
    assert_eq!(response.error(), (413, "too_large"));
    assert_eq!(
        test.get(&key, "/games?limit=0").await.error(),
        (400, "invalid")
    );
}
