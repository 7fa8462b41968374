//! `GET /webhooks/messages` (§10.17).

use contracts::common::v1::Mode;
use http::header::IF_NONE_MATCH;
use kit::api::timestamp;
use kit::{Code, Fault};
use sqlx::PgPool;
use time::macros::datetime;

use crate::support::Test;
use crate::support::webhooks::MESSAGES;

const PATH: &str = "/webhooks/messages";

#[testing::database_test(gateway::MIGRATOR)]
async fn messages_of_the_account_are_forwarded(pool: PgPool) {
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
        ("?since=2026-03-01T08:00:00Z", Some(datetime!(2026-03-01 08:00 UTC)), false),
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
    assert_eq!((request.account_id, request.mode), (account, Mode::Test.into()));
    assert_eq!(
        (request.after.as_str(), request.event.as_str(), request.limit),
        ("abc", "tip.paid", 7)
    );
}

#[testing::database_test(gateway::MIGRATOR)]
async fn bad_parameters_and_errors_of_the_service_are_returned(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("build").await;
    let key = test.key(&account, "live").await;
    for (query, field) in [
        ("limit=101", "limit"),
        ("after=a&after=b", "after"),
        ("since=Now", "since"),
        ("since=2026-02-30", "since"),
        ("event=%ff", "event"),
        ("After=a", "After"),
    ] {
        let response = test.get(&key, &format!("{PATH}?{query}")).await;
        assert_eq!(response.error(), (400, "invalid"), "{query}");
        assert_eq!(response.fields(), [field], "{query}");
    }
    test.webhooks.refuse(Fault::invalid_field("event", "Use one of these."));
    let both = test.get(&key, &format!("{PATH}?limit=101&event=x")).await;
    assert_eq!(both.fields(), ["event", "limit"]);
    test.webhooks.refuse(Fault::new(Code::Gone, "There may have been messages."));
    let gone = test.get(&key, &format!("{PATH}?after=a")).await;
    assert_eq!(gone.error(), (410, "gone"));
}
