//! Content codings (§10.8), and HEAD in each of them.

use http::header::ACCEPT_ENCODING;
use sqlx::PgPool;

use crate::support::{READS, Test, TestKey, TestResponse};

const CODINGS: [&str; 3] = ["br", "gzip", "zstd"];

/// Rows of at least `length` bytes in total.
fn rows(length: usize) -> String {
    let row = |n| format!(r#"{{"slug": "game-{n}",  "title":"Game {}"}}"#, n * 7_919);
    let rows: Vec<String> = (10_000..10_000 + length / 35).map(row).collect();
    format!("[{}]", rows.join(","))
}

async fn ask(test: &Test, key: &TestKey, method: &str, path: &str, accepted: &str) -> TestResponse {
    let call = key.request(method, path).header(ACCEPT_ENCODING, accepted);
    test.call(call).await
}

/// The text without the request id.
fn same(response: &TestResponse) -> String {
    let id = response.header("x-request-id");
    assert_eq!(response.text.matches(id).count(), 1, "{}", response.text);
    response.text.replace(id, "")
}

#[testing::database_test(gateway::MIGRATOR)]
async fn every_read_is_the_same_in_every_coding(pool: PgPool) {
    let test = Test::new(pool).await;
    for length in [2_000, 100_000] {
        test.catalogue.set_data(rows(length), 61);
        for path in READS {
            let key = test.live_key().await;
            let plain = test.get(&key, path).await;
            assert!(plain.is_ok() && plain.text.len() > length, "{path}");
            assert_eq!(plain.header("content-encoding"), "", "{path}");
            assert_eq!(plain.header("vary"), "accept-encoding", "{path}");
            for coding in CODINGS {
                let what = format!("{path} of {length} bytes in {coding}");
                let first = ask(&test, &key, "GET", path, coding).await;
                let second = ask(&test, &key, "GET", path, coding).await;
                for response in [&first, &second] {
                    assert_eq!(response.header("content-encoding"), coding, "{what}");
                    assert!(response.bytes.len() < length / 2, "{what}");
                    assert_eq!(same(response), same(&plain), "{what}");
                    for name in ["etag", "vary", "content-type"] {
                        assert_eq!(response.header(name), plain.header(name), "{what}");
                    }
                }
            }
        }
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn head_has_the_headers_of_get(pool: PgPool) {
    let test = Test::new(pool).await;
    test.catalogue.set_data(rows(2_000), 61);
    for path in READS {
        let key = test.live_key().await;
        for accepted in ["", "br", "gzip", "zstd"] {
            let get = ask(&test, &key, "GET", path, accepted).await;
            let head = ask(&test, &key, "HEAD", path, accepted).await;
            assert!(head.bytes.is_empty(), "{path}");
            assert_eq!(head.status, get.status, "{path}");
            // The length of compressed data is not known in advance.
            let length = get.bytes.len().to_string();
            let expected = if accepted.is_empty() { &*length } else { "" };
            assert_eq!(head.header("content-length"), expected, "{path}");
            // These differ between any two requests.
            let steady = |response: &TestResponse| {
                let mut headers = response.headers.clone();
                assert!(headers.remove("x-request-id").is_some());
                assert!(headers.remove("ratelimit").is_some());
                headers
            };
            assert_eq!(steady(&head), steady(&get), "{path} in {accepted:?}");
        }
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_tag_is_the_same_in_every_coding(pool: PgPool) {
    let test = Test::new(pool).await;
    test.catalogue.set_data(rows(2_000), 61);
    let key = test.live_key().await;
    let tag = test.get(&key, "/games").await.header("etag").to_owned();
    for coding in CODINGS {
        let call = key.get("/games").header(ACCEPT_ENCODING, coding);
        let response = test.call(call.header("if-none-match", &tag)).await;
        assert_eq!(response.status, 304);
        assert_eq!(response.header("content-encoding"), "");
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
async fn the_client_s_weights_decide_then_our_order(pool: PgPool) {
    let test = Test::new(pool).await;
    test.catalogue.set_data(rows(2_000), 61);
    let key = test.live_key().await;
    for (accepted, coding) in [
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, deflate, br", "br"),
        ("gzip, deflate", "gzip"),
        ("zstd;q=0.5, gzip;q=0.7", "gzip"),
        ("identity, gzip;q=0.9", ""),
        ("deflate", ""),
        ("gzip;q=0", ""),
        ("gzip;q=nonsense", ""),
    ] {
        let response = ask(&test, &key, "GET", "/games", accepted).await;
        assert_eq!(response.header("content-encoding"), coding, "{accepted}");
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
