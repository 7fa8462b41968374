//! `ETag` and `If-None-Match` (§10.7).

use std::collections::BTreeSet;

use gateway::router;
use http::header::{ETAG, IF_NONE_MATCH, VARY};
use sqlx::PgPool;

use crate::support::{READS, Test, TestKey, TestResponse};

async fn ask(test: &Test, key: &TestKey, method: &str, path: &str, known: &[&str]) -> TestResponse {
    let call = known.iter().fold(key.request(method, path), |call, known| {
        call.header(IF_NONE_MATCH, *known)
    });
    test.call(call).await
}

/// Asserts a 304: no body and no headers of a body, but the other headers of a counted response.
fn assert_not_modified(response: &TestResponse, tag: &str, what: &str) {
    assert_eq!(response.status, 304, "{what}: {}", response.text);
    assert!(response.bytes.is_empty(), "{what}");
    let mut names: Vec<&str> = response
        .headers
        .keys()
        .map(http::HeaderName::as_str)
        .collect();
    names.sort_unstable();
    let expected = [
        "etag",
        "ratelimit",
        "ratelimit-policy",
        "vary",
        "x-request-id",
    ];
    assert_eq!(names, expected, "{what}");
    assert_eq!(response.header("etag"), tag, "{what}");
    assert_eq!(response.header("vary"), "accept-encoding", "{what}");
}

/// The paths in these tests and in `codings.rs` are all reads.
#[testing::database_test(gateway::MIGRATOR)]
async fn no_read_is_left_out(pool: PgPool) {
    let test = Test::new(pool).await;
    let name = |pattern: &str| {
        let named = pattern.split('/').map(|part| match part.strip_prefix('{') {
            Some(_) => "kora",
            None => part,
        });
        named.collect::<Vec<_>>().join("/")
    };
    let served: BTreeSet<String> = router::catalogue_reads(&test.app).map(name).collect();
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
        assert!(
            tag.starts_with("W/\"") && tag.ends_with('"'),
            "{path}: {tag}"
        );
        assert_eq!(first.header("vary"), "accept-encoding", "{path}");
        let second = test.get(&key, path).await;
        assert_ne!(second.header("x-request-id"), first.header("x-request-id"));
        assert_eq!(second.header("etag"), tag, "{path}");

        for method in ["GET", "HEAD"] {
            let known = ask(&test, &key, method, path, &["\"other\"", tag]).await;
            assert_not_modified(&known, tag, path);
            let other = ask(&test, &key, method, path, &["\"other\""]).await;
            assert_eq!((other.status.as_u16(), other.header("etag")), (200, tag));
        }
        let last = ask(&test, &key, "GET", path, &["*"]).await;
        assert_not_modified(&last, tag, path);
        // This is the seventh request: a 304 and a HEAD are counted like others.
        assert!(last.header("ratelimit").contains("r=53"), "{path}");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_tag_depends_on_the_data_only(pool: PgPool) {
    let (test, replica) = (Test::new(pool.clone()).await, Test::new(pool).await);
    let key = test.live_key().await;
    for path in READS {
        let is_list = test.get(&key, path).await.json["meta"]["total"].is_u64();
        let mut tags: Vec<String> = Vec::new();
        for (data, total) in [
            (r#"[{"slug":"kora"}]"#, 61),
            (r#"[{"slug":"korb"}]"#, 61),
            (r#"[{"slug":"korb"}]"#, 62),
        ] {
            for test in [&test, &replica] {
                test.catalogue.set_data(data, total);
            }
            // Each path has a key of its own, because of the limit per minute.
            let key = test.live_key().await;
            let tag = test.get(&key, path).await.header("etag").to_owned();
            let there = replica.get(&key, path).await;
            assert_eq!(there.header("etag"), tag, "{path} at another replica");
            if let Some(before) = tags.last() {
                let changed = ask(&test, &key, "GET", path, &[before]).await;
                // A single item has no total.
                let expected = if is_list || total == 61 { 200 } else { 304 };
                assert_eq!(changed.status, expected, "{path}");
            }
            tags.push(tag);
        }
        test.catalogue.set_data(r#"[{"slug":"kora"}]"#, 61);
        assert_eq!(test.get(&key, path).await.header("etag"), tags[0], "{path}");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn me_has_a_tag(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let first = test.get(&key, "/me").await;
    let tag = first.header("etag");
    let second = ask(&test, &key, "GET", "/me", &[tag]).await;
    assert!(second.is_ok(), "a call less is left: {}", second.text);
    assert_ne!(second.header("etag"), tag);
    let known = ask(&test, &key, "GET", "/me", &["*"]).await;
    assert_eq!(known.status, 304);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn errors_have_no_tag(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    for (method, path, status) in [
        ("GET", "/games/none", 404),
        ("HEAD", "/games/none", 404),
        ("GET", "/nowhere", 404),
        ("GET", "/games?limit=0", 400),
        ("DELETE", "/games", 405),
        ("POST", "/games", 403),
    ] {
        let response = ask(&test, &key, method, path, &["*"]).await;
        assert_eq!(response.status, status, "{method} {path}");
        assert!(!response.headers.contains_key(ETAG), "{method} {path}");
        assert!(!response.headers.contains_key(VARY), "{method} {path}");
    }
    let nobody = http::Request::get("/v1/games").header(IF_NONE_MATCH, "*");
    assert_eq!(test.call(nobody).await.error(), (401, "missing_key"));

    // A response that the quota withholds has no tag either.
    let tag = test.get(&key, "/games").await.header("etag").to_owned();
    let refused = loop {
        let response = ask(&test, &key, "GET", "/games", &[&tag]).await;
        if response.status != 304 {
            break response;
        }
    };
    assert_eq!(refused.error(), (429, "rate_limited"));
    assert!(!refused.headers.contains_key(ETAG));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn malformed_headers_are_ignored(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let tag = test.get(&key, "/games").await.header("etag").to_owned();
    for known in [
        tag.replace('"', ""),
        format!("{tag} {tag}"),
        format!("{tag}, x"),
        format!("{tag}, *"),
    ] {
        let response = ask(&test, &key, "GET", "/games", &[&known]).await;
        assert!(response.is_ok(), "{known}: {}", response.status);
    }
}
