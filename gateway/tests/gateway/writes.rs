//! Writes as the gateway passes them on (§4.3): where what was created is, `If-Match`, and a write that is not answered.

use std::time::Duration;

use contracts::gateway::v1 as proto;
use gateway::upstream;
use http::header::{ETAG, IF_MATCH};
use kit::{Code, Fault};
use sqlx::PgPool;

use crate::support::{Answer, Held, Outcome, Test, UPSTREAM, With, account_key};

const BODY: &str = r#"{"title": "Kora"}"#;
const WRITES: [(&str, &str); 4] = [
    ("POST", "/games"),
    ("POST", "/events"),
    ("PATCH", "/games/kora"),
    ("PATCH", "/events/kora"),
];

async fn writing_key(test: &Test) -> Held {
    let account = test.account("free").await;
    let request = proto::CreateKeyRequest {
        may_write: true,
        ..account_key(&account, "live")
    };
    test.key_like(request).await.unwrap()
}

async fn write(test: &Test, call: http::request::Builder) -> Answer {
    test.send(call.body(BODY.into()).unwrap()).await
}

#[sqlx::test]
async fn an_answer_to_a_write_says_where_it_is_and_at_which_revision(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = writing_key(&test).await;
    for (method, path) in WRITES {
        let answer = write(&test, key.request(method, path)).await;
        let (status, location) = match method {
            "POST" => (201, format!("/v1{path}/kora")),
            _ => (200, String::new()),
        };
        assert_eq!(answer.status, status, "{path}: {}", answer.text);
        assert_eq!(answer.header("location"), location);
        assert_eq!(answer.header("etag"), r#""r7""#);
    }
    let dry = write(&test, key.request("POST", "/games?dry_run=true")).await;
    assert!(dry.is_ok(), "{}", dry.text);
    assert_eq!((dry.header("location"), dry.header("etag")), ("", ""));
}

#[sqlx::test]
async fn a_change_is_bound_to_the_revisions_that_if_match_names(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = writing_key(&test).await;
    test.catalogue.revised(7);
    for path in ["/games/kora", "/events/kora"] {
        let read = test.get(&key, path).await;
        let tag = read.header("etag").to_owned();
        assert!(tag.starts_with("\"r7-"), "{tag}");
        for (sent, condition) in [
            (None, None),
            (Some("*"), None),
            (Some(&*tag), Some(vec![7])),
            (Some(r#""r7", "r8""#), Some(vec![7, 8])),
            (Some(r#"W/"r7""#), Some(vec![])),
        ] {
            let call = key.request("PATCH", path);
            let call = sent
                .iter()
                .fold(call, |call, sent| call.header(IF_MATCH, *sent));
            let answer = write(&test, call).await;
            assert!(answer.is_ok(), "{sent:?}: {}", answer.text);
            assert_eq!(test.listings.preconditions(), [condition], "{sent:?}");
        }
        let bad = write(&test, key.request("PATCH", path).header(IF_MATCH, "r7")).await;
        assert_eq!(bad.refusal(), (400, "invalid"));
        assert_eq!(bad.fields(), ["If-Match"]);
        assert_eq!(test.listings.preconditions(), []);
    }
    let changed = Fault::new(Code::PreconditionFailed, "the listing has changed since");
    test.listings.ends(Outcome::Refused(changed));
    let call = key
        .request("PATCH", "/games/kora")
        .header(IF_MATCH, "\"r6\"");
    let answer = write(&test, call).await;
    assert_eq!(answer.refusal(), (412, "precondition_failed"));
}

#[sqlx::test]
async fn a_read_s_tag_changes_with_what_it_shows_even_at_one_revision(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    test.catalogue.revised(7);
    let mut tags = Vec::new();
    for creator in ["Old name", "New name"] {
        test.catalogue
            .holds(format!(r#"{{"creator":"{creator}"}}"#), 1);
        let read = test.get(&key, "/games/kora").await;
        tags.push(read.headers[ETAG].clone());
    }
    assert_ne!(tags[0], tags[1]);
}

/// A POST is repeated with its key; a PATCH takes none.
fn assert_says_how_to_repeat(answer: &Answer, method: &str) {
    let message = answer.json["error"]["message"].as_str().unwrap();
    let by_key = message.contains("Idempotency-Key");
    let by_itself = message.contains("the same PATCH");
    let expected = (method == "POST", method == "PATCH");
    assert_eq!((by_key, by_itself), expected, "{message}");
}

#[sqlx::test]
async fn a_write_without_an_answer_is_not_said_to_be_worth_repeating(pool: PgPool) {
    let with = With {
        upstream: upstream::Bounds {
            write_deadline: Duration::from_millis(300),
            ..UPSTREAM
        },
        ..With::default()
    };
    let test = Test::with(pool, with).await;
    let key = writing_key(&test).await;
    let mut writes = 0;
    for outcome in [Outcome::Hangs, Outcome::Lost] {
        test.listings.ends(outcome);
        for (method, path) in WRITES {
            let answer = write(&test, key.request(method, path)).await;
            assert_eq!(answer.refusal(), (504, "outcome_unknown"), "{path}");
            assert_eq!(answer.header("retry-after"), "", "{path}");
            assert_says_how_to_repeat(&answer, method);
            writes += 1;
            assert_eq!(test.listings.writes(), writes, "a write is made once");
        }
    }
    // The service itself may not know what became of a commit.
    let unknown = Fault::outcome_unknown("a test");
    test.listings.ends(Outcome::Refused(unknown));
    for (method, path) in WRITES {
        let answer = write(&test, key.request(method, path)).await;
        assert_eq!(answer.refusal(), (504, "outcome_unknown"), "{path}");
        assert_says_how_to_repeat(&answer, method);
    }
    // What the service says for itself is known, and so is what never reached it.
    test.listings
        .ends(Outcome::Refused(Fault::unavailable("a test")));
    let refused = write(&test, key.request("POST", "/games")).await;
    assert_eq!(refused.refusal(), (503, "unavailable"));
    assert_eq!(refused.header("retry-after"), "1");
}

#[sqlx::test]
async fn a_write_that_was_never_sent_is_worth_repeating(pool: PgPool) {
    let with = With {
        no_listings: true,
        ..With::default()
    };
    let test = Test::with(pool, with).await;
    let key = writing_key(&test).await;
    let answer = write(&test, key.request("POST", "/games")).await;
    assert_eq!(answer.refusal(), (503, "unavailable"));
    assert_eq!(answer.header("retry-after"), "1");
}
