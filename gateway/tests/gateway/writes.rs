//! Writes through the gateway (§4.3): `Location`, `If-Match`, and unknown outcomes.

use std::time::Duration;

use contracts::gateway::v1 as proto;
use futures::future::join_all;
use gateway::upstream;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, ETAG, IF_MATCH};
use kit::{Code, Fault};
use sqlx::PgPool;

use crate::economy::key_of_game;
use crate::support::{
    Outcome, Test, TestConfig, TestKey, TestResponse, UPSTREAM, account_key, eventually,
};

const BODY: &str = r#"{"title": "Kora"}"#;
const WRITES: [(&str, &str); 4] = [
    ("POST", "/games"),
    ("POST", "/events"),
    ("PATCH", "/games/kora"),
    ("PATCH", "/events/kora"),
];

async fn writing_key(test: &Test) -> TestKey {
    let account = test.account("free").await;
    let request = proto::CreateKeyRequest {
        may_write: true,
        ..account_key(&account, "live")
    };
    test.key_like(request).await.unwrap()
}

async fn write(test: &Test, call: http::request::Builder) -> TestResponse {
    test.send(call.body(BODY.into()).unwrap()).await
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_write_returns_location_and_revision(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = writing_key(&test).await;
    for (method, path) in WRITES {
        let response = write(&test, key.request(method, path)).await;
        let (status, location) = match method {
            "POST" => (201, format!("/v1{path}/kora")),
            _ => (200, String::new()),
        };
        assert_eq!(response.status, status, "{path}: {}", response.text);
        assert_eq!(response.header("location"), location);
        assert_eq!(response.header("etag"), r#""r7""#);
    }
    let dry = write(&test, key.request("POST", "/games?dry_run=true")).await;
    assert!(dry.is_ok(), "{}", dry.text);
    assert_eq!((dry.header("location"), dry.header("etag")), ("", ""));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_dry_run_that_is_named_without_a_value_writes_nothing(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = writing_key(&test).await;
    for (method, path) in WRITES {
        for flag in ["dry_run", "dry_run=", "dry_run=true"] {
            let request = key.request(method, &format!("{path}?{flag}"));
            let dry = write(&test, request).await;
            assert_eq!(dry.json["data"]["dry_run"], true, "{path}: {}", dry.text);
        }
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn if_match_becomes_a_precondition(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = writing_key(&test).await;
    test.catalogue.set_revision(7);
    for path in ["/games/kora", "/events/kora"] {
        let read = test.get(&key, path).await;
        let tag = read.header("etag").to_owned();
        assert!(tag.starts_with("\"r7-"), "{tag}");
        // A proxy that compresses has appended its suffix.
        let with_suffix = format!("{}-gzip\"", tag.trim_end_matches('"'));
        for (sent, condition) in [
            (None, None),
            (Some("*"), None),
            (Some(&*tag), Some(vec![7])),
            (Some(&*with_suffix), Some(vec![7])),
            (Some(r#""r7-gzip""#), Some(vec![])),
            (Some(r#""r7", "r8""#), Some(vec![7, 8])),
            (Some(r#"W/"r7""#), Some(vec![])),
        ] {
            let call = key.request("PATCH", path);
            let call = sent
                .iter()
                .fold(call, |call, sent| call.header(IF_MATCH, *sent));
            let response = write(&test, call).await;
            assert!(response.is_ok(), "{sent:?}: {}", response.text);
            assert_eq!(test.listings.preconditions(), [condition], "{sent:?}");
        }
        let bad = write(&test, key.request("PATCH", path).header(IF_MATCH, "r7")).await;
        assert_eq!(bad.error(), (400, "invalid"));
        assert_eq!(bad.fields(), ["If-Match"]);
        assert_eq!(
            test.listings.preconditions(),
            [],
            "listings-svc is not asked"
        );
    }
    let changed = Fault::new(Code::PreconditionFailed, "the listing has changed since");
    test.listings.set_outcome(Outcome::Refused(changed));
    let call = key
        .request("PATCH", "/games/kora")
        .header(IF_MATCH, "\"r6\"");
    let response = write(&test, call).await;
    assert_eq!(response.error(), (412, "precondition_failed"));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_tag_of_a_read_depends_on_its_data_besides_the_revision(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    test.catalogue.set_revision(7);
    let mut tags = Vec::new();
    for creator in ["Old name", "New name"] {
        test.catalogue
            .set_data(format!(r#"{{"creator":"{creator}"}}"#), 1);
        let read = test.get(&key, "/games/kora").await;
        tags.push(read.headers[ETAG].clone());
    }
    assert_ne!(tags[0], tags[1]);
}

/// A POST is repeated with its `Idempotency-Key`; a PATCH takes none.
fn assert_says_how_to_repeat(response: &TestResponse, method: &str) {
    let message = response.json["error"]["message"].as_str().unwrap();
    let by_key = message.contains("Idempotency-Key");
    let by_itself = message.contains("the same PATCH");
    let expected = (method == "POST", method == "PATCH");
    assert_eq!((by_key, by_itself), expected, "{message}");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_write_that_misses_its_deadline_has_an_unknown_outcome(pool: PgPool) {
    let with = TestConfig {
        upstream: upstream::CallLimits {
            write_deadline: Duration::from_secs(3),
            ..UPSTREAM
        },
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let key = writing_key(&test).await;
    eventually("the gateway is connected", async || {
        write(&test, key.request("POST", "/games")).await.status == 201
    })
    .await;
    let before = test.listings.writes();
    test.listings.set_outcome(Outcome::Hangs);
    let requests = WRITES.map(|(method, path)| write(&test, key.request(method, path)));
    for (response, (method, path)) in join_all(requests).await.iter().zip(WRITES) {
        assert_eq!(response.error(), (504, "outcome_unknown"), "{path}");
        assert_eq!(response.header("retry-after"), "", "{path}");
        assert_says_how_to_repeat(response, method);
    }
    assert_eq!(test.listings.writes() - before, 4, "each is made once");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_write_without_a_response_has_an_unknown_outcome(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = writing_key(&test).await;
    test.listings.set_outcome(Outcome::Lost);
    for (writes, (method, path)) in (1..).zip(WRITES) {
        let response = write(&test, key.request(method, path)).await;
        assert_eq!(response.error(), (504, "outcome_unknown"), "{path}");
        assert_eq!(response.header("retry-after"), "", "{path}");
        assert_says_how_to_repeat(&response, method);
        assert_eq!(test.listings.writes(), writes, "a write is made once");
    }
    // The service itself may not know the outcome of a commit.
    let unknown = Fault::outcome_unknown("a test");
    test.listings.set_outcome(Outcome::Refused(unknown));
    for (method, path) in WRITES {
        let response = write(&test, key.request(method, path)).await;
        assert_eq!(response.error(), (504, "outcome_unknown"), "{path}");
        assert_says_how_to_repeat(&response, method);
    }
    // An error of the service itself is a known outcome, and so is a failure to send.
    test.listings
        .set_outcome(Outcome::Refused(Fault::unavailable("a test")));
    let refused = write(&test, key.request("POST", "/games")).await;
    assert_eq!(refused.error(), (503, "unavailable"));
    assert_eq!(refused.header("retry-after"), "1");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_write_that_was_not_sent_is_unavailable(pool: PgPool) {
    let with = TestConfig {
        no_listings: true,
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let key = writing_key(&test).await;
    let response = write(&test, key.request("POST", "/games")).await;
    assert_eq!(response.error(), (503, "unavailable"));
    assert_eq!(response.header("retry-after"), "1");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_body_with_a_coding_is_refused_and_nothing_is_decompressed(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = writing_key(&test).await;
    for (coding, named) in [
        ("gzip", "`gzip`"),
        ("br", "`br`"),
        ("ZSTD", "`ZSTD`"),
        ("identity, x-gzip", "`x-gzip`"),
    ] {
        for (method, path) in WRITES {
            let call = key.request(method, path).header(CONTENT_ENCODING, coding);
            let refused = write(&test, call).await;
            assert_eq!(refused.error(), (415, "unsupported_encoding"), "{path}");
            assert_eq!(refused.header("accept-encoding"), "identity");
            let message = refused.json["error"]["message"].as_str().unwrap();
            assert!(message.contains(named), "{message}");
        }
    }
    assert_eq!(test.listings.writes(), 0);
    for coding in ["identity", "Identity,identity", ""] {
        let call = key.request("POST", "/games");
        let written = write(&test, call.header(CONTENT_ENCODING, coding)).await;
        assert_eq!(written.status, 201, "{coding}: {}", written.text);
    }
    // The length is checked first: nothing of such a body is read.
    let call = key
        .request("POST", "/games")
        .header(CONTENT_ENCODING, "gzip");
    let long = write(&test, call.header(CONTENT_LENGTH, 300_000)).await;
    assert_eq!(long.error(), (413, "too_large"));
    // Other routes with a body, of another key.
    let game = key_of_game(&test, "secret").await;
    for path in ["/economy/report", "/play/tips"] {
        let call = game.request("POST", path).header(CONTENT_ENCODING, "gzip");
        let refused = write(&test, call).await;
        assert_eq!(refused.error(), (415, "unsupported_encoding"), "{path}");
        assert_eq!(refused.header("accept-encoding"), "identity");
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_byte_order_mark_before_a_body_is_ignored(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = key_of_game(&test, "secret").await;
    let body = "\u{feff}{\"supply\":1}";
    let call = key.request("POST", "/economy/report").body(body.into());
    let reported = test.send(call.unwrap()).await;
    assert_eq!(reported.status, 201, "{}", reported.text);
    assert_eq!(test.economy.reports()[0].body, "{\"supply\":1}");
    let twice = format!("\u{feff}{body}");
    let call = key.request("POST", "/economy/report").body(twice.into());
    let refused = test.send(call.unwrap()).await;
    assert_eq!(refused.error(), (400, "bad_json"));
}
