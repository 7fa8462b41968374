//! What a person changes: sessions, password, address; and the end.

use std::sync::atomic::Ordering;

use http::header::SET_COOKIE;
use sqlx::PgPool;
use web::client_info::ClientInfo;
use web::domain::action::Action;
use web::domain::role::Role;
use web::domain::session_token::Token;
use web::store::activity::{self, NewEntry};

use crate::support::{ADA, BOB, PASSWORD, Site};
use crate::webhook_service::WebhookSite;

const NEW: &str = "another lorry teapot nine";

#[testing::database_test(web::MIGRATOR)]
async fn sessions_are_listed_and_ended(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    site.person(BOB).await;
    let mut browser = site.signed_in(ADA).await;
    let mut phone = site.signed_in(ADA).await;
    let mut tablet = site.signed_in(ADA).await;
    let mut bob = site.signed_in(BOB).await;
    let page = browser.get("/you").await;
    assert_eq!(
        page.text.matches("/you/sessions/").count() - 1,
        3,
        "{}",
        page.text
    );
    assert_eq!(page.text.matches("this one").count(), 1);
    let hash = |browser: &crate::browser::Browser| {
        let cookie = browser.cookie.clone().unwrap();
        let token = cookie.split_once('=').unwrap().1.to_owned();
        Token::parse(&token).unwrap().hash().hex()
    };
    let end = format!("/you/sessions/{}/end", hash(&phone));
    // Nobody ends the session of another.
    bob.post(&end, &[]).await.location();
    phone.get("/you").await.assert(200, "");
    assert_eq!(
        browser.post(&end, &[]).await.location(),
        "/you?done=session"
    );
    assert!(phone.get("/you").await.location().starts_with("/sign-in"));
    browser
        .post("/you/sessions/end-others", &[])
        .await
        .location();
    assert!(tablet.get("/you").await.location().starts_with("/sign-in"));
    browser
        .get("/you?done=sessions")
        .await
        .assert(200, "All other sessions have ended");
    browser.get("/you?done=%3Cscript%3E").await.assert(200, ADA);
}

