//! Writes through the gateway (§4.3): `Location`, `If-Match`, and unknown outcomes.

use std::time::Duration;

use contracts::gateway::v1 as proto;
use futures::future::join_all;
use gateway::upstream;
use http::header::IF_MATCH;
use kit::{Code, Fault};
use sqlx::PgPool;

use crate::support::{
    Outcome, Test, TestConfig, TestKey, TestResponse, UPSTREAM, account_key, eventually,
};

const BODY: &str = r#"{"title": "Kora"}"#;
const WRITES: [(&str, &str); 4] =
    [("POST", "/games"), ("POST", "/events"), ("PATCH", "/games/kora"), ("PATCH", "/events/kora")];

async fn writing_key(test: &Test) -> TestKey {
    let account = test.account("free").await;
    let request = proto::CreateKeyRequest { may_write: true, ..account_key(&account, "live") };
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
        // The daily limit of the plan.
        assert_eq!(test.listings.last_write().author.unwrap().writes_per_day, Some(50), "{path}");
    }
    let dry = write(&test, key.request("POST", "/games?dry_run=true")).await;
    assert!(dry.is_ok(), "{}", dry.text);
    assert_eq!((dry.header("location"), dry.header("etag")), ("", ""));
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
        // A compressing proxy appends a suffix to the tag.
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
            let call = sent.iter().fold(call, |call, sent| call.header(IF_MATCH, *sent));
            let response = write(&test, call).await;
            assert!(response.is_ok(), "{sent:?}: {}", response.text);
            assert_eq!(test.listings.preconditions(), [condition], "{sent:?}");
        }
        let bad = write(&test, key.request("PATCH", path).header(IF_MATCH, "r7")).await;
        assert_eq!(bad.error(), (400, "invalid"));
        assert_eq!(bad.fields(), ["If-Match"]);
        assert_eq!(test.listings.preconditions(), [None]);
        assert!(test.listings.last_write().dry_run, "nothing is written");
    }
    let changed = Fault::new(Code::PreconditionFailed, "the listing has changed since");
    test.listings.set_outcome(Outcome::Refused(changed));
    let call = key.request("PATCH", "/games/kora").header(IF_MATCH, "\"r6\"");
    let response = write(&test, call).await;
    assert_eq!(response.error(), (412, "precondition_failed"));
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_error_has_the_bad_headers_parameters_and_fields_of_a_write(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = writing_key(&test).await;
    let invalid = Fault::invalid_field("title", "Give a title.");
    for (method, path, header) in [
        ("POST", "/games", "Idempotency-Key"),
        ("POST", "/events", "Idempotency-Key"),
        ("PATCH", "/games/kora", "If-Match"),
        ("PATCH", "/events/kora", "If-Match"),
    ] {
        for (outcome, fields) in [
            (Outcome::Written, &[header, "dry_run"][..]),
            (Outcome::Refused(invalid.clone()), &[header, "dry_run", "title"]),
        ] {
            test.listings.set_outcome(outcome);
            let call = key.request(method, &format!("{path}?dry_run=1")).header(header, "a b");
            let response = write(&test, call).await;
            assert_eq!(response.error(), (400, "invalid"), "{path}");
            assert_eq!(response.fields(), fields, "{path}");
            assert!(test.listings.last_write().dry_run, "nothing is written");
        }
    }
}

/// The error of a POST advises to repeat it with its `Idempotency-Key`, that of a PATCH to repeat the PATCH.
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
        upstream: upstream::CallLimits { write_deadline: Duration::from_secs(3), ..UPSTREAM },
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
    // The service itself may not know the outcome of its commit.
    let unknown = Fault::outcome_unknown("a test");
    test.listings.set_outcome(Outcome::Refused(unknown));
    for (method, path) in WRITES {
        let response = write(&test, key.request(method, path)).await;
        assert_eq!(response.error(), (504, "outcome_unknown"), "{path}");
        assert_says_how_to_repeat(&response, method);
    }
    // An error of the service is a known outcome.
    test.listings.set_outcome(Outcome::Refused(Fault::unavailable("a test")));
    let refused = write(&test, key.request("POST", "/games")).await;
    assert_eq!(refused.error(), (503, "unavailable"));
    assert_eq!(refused.header("retry-after"), "1");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_write_that_was_not_sent_is_unavailable(pool: PgPool) {
    let with = TestConfig { no_listings: true, ..TestConfig::default() };
    let test = Test::with(pool, with).await;
    let key = writing_key(&test).await;
    let response = write(&test, key.request("POST", "/games")).await;
    assert_eq!(response.error(), (503, "unavailable"));
    assert_eq!(response.header("retry-after"), "1");
}
