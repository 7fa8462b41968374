//! A form whose session has ended meanwhile: its typed text is kept for the person, who signs in and sends it again.

use sqlx::PgPool;
use uuid::Uuid;
use web::domain::role::Role;
use web::session::limits;

use crate::browser::{Browser, Page, body, form};
use crate::support::{ADA, BOB, PASSWORD, START, Site};

/// A site with Ada, who owns an account, and her browser.
async fn owner(site: &Site) -> (Browser, Uuid) {
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    site.listings.game(&account.to_string(), "okoto", "Okoto");
    (site.signed_in(ADA).await, account)
}

/// Ends the sessions of Ada from another device.
async fn end_sessions(site: &Site) {
    let mut other = site.signed_in(ADA).await;
    other.post("/you/sessions/end-others", &[]).await.location();
}

/// The hidden fields of the page, to send again.
fn kept(page: &Page) -> Vec<(String, String)> {
    page.hidden().into_iter().collect()
}

async fn send(browser: &mut Browser, path: &str, fields: &[(String, String)]) -> Page {
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    browser.post(path, &fields).await
}

#[testing::database_test(web::MIGRATOR)]
async fn typed_text_is_sent_again_after_signing_in(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = owner(&site).await;
    let path = format!("/accounts/{account}/listings/new/game");
    let id = browser.get(&path).await.hidden()["form"].clone();
    end_sessions(&site).await;
    let description = "x".repeat(10_000);
    let fields = [
        ("form", id.as_str()),
        ("creator", "studio"),
        ("title", "Typed <b> title"),
        ("description", &description),
        ("genres", "puzzle"),
    ];
    let page = browser.post(&path, &fields).await;
    page.assert(401, "You are signed out");
    page.assert(401, &format!("<form method=\"post\" action=\"{path}\">"));
    page.assert(401, "href=\"/sign-in\" target=\"_blank\"");
    page.assert(401, "value=\"Typed &#60;b&#62; title\"");
    page.assert(401, &description);
    assert_eq!(page.headers["cache-control"], "no-store");
    // Too early.
    browser.post(&path, &fields).await.assert(401, &description);
    // Another person, in the same browser.
    let bob = site.person(BOB).await;
    site.account(bob, Role::Owner).await;
    let mut other = site.signed_in(BOB).await;
    other.post(&path, &fields).await.assert(404, "Not found");
    assert_eq!(site.listings.games.lock().unwrap().len(), 1);
    // In the other tab.
    let mut again = site.signed_in(ADA).await;
    let sent = again.post(&path, &fields).await;
    assert!(sent.location().contains("/listings/game/"), "{sent:?}");
    assert_eq!(site.listings.games.lock().unwrap().len(), 2);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_form_that_makes_something_makes_it_in_the_new_session(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = owner(&site).await;
    let keys = format!("/accounts/{account}/keys");
    let id = browser.get(&format!("{keys}/new")).await.hidden()["form"].clone();
    end_sessions(&site).await;
    let fields = [
        ("form", id.as_str()),
        ("name", "server"),
        ("kind", "account"),
    ];
    let page = browser.post(&keys, &fields).await;
    page.assert(401, "Send it again");
    let mut again = site.signed_in(ADA).await;
    let made = send(&mut again, &keys, &kept(&page)).await;
    made.assert(200, "svc_test_");
}

#[testing::database_test(web::MIGRATOR)]
async fn no_secret_no_button_and_no_file_is_kept(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = owner(&site).await;
    end_sessions(&site).await;
    let fields = [
        ("email", "typed@new.example"),
        ("password", PASSWORD),
        ("current", "typed secret"),
        ("code", "123456"),
    ];
    let page = browser.post("/you/email", &fields).await;
    page.assert(401, "value=\"typed@new.example\"");
    page.assert(401, "without passwords and codes");
    for secret in [PASSWORD, "typed secret", "123456"] {
        assert!(!page.text.contains(secret), "{}", page.text);
    }
    // The next person at this browser must not leave the team, or revoke a key, by a click on a page that was left open.
    for (path, fields) in [
        (format!("/accounts/{account}/team/leave"), vec![]),
        ("/you/password".to_owned(), vec![("current", PASSWORD)]),
        (
            format!("/accounts/{account}/webhooks/x/remove"),
            vec![("form", "abc")],
        ),
    ] {
        let page = browser.post(&path, &fields).await;
        page.assert(401, "href=\"/sign-in\"");
        assert!(!page.text.contains("<form"), "{path}: {}", page.text);
    }
    let path = format!("/accounts/{account}/listings/game/okoto/pictures/cover");
    let upload = browser.post_body(&path, "multipart/form-data; boundary=x", "--x--");
    let page = upload.await;
    page.assert(401, "href=\"/sign-in\"");
    assert!(!page.text.contains("<form"), "{}", page.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn another_site_cannot_fill_the_page_of_a_signed_out_person(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = owner(&site).await;
    end_sessions(&site).await;
    let path = format!("/accounts/{account}/team/invite");
    let fields = [("email", "eve@evil.example"), ("role", "owner")];
    for (header, value) in [
        ("sec-fetch-site", "cross-site"),
        ("origin", "https://evil.example"),
    ] {
        let request = form(&path, &fields).header(header, value);
        let page = browser.send(request.body(body(&fields)).unwrap()).await;
        page.assert(403, "Sent from another site");
        assert!(!page.text.contains("evil.example"), "{}", page.text);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn the_limit_of_forms_keeps_the_text_as_well(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = owner(&site).await;
    let person = crate::full_account::person_id(&site.pool, ADA).await;
    let count = || site.app.limits.count(limits::FORMS, &person, START);
    while count().await.unwrap().is_ok() {}
    let path = format!("/accounts/{account}/listings/new/game");
    let page = browser.post(&path, &[("title", "Typed title")]).await;
    page.assert(429, "Too many forms. Try again in ");
    page.assert(429, "value=\"Typed title\"");
}