#[testing::database_test(web::MIGRATOR)]
async fn the_end_of_the_own_session_signs_out(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let (_, token) = browser.cookie.as_ref().unwrap().split_once('=').unwrap();
    let hash = Token::parse(token).unwrap().hash().hex();
    let ended = browser
        .post(&format!("/you/sessions/{hash}/end"), &[])
        .await;
    assert_eq!(ended.location(), "/?done=signed-out");
    let cleared = ended.headers.get_all(SET_COOKIE).iter();
    let cleared = cleared.filter(|set| set.to_str().unwrap().contains("Max-Age=0"));
    assert_eq!(cleared.count(), 2, "{:?}", ended.headers);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_new_password_ends_the_other_sessions(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let mut other = site.signed_in(ADA).await;
    let wrong = [("current", "wrong"), ("password", "short")];
    let page = browser.post("/you/password", &wrong).await;
    page.assert(422, "current-error");
    page.assert(422, "password-error");
    let fields = [("current", PASSWORD), ("password", NEW)];
    let changed = browser.post("/you/password", &fields).await;
    assert_eq!(changed.location(), "/you?done=password");
    browser.get("/you").await.assert(200, ADA);
    assert!(other.get("/you").await.location().starts_with("/sign-in"));
    let old = [("email", ADA), ("password", PASSWORD)];
    site.browser()
        .post("/sign-in", &old)
        .await
        .assert(422, "wrong");
}

#[testing::database_test(web::MIGRATOR)]
async fn an_address_changes_by_its_own_link_and_both_are_told(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    site.person(BOB).await;
    let mut browser = site.signed_in(ADA).await;
    let fields = [("email", "new@studio.example"), ("password", PASSWORD)];
    let sent = browser.post("/you/email", &fields).await;
    assert_eq!(sent.location(), "/you?done=email-sent");
    let link = site.link("new@studio.example").await;
    // Whoever got the mail by mistake cannot use it.
    assert!(
        site.browser()
            .post(&link, &[])
            .await
            .location()
            .starts_with("/sign-in")
    );
    site.signed_in(BOB)
        .await
        .post(&link, &[])
        .await
        .assert(403, "For another person");
    browser.get(&link).await.assert(200, "Change the address");
    browser.get("/you").await.assert(200, ADA);
    assert_eq!(browser.post(&link, &[]).await.location(), "/you?done=email");
    browser.get("/you").await.assert(200, "new@studio.example");
    let told = site.mails().await;
    let told = told
        .iter()
        .filter(|(_, subject, _)| subject == "Your address was changed");
    let told: Vec<&str> = told
        .map(|(to, _, body)| {
            assert!(body.contains("write to us at once: staff@mchezo.example"));
            to.as_str()
        })
        .collect();
    assert_eq!(told, [ADA, "new@studio.example"]);
    // The address of another person is not told when it is asked for, and not taken.
    let fields = [("email", BOB), ("password", PASSWORD)];
    assert_eq!(
        browser.post("/you/email", &fields).await.location(),
        "/you?done=email-sent"
    );
    let link = site.link(BOB).await;
    browser
        .post(&link, &[])
        .await
        .assert(409, "This address is taken");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_deleted_person_leaves_no_key_and_no_webhook_that_works(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    site.add().await;
    let (account, mut browser) = (site.account, site.browser.clone());
    let site = &site.site;
    let page = browser.get(&format!("/accounts/{account}/keys/new")).await;
    let form = page.hidden()["form"].clone();
    let fields = [("form", form.as_str()), ("name", "a"), ("kind", "account")];
    browser
        .post(&format!("/accounts/{account}/keys"), &fields)
        .await
        .assert(200, "svc_test_");
    browser
        .get("/you/delete")
        .await
        .assert(200, "every key is revoked");
    browser
        .post("/you/delete", &[("password", "wrong")])
        .await
        .assert(422, "password-error");
    site.gateway.is_down.store(true, Ordering::Relaxed);
    browser
        .post("/you/delete", &[("password", PASSWORD)])
        .await
        .assert(503, "Try again");
    site.gateway.is_down.store(false, Ordering::Relaxed);
    let gone = browser.post("/you/delete", &[("password", PASSWORD)]).await;
    assert_eq!(gone.location(), "/?done=deleted");
    assert!(
        site.gateway
            .keys
            .lock()
            .unwrap()
            .iter()
            .all(|key| key.revoked_at.is_some())
    );
    let left = site.app.webhooks.endpoints(account).await.unwrap();
    assert_eq!(left.endpoints, []);
    let old = [("email", ADA), ("password", PASSWORD)];
    site.browser()
        .post("/sign-in", &old)
        .await
        .assert(422, "wrong");
    let left = sqlx::query_scalar!(r#"select count(*) as "count!" from web.member"#);
    assert_eq!(left.fetch_one(&site.pool).await.unwrap(), 0);
}

#[testing::database_test(web::MIGRATOR)]
async fn the_last_owner_of_a_team_cannot_go(pool: PgPool) {
    let site = Site::new(pool).await;
    let (ada, bob) = (site.person(ADA).await, site.person(BOB).await);
    let account = site.account(ada, Role::Owner).await;
    site.join(account, bob, Role::Editor).await;
    let mut browser = site.signed_in(ADA).await;
    let page = browser.post("/you/delete", &[("password", PASSWORD)]).await;
    page.assert(422, "last owner");
    let mut editor = site.signed_in(BOB).await;
    editor
        .post("/you/delete", &[("password", PASSWORD)])
        .await
        .location();
    browser
        .get(&format!("/accounts/{account}/team"))
        .await
        .assert(200, ADA);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_person_sees_their_own_activity(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    site.person(BOB).await;
    let mut browser = site.signed_in(ADA).await;
    browser.get("/you").await.assert(200, "/you/activity");
    let page = browser.get("/you/activity").await;
    page.assert(200, "signed in");
    page.assert(200, "203.0.113.7");
    page.assert(200, "kept for a year");
    let fields = [("current", PASSWORD), ("password", NEW)];
    browser.post("/you/password", &fields).await.location();
    let page = browser.get("/you/activity").await;
    page.assert(200, "changed the password");
    let mut bob = site.signed_in(BOB).await;
    let page = bob.get("/you/activity").await;
    assert!(!page.text.contains("changed the password"), "{}", page.text);
    // What happened in an account is on the page of the account.
    let account = site.account(ada, Role::Owner).await;
    let client = ClientInfo {
        ip: [192, 0, 2, 9].into(),
        agent: String::new(),
    };
    let entry = |action| NewEntry::new(ada, ADA, &client, action);
    let now = site.clock.now();
    let of_account = entry(Action::KeyCreated).in_account(account, "");
    let inserted = activity::insert(&site.pool, of_account, now).await;
    inserted.unwrap();
    for _ in 0..100 {
        let inserted = activity::insert(&site.pool, entry(Action::TotpOn), now).await;
        inserted.unwrap();
    }
    let page = browser.get("/you/activity").await;
    assert_eq!(page.text.matches("192.0.2.9").count(), 100);
    assert!(!page.text.contains("created the key"), "{}", page.text);
    let (_, next) = page
        .text
        .split_once("href=\"/you/activity?before=")
        .unwrap();
    let next = next.split('"').next().unwrap();
    let page = browser.get(&format!("/you/activity?before={next}")).await;
    page.assert(200, "changed the password");
    assert!(!page.text.contains("?before="), "{}", page.text);
}
