//! Changes by token (§10.18): what happens when a response is lost, or the caller hangs up.

use std::future::Future;
use std::pin::pin;
use std::task::Poll;

use kit::Fault;
use serde_json::json;
use sqlx::PgPool;

use crate::account_api::{ALL, changes, post, token};
use crate::support::webhook_deliveries::REASON;
use crate::support::webhook_endpoints::{ENDPOINT, URL};
use crate::support::{Outcome, Test, TestKey, TestResponse, eventually};

/// Polls a call until `begun` holds, and hangs up.
async fn hang_up(call: impl Future<Output = TestResponse>, begun: impl Fn() -> bool) {
    let mut call = pin!(call);
    let answered = std::future::poll_fn(|context| {
        if begun() {
            return Poll::Ready(false);
        }
        // The stub does not wake this task.
        context.waker().wake_by_ref();
        call.as_mut().poll(context).map(|_response| true)
    });
    assert!(!answered.await, "the call was answered before");
}

/// What the tokens of an account did to endpoints, the oldest first, with the address.
async fn recorded(test: &Test, account: &str) -> Vec<(String, String)> {
    let mut all = changes(test, account, "", 0).await.unwrap();
    all.reverse();
    let of_endpoints = all.into_iter().filter(|it| !it.endpoint_change.is_empty());
    of_endpoints
        .map(|it| (it.endpoint_change, it.subject))
        .collect()
}

async fn send(test: &Test, caller: &TestKey, method: &str, path: &str) -> TestResponse {
    let body = json!({"url": URL, "events": ["tip.paid"]}).to_string();
    test.send(caller.request(method, path).body(body.into()).unwrap())
        .await
}

