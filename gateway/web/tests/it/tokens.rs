//! Tokens for the account API: shown once, made once, revoked.

use sqlx::PgPool;
use web::domain::role::Role;

use crate::support::{ADA, BOB, Site};

#[sqlx::test(migrator = "web::MIGRATOR")]
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
        .assert(200, "made the account token");

    let revoke = format!("{tokens}/{}/revoke", stored[0].id);
    browser.post(&revoke, &[]).await.location();
    let list = browser.get(&tokens).await;
    list.assert(200, "revoked");
    assert!(!list.text.contains(&revoke), "{}", list.text);
    let missing = format!("{tokens}/{}/revoke", kit::ids::row_id());
    browser.post(&missing, &[]).await.assert(404, "");
}

#[sqlx::test(migrator = "web::MIGRATOR")]
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

#[sqlx::test(migrator = "web::MIGRATOR")]
async fn an_editor_sees_tokens_and_makes_none(pool: PgPool) {
    let site = Site::new(pool).await;
    let bob = site.person(BOB).await;
    let account = site.account(bob, Role::Editor).await;
    let mut browser = site.signed_in(BOB).await;
    let tokens = format!("/accounts/{account}/tokens");
    let page = browser.get(&tokens).await;
    page.assert(200, "An owner or a developer");
    assert!(!page.text.contains("Make the token"), "{}", page.text);
    let fields = [("name", "a"), ("scopes", "usage:read")];
    browser.post(&tokens, &fields).await.assert(403, "");
}
