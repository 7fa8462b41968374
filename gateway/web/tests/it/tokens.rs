//! Tokens for the account API: shown once, made once, revoked.

use std::sync::atomic::Ordering;

use contracts::gateway::v1 as proto;
use kit::ids;
use sqlx::PgPool;
use web::domain::role::Role;

use crate::support::{ADA, BOB, Site};

#[testing::database_test(web::MIGRATOR)]
async fn a_token_is_made_once_shown_once_and_revoked(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let mut browser = site.signed_in(ADA).await;
    let tokens = format!("/accounts/{account}/tokens");
    let page = browser.get(&tokens).await;
    page.assert(200, "No token yet");
    let form = page.hidden()["form"].clone();
    let fields = [
        ("form", form.as_str()),
        ("name", "<b>terraform"),
        ("scopes", "endpoints:read"),
        ("scopes", "endpoints:write"),
    ];
    for _ in 0..2 {
        let made = browser.post(&tokens, &fields).await;
        made.assert(200, "svc_acct_");
        made.assert(200, "https://mchezo.example/v1/account/endpoints");
        assert!(!made.text.contains("<b>terraform"), "{}", made.text);
    }
    let stored = site.gateway.tokens.lock().unwrap().clone();
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0].scopes, ["endpoints:read", "endpoints:write"]);
    let list = browser.get(&tokens).await;
    list.assert(200, "endpoints:read, endpoints:write");
    assert!(!list.text.contains("svc_acct_"), "{}", list.text);
    browser
        .get(&format!("/accounts/{account}/activity"))
        .await
        .assert(200, "created the account token");

    let revoke = format!("{tokens}/{}/revoke", stored[0].id);
    browser.post(&revoke, &[]).await.location();
    let list = browser.get(&tokens).await;
    list.assert(200, "revoked");
    assert!(!list.text.contains(&revoke), "{}", list.text);
    let missing = format!("{tokens}/{}/revoke", kit::ids::row_id());
    browser.post(&missing, &[]).await.assert(404, "");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_refused_form_keeps_what_was_ticked(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Developer).await;
    let mut browser = site.signed_in(ADA).await;
    let tokens = format!("/accounts/{account}/tokens");
    for (fields, part) in [
        (
            vec![("name", ""), ("scopes", "usage:read")],
            "value=\"usage:read\" checked",
        ),
        (vec![("name", "a")], "scopes-error"),
        (
            vec![("name", "a"), ("scopes", "usage:read"), ("expires", "soon")],
            "expires-error",
        ),
    ] {
        let form = browser.get(&tokens).await.hidden()["form"].clone();
        let mut all = vec![("form", form.as_str())];
        all.extend(fields);
        browser.post(&tokens, &all).await.assert(422, part);
    }
    assert!(site.gateway.tokens.lock().unwrap().is_empty());
}

#[testing::database_test(web::MIGRATOR)]
async fn an_editor_sees_tokens_and_makes_none(pool: PgPool) {
    let site = Site::new(pool).await;
    let bob = site.person(BOB).await;
    let account = site.account(bob, Role::Editor).await;
    let mut browser = site.signed_in(BOB).await;
    let tokens = format!("/accounts/{account}/tokens");
    let page = browser.get(&tokens).await;
    page.assert(200, "An owner or a developer");
    assert!(!page.text.contains("Create the token"), "{}", page.text);
    let fields = [("name", "a"), ("scopes", "usage:read")];
    browser.post(&tokens, &fields).await.assert(403, "");
}

