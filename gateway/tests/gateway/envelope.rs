//! The envelope is on every answer (§2.1), whatever the answer is.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use serde_json::json;
use sqlx::PgPool;
use tower::ServiceExt as _;

use crate::support::{Answer, Test};

#[sqlx::test]
async fn data_is_spliced_and_the_keys_have_their_order(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let list = test.get(&key, "/games").await;
    let id = list.header("x-request-id");
    assert!(id.starts_with("req_") && id.len() >= 30, "{id}");
    assert_eq!(
        list.text,
        format!(
            r#"{{"success":true,"data":[{{"slug": "kora",  "n":12345678901234567890,"t":"\u0041"}}],"meta":{{"request_id":"{id}","mode":"live","next_cursor":"next","total":61}}}}"#
        )
    );
    assert_eq!(list.header("content-type"), "application/json");

    let one = test.get(&key, "/games/kora").await;
    let id = one.header("x-request-id");
    assert_eq!(
        one.text,
        format!(
            r#"{{"success":true,"data":{{"slug": "kora" }},"meta":{{"request_id":"{id}","mode":"live"}}}}"#
        )
    );
}

#[sqlx::test]
async fn refusals_name_the_way_out(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let answer = test.get(&key, "/games?limit=0&q=%ff").await;
    let id = answer.header("x-request-id");
    assert_eq!(
        answer.text,
        format!(
            r#"{{"success":false,"error":{{"code":"invalid","message":"not acceptable: limit, q; `fields` says why","docs_url":"https://docs.example/errors#invalid"}},"fields":{{"limit":"Give a whole number from 1 to 100.","q":"It is not UTF-8."}},"meta":{{"request_id":"{id}","mode":"live"}}}}"#
        )
    );
}

#[sqlx::test]
async fn unknown_paths_and_methods_have_it_too(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    for path in [
        "/",
        "",
        "/genres/puzzle",
        "/cities/nairobi",
        "/rankings/games",
        "/games/",
    ] {
        let answer = test.get(&key, path).await;
        assert_eq!(answer.refusal(), (404, "not_found"), "{path}");
        assert_eq!(answer.json["meta"]["mode"], "live");
        assert_eq!(answer.header("allow"), "", "{path}");
        assert!(!answer.header("ratelimit").is_empty(), "a 404 is counted");
    }
    for (method, path, allow) in [
        ("DELETE", "/games", "GET, HEAD, POST"),
        ("PUT", "/games/kora", "GET, HEAD, PATCH"),
        ("OPTIONS", "/me", "GET, HEAD"),
        ("POST", "/me", "GET, HEAD"),
        ("PATCH", "/events", "GET, HEAD, POST"),
        ("POST", "/genres", "GET, HEAD"),
    ] {
        let answer = test.call(key.request(method, path)).await;
        assert_eq!(
            answer.refusal(),
            (405, "method_not_allowed"),
            "{method} {path}"
        );
        assert_eq!(answer.header("allow"), allow, "{method} {path}");
    }
}

#[sqlx::test]
async fn only_a_wrong_method_is_told_which_are_right(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let keyless = |method, path: &str| {
        let address = format!("/v1{path}");
        http::Request::builder().method(method).uri(address)
    };
    for (call, status) in [
        (key.request("POST", "/games"), 403),
        (key.request("GET", "/economy/rates"), 403),
        (key.request("GET", "/play/tips"), 403),
        (key.request("GET", "/none"), 404),
        (keyless("POST", "/games"), 401),
        (
            keyless("OPTIONS", "/games").header("origin", "https://page.example"),
            403,
        ),
    ] {
        let answer = test.call(call).await;
        assert_eq!(answer.status.as_u16(), status);
        assert!(!answer.headers.contains_key("allow"), "{status}");
    }
}

#[sqlx::test]
async fn head_is_get_without_the_body(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let whole = test.get(&key, "/games").await;
    let head = test.call(key.request("HEAD", "/games")).await;
    assert_eq!((head.status, head.text.as_str()), (whole.status, ""));
    assert_eq!(head.header("content-length"), whole.text.len().to_string());
    assert!(head.header("ratelimit").contains("r=58"), "HEAD is counted");
    let refused = test.call(key.request("HEAD", "/games/none")).await;
    assert_eq!((refused.status.as_u16(), refused.text.as_str()), (404, ""));
}

#[sqlx::test]
async fn what_is_too_long_needs_no_key_and_shows_the_mode_of_one(pool: PgPool) {
    let test = Test::new(pool).await;
    let long = http::Request::get(format!("/v1/games?q={}", "a".repeat(17_000)));
    let answer = test.call(long).await;
    assert_eq!(answer.refusal(), (414, "uri_too_long"));
    assert!(answer.json["meta"].get("mode").is_none());

    let key = test.key(&test.account("free").await, "test").await;
    let many = (0..120).fold(key.get("/games"), |call, n| {
        call.header(format!("x-{n}"), "1")
    });
    let answer = test.call(many).await;
    assert_eq!(answer.refusal(), (431, "headers_too_large"));
    assert_eq!(answer.json["meta"]["mode"], "test");
    assert_eq!(answer.header("ratelimit"), "", "it is not counted");
}

#[expect(clippy::panic, reason = "that is its job")]
async fn broken() {
    panic!("a secret detail");
}

#[sqlx::test]
async fn a_panic_is_a_fault_of_ours_that_tells_nothing(pool: PgPool) {
    let test = Test::new(pool).await;
    let outermost = gateway::layers::outermost::outermost;
    let router: Router = Router::new()
        .route("/", get(broken))
        .route("/bare", get(async || "no envelope"))
        .layer(from_fn_with_state(Arc::clone(&test.app), outermost));
    for path in ["/", "/bare"] {
        let request = http::Request::get(path).body(Body::empty()).unwrap();
        let answer = Answer::read(router.clone().oneshot(request).await.unwrap()).await;
        assert_eq!(answer.refusal(), (500, "internal"));
        assert!(!answer.text.contains("secret detail") && !answer.text.contains("no envelope"));
        assert_eq!(
            answer.json["meta"]["request_id"],
            json!(answer.header("x-request-id"))
        );
    }
}
