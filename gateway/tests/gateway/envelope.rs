//! The envelope of every response (§2.1), `ETag` and `If-None-Match` (§10.7).

use std::collections::BTreeSet;

use axum::body::Body;
use gateway::domain::access::Requirements;
use gateway::pipeline::route::{MethodHandler, Route};
use gateway::pipeline::{Pipeline, Target};
use http::header::{ETAG, IF_NONE_MATCH, VARY};
use serde_json::json;
use sqlx::PgPool;

use crate::support::{LIMITS, READS, Test, TestKey, TestResponse};

#[testing::database_test(gateway::MIGRATOR)]
async fn data_is_copied_verbatim_into_the_envelope(pool: PgPool) {
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
async fn an_error_names_the_bad_parameters_and_how_to_fix_them(pool: PgPool) {
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
    for path in ["/", "", "/genres/puzzle", "/rankings/games", "/games/"] {
        let response = test.get(&key, path).await;
        assert_eq!(response.error(), (404, "not_found"), "{path}");
        assert_eq!(response.header("allow"), "", "{path}");
    }
    for (method, path, allow) in [
        ("DELETE", "/games", "GET, HEAD, POST"),
        ("PUT", "/games/kora", "GET, HEAD, PATCH"),
        ("DELETE", "/games/kora", "GET, HEAD, PATCH"),
        ("OPTIONS", "/me", "GET, HEAD"),
    ] {
        let response = test.call(key.request(method, path)).await;
        assert_eq!(response.error(), (405, "method_not_allowed"), "{method} {path}");
        assert_eq!(response.header("allow"), allow, "{method} {path}");
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
    let many = (0..120).fold(key.get("/games"), |call, n| call.header(format!("x-{n}"), "1"));
    let response = test.call(many).await;
    assert_eq!(response.error(), (431, "headers_too_large"));
    assert_eq!(response.json["meta"]["mode"], "test");
    assert_eq!(response.header("ratelimit"), "", "it is not counted");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_panic_is_an_internal_error_without_details(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let broken = MethodHandler::read(|_| panic!("a secret detail"));
    let route =
        Route { pattern: "/v1/broken", requirements: Requirements::ANY, methods: vec![broken] };
    let pipeline = Pipeline::new(&test.app, LIMITS);
    let request = key.get("/broken").header("host", "x").body(Body::empty()).unwrap();
    let target = Target::Route(route);
    let response = Box::pin(pipeline.respond(&target, request)).await;
    let response = TestResponse::read(response).await;
    assert_eq!(response.error(), (500, "internal"));
    assert!(!response.text.contains("secret detail"));
    let id = json!(response.header("x-request-id"));
    assert_eq!(response.json["meta"]["request_id"], id);
    assert!(!response.header("ratelimit").is_empty(), "it is counted");
}

async fn ask(test: &Test, key: &TestKey, method: &str, path: &str, known: &[&str]) -> TestResponse {
    let call = known
        .iter()
        .fold(key.request(method, path), |call, known| call.header(IF_NONE_MATCH, *known));
    test.call(call).await
}

/// Asserts a 304: no body, no headers about a body, and the other headers of a counted response.
fn assert_not_modified(response: &TestResponse, tag: &str, what: &str) {
    assert_eq!(response.status, 304, "{what}: {}", response.text);
    assert!(response.bytes.is_empty(), "{what}");
    let mut names: Vec<&str> = response.headers.keys().map(http::HeaderName::as_str).collect();
    names.sort_unstable();
    let expected = ["etag", "ratelimit", "ratelimit-policy", "vary", "x-request-id"];
    assert_eq!(names, expected, "{what}");
    assert_eq!(response.header("etag"), tag, "{what}");
}

/// [`READS`] must have every route that reads the catalogue.
#[test]
fn reads_has_every_route_of_the_catalogue() {
    let name = |pattern: &str| {
        let named = pattern.split('/').map(|part| match part.strip_prefix('{') {
            Some(_) => "kora",
            None => part,
        });
        named.collect::<Vec<_>>().join("/")
    };
    let reads_catalogue = |route: &Route| route.methods.iter().any(|it| it.reads_catalogue);
    let routes = gateway::router::routes();
    let served: BTreeSet<String> = routes
        .iter()
        .filter(|route| reads_catalogue(route))
        .map(|route| name(route.pattern))
        .collect();
    let tested = READS.map(|path| format!("/v1{}", path.split('?').next().unwrap()));
    assert_eq!(served, BTreeSet::from(tested));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn every_read_has_a_stable_tag(pool: PgPool) {
    let test = Test::new(pool).await;
    for path in READS {
        let key = test.live_key().await;
        let first = test.get(&key, path).await;
        let tag = first.header("etag");
        assert!(tag.starts_with("W/\""), "{path}: {tag}");
        assert_eq!(first.header("vary"), "accept-encoding", "{path}");
        assert_eq!(test.get(&key, path).await.header("etag"), tag, "{path}");
        for method in ["GET", "HEAD"] {
            let known = ask(&test, &key, method, path, &["\"other\"", tag]).await;
            assert_not_modified(&known, tag, path);
            let other = ask(&test, &key, method, path, &["\"other\""]).await;
            assert_eq!((other.status.as_u16(), other.header("etag")), (200, tag));
        }
        let last = ask(&test, &key, "GET", path, &["*"]).await;
        assert_not_modified(&last, tag, path);
        // The seventh request: a 304 and a HEAD are counted like others.
        assert!(last.header("ratelimit").contains("r=53"), "{path}");
    }
}

/// Each call leaves one less.
#[testing::database_test(gateway::MIGRATOR)]
async fn the_tag_of_me_differs_each_time(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let first = test.get(&key, "/me").await;
    let tag = first.header("etag");
    let second = ask(&test, &key, "GET", "/me", &[tag]).await;
    assert!(second.is_ok(), "{}", second.text);
    assert_ne!(second.header("etag"), tag);
    let any = ask(&test, &key, "GET", "/me", &["*"]).await;
    assert_eq!(any.status, 304);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn errors_have_no_tag(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    for (method, path, status) in [
        ("HEAD", "/games/none", 404),
        ("GET", "/nowhere", 404),
        ("GET", "/games?limit=0", 400),
        ("POST", "/games", 403),
    ] {
        let response = ask(&test, &key, method, path, &["*"]).await;
        assert_eq!(response.status, status, "{method} {path}");
        for name in [ETAG, VARY] {
            assert!(!response.headers.contains_key(name), "{method} {path}");
        }
    }
}