fn change(action: &str, endpoint_change: &str, subject: &str) -> proto::TokenChange {
    proto::TokenChange {
        id: ids::row_id().to_string(),
        token: Some(proto::TokenActor {
            name: "<b>terraform".to_owned(),
            ..proto::TokenActor::default()
        }),
        address: "192.0.2.9".to_owned(),
        action: action.to_owned(),
        endpoint_change: endpoint_change.to_owned(),
        subject: subject.to_owned(),
        ..proto::TokenChange::default()
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn the_activity_has_what_people_and_tokens_did_in_one_order(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let mut browser = site.signed_in(ADA).await;
    let (tokens, activity) = (
        format!("/accounts/{account}/tokens"),
        format!("/accounts/{account}/activity"),
    );
    let add = |action, endpoint_change, subject| {
        let change = change(action, endpoint_change, subject);
        site.gateway.token_changes.lock().unwrap().insert(0, change);
    };
    for _ in 0..60 {
        add("rotate_key", "", "first");
    }
    let form = browser.get(&tokens).await.hidden()["form"].clone();
    let fields = [
        ("form", form.as_str()),
        ("name", "between"),
        ("scopes", "usage:read"),
    ];
    browser
        .post(&tokens, &fields)
        .await
        .assert(200, "svc_acct_");
    for _ in 0..60 {
        add("change_endpoint", "pause", "https://hooks.example/last");
    }
    let newest = browser.get(&activity).await;
    newest.assert(200, "&#60;b&#62;terraform");
    newest.assert(200, "192.0.2.9");
    let places = [
        "paused the webhook at https://hooks.example/last",
        "created the account token between",
        "rotated the key first",
    ]
    .map(|part| newest.text.find(part).unwrap());
    assert!(places.is_sorted(), "{}", newest.text);
    assert_eq!(newest.text.matches("rotated the key first").count(), 39);
    let earlier = newest.text.split("?before=").nth(1).unwrap();
    let earlier = earlier.split('"').next().unwrap();
    let earlier = browser.get(&format!("{activity}?before={earlier}")).await;
    assert_eq!(earlier.text.matches("rotated the key first").count(), 21);
    assert!(!earlier.text.contains("between"), "{}", earlier.text);
    assert!(!earlier.text.contains("?before="), "{}", earlier.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn the_activity_of_people_is_there_without_the_gateway(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let mut browser = site.signed_in(ADA).await;
    let tokens = format!("/accounts/{account}/tokens");
    let form = browser.get(&tokens).await.hidden()["form"].clone();
    let fields = [
        ("form", form.as_str()),
        ("name", "ours"),
        ("scopes", "usage:read"),
    ];
    browser
        .post(&tokens, &fields)
        .await
        .assert(200, "svc_acct_");
    site.gateway.is_down.store(true, Ordering::Relaxed);
    let page = browser.get(&format!("/accounts/{account}/activity")).await;
    page.assert(200, "created the account token ours");
    page.assert(200, "What programs have changed cannot be read now");
}

#[testing::database_test(web::MIGRATOR)]
async fn every_change_of_a_token_has_words(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let mut browser = site.signed_in(ADA).await;
    let cases = [
        ("create_key", "", "created the key s"),
        ("request_key", "", "requested the live key s"),
        ("reveal_key", "", "revealed the key s"),
        ("revoke_key", "", "revoked the key s"),
        ("change_endpoint", "add", "added a webhook at s"),
        ("change_endpoint", "change", "changed the webhook at s"),
        ("change_endpoint", "remove", "removed the webhook at s"),
        ("change_endpoint", "resume", "resumed the webhook at s"),
        (
            "change_endpoint",
            "rotate-secret",
            "created a new signing secret for s",
        ),
        (
            "change_endpoint",
            "switch-secret",
            "switched to the new signing secret of s",
        ),
        ("change_endpoint", "test", "sent a test event to s"),
        (
            "change_endpoint",
            "send-again",
            "sent a delivery again to s",
        ),
        (
            "change_endpoint",
            "recover",
            "sent failed deliveries again to s",
        ),
        ("change_endpoint", "new", "change_endpoint: s"),
    ];
    let changes = cases.map(|(action, of, _)| change(action, of, "s"));
    site.gateway.token_changes.lock().unwrap().extend(changes);
    let page = browser.get(&format!("/accounts/{account}/activity")).await;
    for (.., words) in cases {
        page.assert(200, words);
    }
}
