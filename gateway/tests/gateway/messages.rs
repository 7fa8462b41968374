//! `GET /webhooks/messages` (§10.17).

use contracts::common::v1::Mode;
use contracts::gateway::v1 as proto;
use gateway::domain::plan_table;
use http::header::IF_NONE_MATCH;
use kit::api::timestamp;
use kit::{Code, Fault};
use serde_json::Value;
use sqlx::PgPool;
use time::macros::datetime;

use crate::support::webhooks::MESSAGES;
use crate::support::{Test, TestConfig, account_key};

const PATH: &str = "/webhooks/messages";

#[testing::database_test(gateway::MIGRATOR)]
async fn messages_of_the_account_are_passed_on(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("build").await;
    let key = test.key(&account, "live").await;
    let query = "?after=abc&event=tip.paid&limit=7";
    let response = test.get(&key, &format!("{PATH}{query}")).await;
    assert!(response.is_ok(), "{}", response.text);
    assert!(response.text.contains(MESSAGES), "{}", response.text);
    assert_eq!(response.json["meta"]["next_cursor"], "c");
    assert_eq!(response.json["meta"]["total"], 1);
    assert!(response.header("ratelimit").contains("\"month\""));
    for (query, since, from_now) in [
        ("", None, false),
        ("?since=now", None, true),
        (
            "?since=2026-03-01T08:00:00Z",
            Some(datetime!(2026-03-01 08:00 UTC)),
            false,
        ),
    ] {
        test.get(&key, &format!("{PATH}{query}")).await;
        let request = test.webhooks.messages().pop().unwrap();
        assert_eq!(request.from_now, from_now, "{query}");
        assert_eq!(request.since, since.map(timestamp::encode), "{query}");
    }

    let tag = response.header("etag").to_owned();
    let known = test.call(key.get(PATH).header(IF_NONE_MATCH, &tag)).await;
    assert_eq!(known.status, 304);
    let sample = test.key(&account, "test").await;
    test.webhooks.messages();
    assert!(test.get(&sample, &format!("{PATH}{query}")).await.is_ok());
    let request = test.webhooks.messages().pop().unwrap();
    assert_eq!(
        (request.account_id, request.mode),
        (account, Mode::Test.into())
    );
    assert_eq!(
        (
            request.after.as_str(),
            request.event.as_str(),
            request.limit
        ),
        ("abc", "tip.paid", 7)
    );
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_plan_without_events_and_a_public_key_get_none(pool: PgPool) {
    let test = Test::new(pool).await;
    crate::keys::publish(&test, "kora", true).await;
    let free = test.account("free").await;
    let refused = test.get(&test.key(&free, "live").await, PATH).await;
    assert_eq!(refused.error(), (403, "plan_required"));
    let message = "Your plan Free does not include real webhook events. The plan Partner does.";
    assert_eq!(refused.json["error"]["message"], message);
    assert_eq!(refused.header("ratelimit"), "", "it is not counted");
    assert!(test.get(&test.key(&free, "test").await, PATH).await.is_ok());

    let account = test.account("build").await;
    for (kind, code) in [("secret", ""), ("public", "secret_key_required")] {
        let request = proto::CreateKeyRequest {
            kind: kind.to_owned(),
            game: Some("kora".to_owned()),
            ..account_key(&account, "live")
        };
        let key = test.key_like(request).await.unwrap();
        let response = test.get(&key, PATH).await;
        if code.is_empty() {
            assert!(response.is_ok(), "{}", response.text);
        } else {
            assert_eq!(response.error(), (403, code));
        }
        let page = key.get(PATH).header("origin", "https://page.example");
        assert_eq!(test.call(page).await.status, 403);
    }
    assert_eq!(test.webhooks.messages().len(), 2);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn the_message_says_when_no_plan_has_events(pool: PgPool) {
    let table = "[[plan]]\nname = \"free\"\ntitle = \"Free\"\nwebhook_events = false";
    let config = TestConfig {
        plans: plan_table::parse(table).unwrap(),
        ..TestConfig::default()
    };
    let test = Test::with(pool, config).await;
    let account = test.account("free").await;
    let refused = test.get(&test.key(&account, "live").await, PATH).await;
    assert_eq!(refused.error(), (403, "plan_required"));
    let message = refused.json["error"]["message"].as_str().unwrap();
    assert!(message.contains("No plan includes it"), "{message}");
}

#[testing::database_test(gateway::MIGRATOR)]
async fn bad_parameters_and_refusals_have_their_answers(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("build").await;
    let key = test.key(&account, "live").await;
    for (query, field) in [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("after=a&after=b", "after"),
        ("since=yesterday", "since"),
        ("since=Now", "since"),
        ("since=now&since=now", "since"),
        ("since=2026-02-30", "since"),
        ("since=2026-03-01T10:00:00+02:00", "since"),
        ("event=%ff", "event"),
        ("After=a", "After"),
    ] {
        let response = test.get(&key, &format!("{PATH}?{query}")).await;
        assert_eq!(response.error(), (400, "invalid"), "{query}");
        assert_eq!(response.fields(), [field], "{query}");
    }
    let day = test.get(&key, &format!("{PATH}?since=2026-03-01")).await;
    assert!(day.is_ok(), "{}", day.text);
    let post = test.call(key.request("POST", PATH)).await;
    assert_eq!(post.error(), (405, "method_not_allowed"));
    assert_eq!(
        test.get(&key, "/webhooks").await.error(),
        (404, "not_found")
    );

    test.webhooks
        .refuse(Fault::new(Code::Gone, "There may have been messages."));
    let gone = test.get(&key, &format!("{PATH}?after=a")).await;
    assert_eq!(gone.error(), (410, "gone"));
    assert_eq!(gone.json["data"], Value::Null);
}
