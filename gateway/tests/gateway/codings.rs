//! Content codings (§10.8), each with GET and HEAD.

use http::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue};
use sqlx::PgPool;

use crate::support::{READS, Test, TestKey, TestResponse};

/// About `length` bytes of rows.
fn rows(length: usize) -> String {
    let row = |n| format!(r#"{{"slug": "game-{n}",  "title":"Game {}"}}"#, n * 7_919);
    let rows: Vec<String> = (10_000..10_000 + length / 35).map(row).collect();
    format!("[{}]", rows.join(","))
}

async fn ask(test: &Test, key: &TestKey, method: &str, path: &str, accepted: &str) -> TestResponse {
    let call = key.request(method, path).header(ACCEPT_ENCODING, accepted);
    test.call(call).await
}

/// The body without its request id.
fn same(response: &TestResponse) -> String {
    let id = response.header("x-request-id");
    assert_eq!(response.text.matches(id).count(), 1, "{}", response.text);
    response.text.replace(id, "")
}

#[testing::database_test(gateway::MIGRATOR)]
async fn every_read_is_the_same_in_every_coding(pool: PgPool) {
    let test = Test::new(pool).await;
    test.catalogue.set_data(rows(2_000), 61);
    for path in READS {
        let key = test.live_key().await;
        let plain = test.get(&key, path).await;
        assert!(plain.is_ok() && plain.text.len() > 2_000, "{path}");
        assert_eq!(plain.header("content-encoding"), "", "{path}");
        for coding in ["br", "gzip", "zstd"] {
            let what = format!("{path} in {coding}");
            let response = ask(&test, &key, "GET", path, coding).await;
            assert_eq!(response.header("content-encoding"), coding, "{what}");
            assert!(response.bytes.len() < 1_000, "{what}");
            assert_eq!(same(&response), same(&plain), "{what}");
            for name in ["etag", "vary", "content-type"] {
                assert_eq!(response.header(name), plain.header(name), "{what}");
            }
            let head = ask(&test, &key, "HEAD", path, coding).await;
            assert!(head.bytes.is_empty() && head.status == 200, "{what}");
            for name in ["etag", "content-encoding"] {
                assert_eq!(head.header(name), response.header(name), "{what}");
            }
        }
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_highest_weight_decides_then_our_order(pool: PgPool) {
    let test = Test::new(pool).await;
    test.catalogue.set_data(rows(2_000), 61);
    let key = test.live_key().await;
    for (accepted, coding) in [
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, deflate, br", "br"),
        ("zstd;q=0.5, gzip;q=0.7", "gzip"),
        ("gzip;q=0, x-gzip;q=0.1", "gzip"),
        ("identity, gzip;q=0.9", ""),
        ("identity;q=0.5, gzip;q=0.6", "gzip"),
        ("identity;q=0, gzip;q=0", ""),
        ("gzip;q=nonsense", ""),
        ("deflate", ""),
        ("*", ""),
        ("", ""),
        ("GZIP;Q=1.0 , br;q=0.999", "gzip"),
        ("gzip;q=1.1, br;level=1, zstd;q=", ""),
        ("zstd;q=0, *;q=1, br;q=0.1", "br"),
        ("gzip;q=0.1, gzip;q=0.5, br;q=0.4", "gzip"),
        ("identity;q=1, zstd;q=1", "zstd"),
    ] {
        // The document is compressed already, and chosen by the same rules.
        for path in ["/games", "/openapi.json"] {
            let response = ask(&test, &key, "GET", path, accepted).await;
            assert_eq!(response.status, 200, "{path} {accepted}");
            assert_eq!(response.header("content-encoding"), coding, "{path} {accepted}");
        }
    }
}

/// A client without a key gets an error or a body that was compressed before it called: neither costs more than a refused call.
#[testing::database_test(gateway::MIGRATOR)]
async fn nothing_is_compressed_for_a_client_without_a_key(pool: PgPool) {
    const DOCUMENT: &str = "/v1/openapi.json";
    let test = Test::new(pool).await;
    let br = HeaderValue::from_static("br");
    let (coding, document) =
        test.app.openapi.negotiate(&HeaderMap::from_iter([(ACCEPT_ENCODING, br.clone())]));
    let coding = coding.unwrap();
    let too_long = format!("/v1/games/{}", "a".repeat(16 * 1_024));
    let others = ["/", "/v1", "/livez", "/v1/none", DOCUMENT, "/v1/openapi.json/", &too_long];
    let routes = gateway::router::routes().into_iter().map(|route| route.pattern);
    let headers = [
        ("authorization", "Bearer none".to_owned()),
        ("origin", "https://site.example".to_owned()),
        ("content-length", "70000".to_owned()),
        ("x-long", "a".repeat(33 * 1_024)),
    ];
    for path in routes.chain(others) {
        for method in ["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"] {
            for (name, value) in &headers {
                let call = http::Request::builder().method(method).uri(path);
                let call = call.header(ACCEPT_ENCODING, &br).header(*name, value);
                let response = test.call(call).await;
                let what = format!("{method} {path} {name}: {response:?}");
                // A response that is compressed when it is sent has no length.
                let length: usize = response.header("content-length").parse().expect(&what);
                if response.status == 200 {
                    assert!(path == DOCUMENT && ["GET", "HEAD"].contains(&method), "{what}");
                    assert_eq!(response.header("content-encoding"), coding, "{what}");
                    assert_eq!(length, document.len(), "{what}");
                    assert!(method == "HEAD" || response.bytes == document, "{what}");
                } else {
                    assert!(response.status.is_client_error(), "{what}");
                    assert_eq!(response.header("content-encoding"), "", "{what}");
                }
            }
        }
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn small_responses_are_not_compressed(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    test.catalogue.set_data("[]", 61);
    let envelope = test.get(&key, "/games").await.text.len() - 2;
    for (length, coding) in [(1_024, ""), (1_025, "gzip")] {
        let data = format!("[{}]", " ".repeat(length - envelope - 2));
        test.catalogue.set_data(data, 61);
        let response = ask(&test, &key, "GET", "/games", "gzip").await;
        assert_eq!(response.text.len(), length);
        assert_eq!(response.header("content-encoding"), coding, "{length}");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn errors_are_not_compressed(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let path = format!("/games/{}", "a".repeat(3_000));
    for accepted in ["gzip", "gzip, identity;q=0"] {
        let response = ask(&test, &key, "GET", &path, accepted).await;
        assert_eq!(response.error(), (404, "not_found"));
        assert_eq!(response.header("content-encoding"), "");
        assert_eq!(response.header("vary"), "");
    }
}
