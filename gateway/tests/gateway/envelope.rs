//! The envelope of every response (§2.1).

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use serde_json::json;
use sqlx::PgPool;
use tower::ServiceExt as _;

use crate::support::{Test, TestResponse};

#[testing::database_test(gateway::MIGRATOR)]
async fn data_is_spliced_and_keys_are_ordered(pool: PgPool) {
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

#[testing::database_test(gateway::MIGRATOR)]
async fn errors_say_what_to_do(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let response = test.get(&key, "/games?limit=0&q=%ff").await;
    let id = response.header("x-request-id");
    assert_eq!(
        response.text,
        format!(
            r#"{{"success":false,"error":{{"code":"invalid","message":"Not acceptable: limit, q. `fields` says why.","docs_url":"https://docs.example/errors#invalid"}},"fields":{{"limit":"Give a whole number from 1 to 100.","q":"It is not UTF-8."}},"meta":{{"request_id":"{id}","mode":"live"}}}}"#
        )
    );
}

#[testing::database_test(gateway::MIGRATOR)]
async fn unknown_paths_and_methods_have_the_envelope(pool: PgPool) {
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
        let response = test.get(&key, path).await;
        assert_eq!(response.error(), (404, "not_found"), "{path}");
        assert_eq!(response.json["meta"]["mode"], "live");
        assert_eq!(response.header("allow"), "", "{path}");
        assert!(!response.header("ratelimit").is_empty(), "a 404 is counted");
    }
    for (method, path, allow) in [
        ("DELETE", "/games", "GET, HEAD, POST"),
        ("PUT", "/games/kora", "GET, HEAD, PATCH"),
        ("OPTIONS", "/me", "GET, HEAD"),
        ("POST", "/me", "GET, HEAD"),
        ("PATCH", "/events", "GET, HEAD, POST"),
        ("POST", "/genres", "GET, HEAD"),
    ] {
        let response = test.call(key.request(method, path)).await;
        assert_eq!(
            response.error(),
            (405, "method_not_allowed"),
            "{method} {path}"
        );
        assert_eq!(response.header("allow"), allow, "{method} {path}");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn only_a_wrong_method_gets_allow(pool: PgPool) {
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
        let response = test.call(call).await;
        assert_eq!(response.status.as_u16(), status);
        assert!(!response.headers.contains_key("allow"), "{status}");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
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

#[testing::database_test(gateway::MIGRATOR)]
async fn oversized_heads_are_rejected_before_the_key(pool: PgPool) {
    let test = Test::new(pool).await;
    let long = http::Request::get(format!("/v1/games?q={}", "a".repeat(17_000)));
    let response = test.call(long).await;
    assert_eq!(response.error(), (414, "uri_too_long"));
    assert!(response.json["meta"].get("mode").is_none());

    let key = test.key(&test.account("free").await, "test").await;
    let many = (0..120).fold(key.get("/games"), |call, n| {
        call.header(format!("x-{n}"), "1")
    });
    let response = test.call(many).await;
    assert_eq!(response.error(), (431, "headers_too_large"));
    assert_eq!(response.json["meta"]["mode"], "test");
    assert_eq!(response.header("ratelimit"), "", "it is not counted");
}

#[expect(clippy::panic, reason = "that is its job")]
async fn broken() {
    panic!("a secret detail");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_panic_is_an_internal_error_without_details(pool: PgPool) {
    let test = Test::new(pool).await;
    let layer = gateway::layers::request_context::request_context;
    let router: Router = Router::new()
        .route("/", get(broken))
        .route("/bare", get(async || "no envelope"))
        .layer(from_fn_with_state(Arc::clone(&test.app), layer));
    for path in ["/", "/bare"] {
        let request = http::Request::get(path).body(Body::empty()).unwrap();
        let response = TestResponse::read(router.clone().oneshot(request).await.unwrap()).await;
        assert_eq!(response.error(), (500, "internal"));
        assert!(!response.text.contains("secret detail") && !response.text.contains("no envelope"));
        assert_eq!(
            response.json["meta"]["request_id"],
            json!(response.header("x-request-id"))
        );
    }
}
