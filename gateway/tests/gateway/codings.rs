//! Content codings (§10.8), each with GET and HEAD.

use http::header::ACCEPT_ENCODING;
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
    ] {
        let response = ask(&test, &key, "GET", "/games", accepted).await;
        assert_eq!(response.status, 200, "{accepted}");
        assert_eq!(response.header("content-encoding"), coding, "{accepted}");
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
