//! Content codings (§10.8), and HEAD in each of them.

use http::header::ACCEPT_ENCODING;
use sqlx::PgPool;

use crate::support::{Answer, Held, READS, Test};

const CODINGS: [&str; 3] = ["gzip", "br", "zstd"];

/// Rows of so many bytes in all, or a few more.
fn rows(length: usize) -> String {
    let row = |n| format!(r#"{{"slug": "game-{n}",  "title":"Game {}"}}"#, n * 7_919);
    let rows: Vec<String> = (10_000..10_000 + length / 35).map(row).collect();
    format!("[{}]", rows.join(","))
}

async fn ask(test: &Test, key: &Held, method: &str, path: &str, accepted: &str) -> Answer {
    let call = key.request(method, path).header(ACCEPT_ENCODING, accepted);
    test.call(call).await
}

/// The text without what differs from call to call.
fn same(answer: &Answer) -> String {
    let id = answer.header("x-request-id");
    assert_eq!(answer.text.matches(id).count(), 1, "{}", answer.text);
    answer.text.replace(id, "")
}

#[sqlx::test]
async fn every_read_says_the_same_in_every_coding(pool: PgPool) {
    let test = Test::new(pool).await;
    // What is compressed where it is served, and what is compressed aside.
    for length in [2_000, 100_000] {
        test.catalogue.holds(rows(length), 61);
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
                for answer in [&first, &second] {
                    assert_eq!(answer.header("content-encoding"), coding, "{what}");
                    assert!(answer.bytes.len() < length / 2, "{what}");
                    assert_eq!(same(answer), same(&plain), "{what}");
                    for name in ["etag", "vary", "content-type"] {
                        assert_eq!(answer.header(name), plain.header(name), "{what}");
                    }
                }
            }
        }
    }
}

#[sqlx::test]
async fn head_says_what_get_would(pool: PgPool) {
    let test = Test::new(pool).await;
    test.catalogue.holds(rows(2_000), 61);
    for path in READS {
        let key = test.live_key().await;
        for accepted in ["", "gzip", "br", "zstd"] {
            let get = ask(&test, &key, "GET", path, accepted).await;
            let head = ask(&test, &key, "HEAD", path, accepted).await;
            assert!(head.bytes.is_empty(), "{path}");
            assert_eq!(head.status, get.status, "{path}");
            let expected = get.bytes.len().to_string();
            assert_eq!(head.header("content-length"), expected, "{path}");
            // Two calls never agree on these.
            let steady = |answer: &Answer| {
                let mut headers = answer.headers.clone();
                assert!(headers.remove("x-request-id").is_some());
                assert!(headers.remove("ratelimit").is_some());
                headers
            };
            assert_eq!(steady(&head), steady(&get), "{path} in {accepted:?}");
        }
    }
}

#[sqlx::test]
async fn a_tag_is_known_whatever_coding_is_asked_for(pool: PgPool) {
    let test = Test::new(pool).await;
    test.catalogue.holds(rows(2_000), 61);
    let key = test.live_key().await;
    let tag = test.get(&key, "/games").await.header("etag").to_owned();
    for coding in CODINGS {
        let call = key.get("/games").header(ACCEPT_ENCODING, coding);
        let answer = test.call(call.header("if-none-match", &tag)).await;
        assert_eq!(answer.status, 304);
        assert_eq!(answer.header("content-encoding"), "");
    }
}

#[sqlx::test]
async fn what_fits_into_a_packet_is_sent_as_it_is_unless_that_is_refused(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    for path in ["/games", "/me"] {
        for (accepted, coding) in [
            ("gzip, br, zstd", ""),
            ("gzip, identity;q=0", "gzip"),
            ("br, *;q=0", "br"),
            ("identity;q=0", ""),
        ] {
            let answer = ask(&test, &key, "GET", path, accepted).await;
            assert_eq!(answer.header("content-encoding"), coding, "{accepted}");
            assert!(answer.is_ok(), "{accepted}: {}", answer.text);
        }
    }
}

#[sqlx::test]
async fn the_caller_s_weights_decide_then_our_order(pool: PgPool) {
    let test = Test::new(pool).await;
    test.catalogue.holds(rows(2_000), 61);
    let key = test.live_key().await;
    for (accepted, coding) in [
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, deflate, br", "br"),
        ("zstd;q=0.5, br;q=0.6, gzip;q=0.7", "gzip"),
        ("*", "zstd"),
        ("identity, gzip;q=0.9", ""),
        ("deflate", ""),
        ("gzip;q=nonsense", ""),
    ] {
        let answer = ask(&test, &key, "GET", "/games", accepted).await;
        assert_eq!(answer.header("content-encoding"), coding, "{accepted}");
    }
}

#[sqlx::test]
async fn refusals_are_sent_as_they_are(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let path = format!("/games/{}", "a".repeat(3_000));
    for accepted in ["gzip", "gzip, identity;q=0"] {
        let answer = ask(&test, &key, "GET", &path, accepted).await;
        assert_eq!(answer.refusal(), (404, "not_found"));
        assert_eq!(answer.header("content-encoding"), "");
        assert_eq!(answer.header("vary"), "");
    }
}