fn calls() -> [(&'static str, String, &'static str); 5] {
    let path = format!("/account/endpoints/{ENDPOINT}");
    [
        ("POST", "/account/endpoints".to_owned(), "add"),
        ("PATCH", path.clone(), "change"),
        ("POST", format!("{path}/rotate-secret"), "rotate-secret"),
        ("POST", format!("{path}/pause"), "pause"),
        ("DELETE", path, "remove"),
    ]
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_change_is_recorded_when_its_caller_hangs_up(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("build").await;
    let caller = token(&test, &account, &ALL).await;
    test.webhooks.set_outcome(Outcome::Hangs);
    let mut expected = Vec::new();
    for (method, path, change) in calls() {
        let before = test.webhooks.changes();
        let call = send(&test, &caller, method, &path);
        hang_up(call, || test.webhooks.changes() > before).await;
        assert_eq!(recorded(&test, &account).await, expected, "{change}");
        test.webhooks.release();
        expected.push((change.to_owned(), URL.to_owned()));
        eventually("the change is recorded", async || {
            recorded(&test, &account).await == expected
        })
        .await;
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_change_with_an_unknown_outcome_is_recorded_and_says_what_to_do(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("build").await;
    let caller = token(&test, &account, &ALL).await;
    test.webhooks.set_outcome(Outcome::Lost);
    let mut expected = Vec::new();
    for (method, path, change) in calls() {
        let response = send(&test, &caller, method, &path).await;
        assert_eq!(response.error(), (504, "outcome_unknown"), "{change}");
        let message = response.json["error"]["message"].as_str().unwrap();
        assert!(message.contains("/account/endpoints"), "{message}");
        assert!(!message.contains("Idempotency-Key"), "{message}");
        expected.push((change.to_owned(), URL.to_owned()));
        assert_eq!(recorded(&test, &account).await, expected);
    }
    // A change that was refused has not happened.
    let refusal = Fault::invalid_field("url", "No.");
    test.webhooks.set_outcome(Outcome::Refused(refusal));
    for (method, path, change) in calls() {
        let response = send(&test, &caller, method, &path).await;
        assert_eq!(response.error(), (400, "invalid"), "{change}");
    }
    assert_eq!(recorded(&test, &account).await, expected);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn changes_of_keys_and_of_endpoints_are_one_list_in_order_of_time(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("build").await;
    let caller = token(&test, &account, &ALL).await;
    let pause = format!("/account/endpoints/{ENDPOINT}/pause");
    for name in ["one", "two"] {
        let body = json!({"name": name, "mode": "test"});
        let made = post(&test, &caller, "/account/keys", &body).await;
        assert_eq!(made.status, 201, "{}", made.json);
        assert!(post(&test, &caller, &pause, &json!({})).await.is_ok());
    }
    let all = changes(&test, &account, "", 0).await.unwrap();
    let shown: Vec<(&str, &str)> = all
        .iter()
        .map(|it| (it.action.as_str(), it.subject.as_str()))
        .collect();
    let expected = [
        ("change_endpoint", URL),
        ("create_key", "two"),
        ("change_endpoint", URL),
        ("create_key", "one"),
    ];
    assert_eq!(shown, expected);
    assert!(all.iter().all(|it| it.token == all[0].token));
    assert!(all.iter().all(|it| it.address == all[0].address));
    let first = changes(&test, &account, "", 3).await.unwrap();
    assert_eq!(first, all[..3]);
    let rest = changes(&test, &account, &first[2].id, 3).await.unwrap();
    assert_eq!(rest, all[3..]);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_idempotency_key_is_refused(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("build").await;
    let caller = token(&test, &account, &ALL).await;
    for path in [
        "/account/keys".to_owned(),
        format!("/account/endpoints/{ENDPOINT}/rotate-secret"),
        format!("/account/deliveries/recover?endpoint={ENDPOINT}"),
    ] {
        let call = caller.request("POST", &path);
        let call = call.header("idempotency-key", "a");
        let body = json!({"name": "ci", "mode": "test"}).to_string();
        let refused = test.send(call.body(body.into()).unwrap()).await;
        assert_eq!(refused.error(), (400, "invalid"), "{path}");
        assert_eq!(refused.fields(), ["Idempotency-Key"], "{path}");
    }
    assert_eq!(test.webhooks.changes(), 0);
    let listed = test.get(&caller, "/account/keys").await;
    assert_eq!(listed.json["meta"]["total"], 0);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_dry_run_is_refused_by_every_write_that_has_none(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("build").await;
    let caller = token(&test, &account, &ALL).await;
    let key = test.key(&account, "test").await;
    let of_key = |action: &str| ("POST", format!("/account/keys/{}/{action}", key.id));
    let endpoint = format!("/account/endpoints/{ENDPOINT}");
    let actions = ["pause", "resume", "rotate-secret", "switch-secret", "test"];
    let actions = actions.map(|action| ("POST", format!("{endpoint}/{action}")));
    let send_again = format!("/account/deliveries/1/send-again?endpoint={ENDPOINT}");
    let mut calls = vec![
        ("POST", "/account/keys".to_owned()),
        of_key("rotate"),
        of_key("revoke"),
        of_key("reveal"),
        ("POST", "/account/endpoints".to_owned()),
        ("PATCH", endpoint.clone()),
        ("DELETE", endpoint),
        ("POST", send_again),
    ];
    calls.extend(actions);
    let writes = gateway::router::operations(&test.app);
    let writes = writes.filter(|(method, pattern)| {
        *method != http::Method::GET && pattern.starts_with("/v1/account/")
    });
    // The actions of an endpoint are one route, and one write has a dry run.
    assert_eq!(writes.count(), calls.len() - 4 + 1);
    for (method, path) in &calls {
        let mark = if path.contains('?') { '&' } else { '?' };
        let wanted = [("dry_run=true", "dry_run"), ("dry-run=true", "dry-run")];
        for (query, field) in wanted {
            let path = format!("{path}{mark}{query}");
            let body = json!({"name": "ci", "mode": "test", "url": URL, "events": ["tip.paid"]});
            let call = caller.request(method, &path).body(body.to_string().into());
            let refused = test.send(call.unwrap()).await;
            assert_eq!(refused.error(), (400, "invalid"), "{method} {path}");
            assert_eq!(refused.fields(), [field], "{method} {path}");
        }
    }
    assert_eq!(test.webhooks.changes(), 0);
    let listed = test.get(&caller, "/account/keys").await;
    assert_eq!(listed.json["meta"]["total"], 1);
    assert_eq!(listed.json["data"][0]["state"], "working");
    let body = json!({"name": "ci", "mode": "test"});
    let made = post(&test, &caller, "/account/keys?dry_run=false", &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn every_bad_field_of_an_endpoint_is_named_after_it_is_found(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("build").await;
    let caller = token(&test, &account, &ALL).await;
    let own = format!("/account/endpoints/{ENDPOINT}");
    let foreign = format!("/account/endpoints/{}", kit::ids::row_id());
    for (method, path) in [("POST", "/account/endpoints"), ("PATCH", &own)] {
        for (body, fields) in [
            (
                json!({"url": "http://a", "events": 1, "x": 1}),
                vec!["events", "x"],
            ),
            (json!({"url": "https://a", "x": 1}), vec!["x"]),
            (
                json!({"url": "https://a", "x": 1, "rate_limit": -1}),
                vec!["rate_limit", "x"],
            ),
            // The values are checked by webhook-svc once this service can read the body.
            (
                json!({"url": "http://a", "rate_limit": 10_001}),
                vec!["rate_limit", "url"],
            ),
            (
                json!({"url": 1, "rate_limit": "a"}),
                vec!["rate_limit", "url"],
            ),
        ] {
            let call = caller.request(method, path).body(body.to_string().into());
            let refused = test.send(call.unwrap()).await;
            assert_eq!(refused.error(), (400, "invalid"), "{method} {body}");
            assert_eq!(refused.fields(), fields, "{method} {body}");
        }
    }
    let test_twice = "test?event=ping&event=ping&kind=%zz";
    let refused = post(&test, &caller, &format!("{own}/{test_twice}"), &json!({})).await;
    assert_eq!(refused.fields(), ["event", "kind"]);
    assert_eq!(test.webhooks.changes(), 0, "nothing was changed");
    let bad = json!({"url": 1}).to_string();
    let call = caller.request("PATCH", &foreign).body(bad.into());
    let not_found = test.send(call.unwrap()).await;
    assert_eq!(not_found.error(), (404, "not_found"));
    let not_found = post(
        &test,
        &caller,
        &format!("{foreign}/{test_twice}"),
        &json!({}),
    )
    .await;
    assert_eq!(not_found.error(), (404, "not_found"));
    // And so with keys.
    let rotate = format!("/account/keys/{}/rotate", kit::ids::row_id());
    for query in ["grace_seconds=1", "grace_seconds=soon"] {
        let not_found = post(&test, &caller, &format!("{rotate}?{query}"), &json!({})).await;
        assert_eq!(not_found.error(), (404, "not_found"), "{query}");
    }
}

/// The parameter of these calls is `endpoint`; webhook-svc calls the field `endpoint_id`.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_refused_endpoint_is_named_as_in_the_query(pool: PgPool) {
    let test = Test::new(pool).await;
    let account = test.account("build").await;
    let caller = token(&test, &account, &ALL).await;
    let query = format!("endpoint={ENDPOINT}");
    let since = "since=2026-01-01T00:00:00Z";
    for (method, path) in [
        ("GET", format!("/account/deliveries?{query}")),
        ("GET", format!("/account/deliveries?{query}&state=lost")),
        ("GET", format!("/account/deliveries/1?{query}")),
        ("POST", format!("/account/deliveries/1/send-again?{query}")),
        (
            "POST",
            format!("/account/deliveries/recover?{query}&{since}"),
        ),
        ("POST", format!("/account/endpoints/{ENDPOINT}/test")),
    ] {
        let call = caller.request(method, &path).body(String::new().into());
        let refused = test.send(call.unwrap()).await;
        assert_eq!(refused.error(), (400, "invalid"), "{method} {path}");
        let mut expected = vec!["endpoint"];
        expected.extend(path.contains("state=").then_some("state"));
        assert_eq!(refused.fields(), expected, "{method} {path}");
        assert_eq!(refused.json["fields"]["endpoint"], REASON, "{path}");
        assert!(!refused.text.contains("endpoint_id"), "{}", refused.text);
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_leaked_key_is_revoked_while_the_site_is_read_only(pool: PgPool) {
    let mut test = Test::new(pool).await;
    let account = test.account("free").await;
    let caller = token(&test, &account, &ALL).await;
    let key = test.key(&account, "test").await;
    crate::switches::set(&test, "read_only", true, "")
        .await
        .unwrap();
    test.catch_up().await;
    let path = format!("/account/keys/{}", key.id);
    let closed = post(&test, &caller, &format!("{path}/rotate"), &json!({})).await;
    assert_eq!(closed.error(), (503, "closed"));
    let recover = format!("/account/deliveries/recover?endpoint={ENDPOINT}");
    let closed = post(&test, &caller, &recover, &json!({})).await;
    assert_eq!(closed.error(), (503, "closed"));
    let counted = post(
        &test,
        &caller,
        &format!("{recover}&dry_run=true"),
        &json!({}),
    )
    .await;
    assert_ne!(counted.error(), (503, "closed"));
    let revoked = post(&test, &caller, &format!("{path}/revoke"), &json!({})).await;
    assert_eq!(revoked.json["data"]["state"], "revoked", "{}", revoked.text);
    assert_eq!(test.get(&key, "/games").await.error(), (401, "invalid_key"));
}
