//! The order of checks (§7.1): a call that fails two of them is told the earlier.
//!
//! Pairs among switches, plan and permission, which no call can fail both of yet, are tested in `domain/access.rs`.

use contracts::gateway::v1 as proto;
use sqlx::PgPool;

use crate::support::{Held, Test, With, account_key, plans};

const ORIGIN: (&str, &str) = ("origin", "https://example.org");

/// A gateway whose only plan lets one call a minute through and lacks `games`, and keys of both modes.
async fn narrow(pool: PgPool, lacks: &str) -> (Test, Held, Held) {
    let with = With {
        plans: plans(&format!("calls_per_minute = 1\nlacks = [{lacks}]")),
        ..With::default()
    };
    let test = Test::with(pool, with).await;
    let account = test.account("free").await;
    let (live, sample) = (
        test.key(&account, "live").await,
        test.key(&account, "test").await,
    );
    (test, live, sample)
}

fn wrong() -> Held {
    Held {
        id: String::new(),
        secret: format!("svc_live_{}", "x".repeat(38)),
    }
}

#[sqlx::test]
async fn a_preflight_comes_before_a_missing_key(pool: PgPool) {
    let test = Test::new(pool).await;
    let preflight = http::Request::options("/v1/games").header(ORIGIN.0, ORIGIN.1);
    let answer = test.call(preflight).await;
    assert_eq!(answer.refusal(), (403, "server_only"));
    let other = http::Request::options("/v1/games");
    assert_eq!(test.call(other).await.refusal(), (401, "missing_key"));
}

#[sqlx::test]
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
        let answer = test.call(call.header(ORIGIN.0, ORIGIN.1)).await;
        assert_eq!(answer.refusal(), (401, "missing_key"), "{method} {path}");
        assert_eq!(answer.header("www-authenticate"), "Bearer");
        assert!(answer.json["meta"].get("mode").is_none());
    }
}

#[sqlx::test]
async fn what_does_not_look_like_a_key_is_missing(pool: PgPool) {
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
            test.call(call).await.refusal(),
            (401, "missing_key"),
            "{value}"
        );
    }
    let twice = key
        .get("/games")
        .header("authorization", format!("Bearer {}", key.secret));
    assert_eq!(test.call(twice).await.refusal(), (401, "missing_key"));
    let lower =
        http::Request::get("/v1/games").header("authorization", format!("bEARER {}", key.secret));
    assert!(test.call(lower).await.is_ok());
}

#[sqlx::test]
async fn a_wrong_key_comes_before_what_keys_may_do(pool: PgPool) {
    let test = Test::new(pool).await;
    for path in ["/economy/rates", "/games", "/nowhere"] {
        let answer = test
            .call(wrong().get(path).header(ORIGIN.0, ORIGIN.1))
            .await;
        assert_eq!(answer.refusal(), (401, "invalid_key"), "{path}");
        assert_eq!(answer.header("www-authenticate"), "Bearer");
        assert_eq!(answer.json["meta"]["mode"], "live");
    }
}

#[sqlx::test]
async fn the_economy_s_key_comes_before_the_page(pool: PgPool) {
    let (test, live, sample) = narrow(pool, "\"economy\", \"tips\"").await;
    for key in [&live, &sample] {
        let answer = test
            .call(key.get("/economy/rates").header(ORIGIN.0, ORIGIN.1))
            .await;
        assert_eq!(answer.refusal(), (403, "secret_key_required"));
        let tip = test
            .call(key.request("POST", "/play/tips").header(ORIGIN.0, ORIGIN.1))
            .await;
        assert_eq!(tip.refusal(), (403, "secret_key_required"));
    }
}

#[sqlx::test]
async fn a_page_comes_before_switches(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let answer = test
        .call(key.request("POST", "/games").header(ORIGIN.0, ORIGIN.1))
        .await;
    assert_eq!(answer.refusal(), (403, "server_only"));
    let read = test
        .call(key.get("/games").header(ORIGIN.0, ORIGIN.1))
        .await;
    assert_eq!(read.refusal(), (403, "server_only"));
    assert_eq!(test.catalogue.calls(), 0);
}

#[sqlx::test]
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
            // More than the minute holds: none of these is counted.
            let answer = test.call(key.request(method, path)).await;
            assert_eq!(answer.refusal(), (503, "module_off"), "{method} {path}");
            assert_eq!(answer.header("ratelimit"), "");
        }
    }
}

#[sqlx::test]
async fn games_keys_meet_the_economy_s_switch(pool: PgPool) {
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
        assert_eq!(tip.refusal(), (503, "module_off"), "{kind}");
        for path in ["/economy/rates", "/economy/", "/economy/a/b"] {
            let economy = test.get(&key, path).await;
            let expected = match kind {
                "secret" => (503, "module_off"),
                _ => (403, "secret_key_required"),
            };
            assert_eq!(economy.refusal(), expected, "{kind} {path}");
        }
    }
}

#[sqlx::test]
async fn a_public_key_does_not_read_what_is_not_public(pool: PgPool) {
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
        assert_eq!(own.refusal(), (403, "secret_key_required"));
        let message = own.json["error"]["message"].as_str().unwrap();
        assert!(message.contains("public key"), "{message}");
        // Before the page, and uncounted.
        let page = test
            .call(key.get("/me/listings").header(ORIGIN.0, ORIGIN.1))
            .await;
        assert_eq!(page.refusal(), (403, "secret_key_required"));
        assert!(test.get(&key, "/games").await.is_ok());
    }
}

#[sqlx::test]
async fn the_plan_comes_before_the_quota(pool: PgPool) {
    let (test, live, sample) = narrow(pool, "\"games\"").await;
    assert!(test.get(&live, "/me").await.is_ok());
    // The minute is used up now, yet the plan is told.
    let answer = test.get(&live, "/games").await;
    assert_eq!(answer.refusal(), (403, "plan_required"));
    assert!(
        answer.json["error"]["message"]
            .as_str()
            .unwrap()
            .contains("Build")
    );
    assert!(
        test.get(&sample, "/games").await.is_ok(),
        "plans bind live keys only"
    );
}

#[sqlx::test]
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
            assert_eq!(test.call(call).await.refusal(), (429, "rate_limited"));
        }
    }
}

#[sqlx::test]
async fn paths_and_methods_come_before_bodies_and_bodies_before_fields(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let long = |call: http::request::Builder| call.header("content-length", "1000000");
    let answer = test.call(long(key.get("/nowhere"))).await;
    assert_eq!(answer.refusal(), (404, "not_found"));
    let answer = test.call(long(key.request("DELETE", "/games"))).await;
    assert_eq!(answer.refusal(), (405, "method_not_allowed"));
    let answer = test.call(long(key.get("/games?limit=0"))).await;
    assert_eq!(answer.refusal(), (413, "too_large"));
    assert_eq!(
        test.get(&key, "/games?limit=0").await.refusal(),
        (400, "invalid")
    );
}
