//! `ETag` and `If-None-Match` (§10.7).

use std::collections::BTreeSet;

use gateway::router;
use http::header::{ETAG, IF_NONE_MATCH, VARY};
use sqlx::PgPool;

use crate::support::{Answer, Held, READS, Test};

async fn ask(test: &Test, key: &Held, method: &str, path: &str, known: &[&str]) -> Answer {
    let call = known.iter().fold(key.request(method, path), |call, known| {
        call.header(IF_NONE_MATCH, *known)
    });
    test.call(call).await
}

/// Asserts that it is a 304: no body, nothing that is of a body, and the rest as every counted answer has it.
fn assert_not_modified(answer: &Answer, tag: &str, what: &str) {
    assert_eq!(answer.status, 304, "{what}: {}", answer.text);
    assert!(answer.bytes.is_empty(), "{what}");
    let mut names: Vec<&str> = answer
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
    assert_eq!(answer.header("etag"), tag, "{what}");
    assert_eq!(answer.header("vary"), "accept-encoding", "{what}");
}

/// What is tested here and in `codings.rs` is what there is.
#[sqlx::test]
async fn no_read_is_left_out(pool: PgPool) {
    let test = Test::new(pool).await;
    let name = |pattern: &str| {
        let named = pattern.split('/').map(|part| match part.strip_prefix('{') {
            Some(_) => "kora",
            None => part,
        });
        named.collect::<Vec<_>>().join("/")
    };
    let served: BTreeSet<String> = router::reads(&test.app).map(name).collect();
    let tested = READS.map(|path| format!("/v1{}", path.split('?').next().unwrap()));
    assert_eq!(served, BTreeSet::from(tested));
}

#[sqlx::test]
async fn every_read_has_a_tag_by_which_it_is_known_again(pool: PgPool) {
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
        // The seventh call: those that were answered 304 or without a body are counted like the others.
        assert!(last.header("ratelimit").contains("r=53"), "{path}");
    }
}

#[sqlx::test]
async fn the_tag_changes_with_the_data_and_with_nothing_else(pool: PgPool) {
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
                test.catalogue.holds(data, total);
            }
            // Each path of a key of its own, for the minute.
            let key = test.live_key().await;
            let tag = test.get(&key, path).await.header("etag").to_owned();
            let there = replica.get(&key, path).await;
            assert_eq!(there.header("etag"), tag, "{path} at another replica");
            if let Some(before) = tags.last() {
                let changed = ask(&test, &key, "GET", path, &[before]).await;
                // A single thing has no total.
                let expected = if is_list || total == 61 { 200 } else { 304 };
                assert_eq!(changed.status, expected, "{path}");
            }
            tags.push(tag);
        }
        test.catalogue.holds(r#"[{"slug":"kora"}]"#, 61);
        assert_eq!(test.get(&key, path).await.header("etag"), tags[0], "{path}");
    }
}

#[sqlx::test]
async fn what_shows_the_caller_s_standing_has_one_too(pool: PgPool) {
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

#[sqlx::test]
async fn a_refusal_has_no_tag_and_is_never_known(pool: PgPool) {
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
        let answer = ask(&test, &key, method, path, &["*"]).await;
        assert_eq!(answer.status, status, "{method} {path}");
        assert!(!answer.headers.contains_key(ETAG), "{method} {path}");
        assert!(!answer.headers.contains_key(VARY), "{method} {path}");
    }
    let nobody = http::Request::get("/v1/games").header(IF_NONE_MATCH, "*");
    assert_eq!(test.call(nobody).await.refusal(), (401, "missing_key"));

    // Nor is what the quota withholds.
    let tag = test.get(&key, "/games").await.header("etag").to_owned();
    let refused = loop {
        let answer = ask(&test, &key, "GET", "/games", &[&tag]).await;
        if answer.status != 304 {
            break answer;
        }
    };
    assert_eq!(refused.refusal(), (429, "rate_limited"));
    assert!(!refused.headers.contains_key(ETAG));
}

#[sqlx::test]
async fn headers_that_are_not_well_formed_say_nothing(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let tag = test.get(&key, "/games").await.header("etag").to_owned();
    for known in [
        tag.replace('"', ""),
        format!("{tag} {tag}"),
        format!("{tag}, x"),
        format!("{tag}, *"),
    ] {
        let answer = ask(&test, &key, "GET", "/games", &[&known]).await;
        assert!(answer.is_ok(), "{known}: {}", answer.status);
    }
}
