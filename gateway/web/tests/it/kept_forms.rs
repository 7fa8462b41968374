//! Typed text outlives whatever is away: PostgreSQL, or a service that hangs.

use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use sqlx::PgPool;
use tokio::net::TcpListener;
use web::domain::role::Role;
use web::page_limit::Visitor;
use web::upstream::Gateway;

use crate::browser::{Browser, Page};
use crate::support::{ADA, START, Site};

const TYPED: [(&str, &str); 4] = [
    ("title", "Typed <b> title"),
    ("description", "Two\nlines"),
    ("genres", "puzzle"),
    ("genres", "board"),
];

#[track_caller]
fn assert_kept(page: &Page, action: &str) {
    page.assert(503, "Try again");
    page.assert(503, &format!("<form method=\"post\" action=\"{action}\">"));
    for (name, value) in [
        ("title", "Typed &#60;b&#62; title"),
        ("description", "Two\nlines"),
        ("genres", "puzzle"),
        ("genres", "board"),
    ] {
        let field = format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">");
        page.assert(503, &field);
    }
    assert!(!page.text.contains("passwords and codes"), "{}", page.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_listing_that_is_sent_without_postgresql_can_be_sent_again(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let mut browser = site.signed_in(ADA).await;
    site.pool.close().await;
    let action = format!("/accounts/{account}/listings/new/game");
    let page = browser.post(&action, &TYPED).await;
    assert_kept(&page, &action);
    // No page repeats a password, and none repeats a file.
    let secrets = [("password", "typed secret"), ("email", "typed@new.example")];
    let page = browser.post("/you/email", &secrets).await;
    page.assert(503, "value=\"typed@new.example\"");
    page.assert(503, "without passwords and codes");
    assert!(!page.text.contains("typed secret"), "{}", page.text);
}

/// The site with a gateway that accepts calls and never answers, and no time to wait for it.
async fn impatient(site: &Site) -> (Router, TcpListener) {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", silent.local_addr().unwrap());
    let client = testing::client(&address, &site.app.lifecycle).unwrap();
    let router = site.changed(|web| {
        web.gateway = Gateway::new(client, testing::LONG);
        web.timeout = Duration::ZERO;
    });
    (router, silent)
}

#[testing::database_test(web::MIGRATOR)]
async fn a_form_of_an_account_that_takes_too_long_can_be_sent_again(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let (router, _silent) = impatient(&site).await;
    let mut browser = Browser::new(&router);
    browser.cookie.clone_from(&site.signed_in(ADA).await.cookie);
    let action = format!("/accounts/{account}/settings");
    let fields = [("name", "Typed <b> name")];
    let page = browser.post(&action, &fields).await;
    page.assert(503, "This took too long");
    page.assert(503, &format!("<form method=\"post\" action=\"{action}\">"));
    page.assert(503, "value=\"Typed &#60;b&#62; name\"");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_service_that_does_not_answer_is_not_asked_again_for_the_same_form(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    site.listings.game(&account.to_string(), "okoto", "Okoto");
    let mut browser = site.signed_in(ADA).await;
    let base = format!("/accounts/{account}/listings");
    let new = format!("{base}/new/game");
    let edit = format!("{base}/game/okoto/edit");
    let form = browser.get(&new).await.hidden()["form"].clone();
    let mut fields = TYPED.to_vec();
    fields.extend([("form", form.as_str()), ("revision", "1")]);
    let asked = || site.listings.choices_read.load(Ordering::Relaxed);
    site.listings.is_down.store(true, Ordering::Relaxed);
    let before = asked();
    for path in [&new, &edit] {
        let page = browser.post(path, &fields).await;
        page.assert(503, "value=\"Typed &#60;b&#62; title\"");
        page.assert(503, "Two\nlines</textarea>");
    }
    assert_eq!(asked(), before);
    // What the gateway lacks does not take the choices away.
    site.listings.is_down.store(false, Ordering::Relaxed);
    site.gateway.is_down.store(true, Ordering::Relaxed);
    let page = browser.post(&new, &fields).await;
    page.assert(503, "value=\"Typed &#60;b&#62; title\"");
    page.assert(503, "Puzzle");
}

#[testing::database_test(web::MIGRATOR)]
async fn pages_of_a_person_are_limited(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let mut browser = site.signed_in(ADA).await;
    let path = format!("/accounts/{account}");
    browser.get(&path).await.assert(200, "Savanna");
    while site
        .app
        .page_limit
        .count(Visitor::Person(ada), START)
        .is_ok()
    {}
    let page = browser.get(&path).await;
    page.assert(429, "Too many pages in a minute");
    assert_eq!(page.headers["retry-after"], "60");
    // Forms have a limit of their own.
    let settings = format!("{path}/settings");
    let renamed = browser.post(&settings, &[("name", "Savanna")]).await;
    assert_eq!(renamed.location(), path);
    site.clock.advance(time::Duration::MINUTE);
    browser.get(&path).await.assert(200, "Savanna");
}
