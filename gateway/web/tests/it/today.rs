//! The start page of an account: first steps, what waits, what failed, and what a service that is away leaves out.

use std::sync::atomic::Ordering;

use contracts::gateway::v1 as gateway;
use sqlx::PgPool;
use web::domain::role::Role;

use crate::browser::Browser;
use crate::full_account::{CAROL, FullAccount};
use crate::support::{ADA, BOB, Site, studio};
use crate::webhook_service::WebhookSite;

async fn owner(site: &Site) -> (Browser, String) {
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    (site.signed_in(ADA).await, format!("/accounts/{account}"))
}

/// The button of the next step.
fn button(path: &str, rest: &str) -> String {
    format!("<a class=\"button\" href=\"{path}{rest}\">")
}

#[testing::database_test(web::MIGRATOR)]
async fn the_first_steps_tick_themselves_off(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, path) = owner(&site).await;
    let account = path.rsplit('/').next().unwrap().to_owned();
    let page = browser.get(&path).await;
    page.assert(200, "Use the API");
    page.assert(200, "List your game");
    page.assert(200, &button(&path, "/keys/new"));
    page.assert(200, "Calls this month");
    page.assert(200, "about 1,600 at the end of the month");
    let key = gateway::Key {
        id: kit::ids::row_id().to_string(),
        account_id: account.clone(),
        name: "server".to_owned(),
        ..gateway::Key::default()
    };
    site.gateway.keys.lock().unwrap().push(key);
    site.listings.game(&account, "okoto", "Okoto");
    let page = browser.get(&path).await;
    page.assert(200, &button("", "/docs/first-call"));
    let step = |text: &str| format!("{text} <span class=\"state good\">done</span>");
    page.assert(200, &step("Create the first key"));
    page.assert(200, &step("Submit a game"));
    page.assert(200, &format!("{path}/listings/game/okoto/pictures"));
    site.listings.change(&account, "okoto", |game| {
        game.cover_url = Some("https://mchezo.example/pictures/a.jpg".to_owned());
    });
    // With its last step, a guide goes.
    let page = browser.get(&path).await;
    page.assert(200, "Today");
    assert!(!page.text.contains("List your game"), "{}", page.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn each_role_sees_its_own_way(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Developer).await;
    let bob = site.person(BOB).await;
    site.join(account, bob, Role::Editor).await;
    let path = format!("/accounts/{account}");
    for (address, own, other) in [
        (ADA, "Use the API", "List your game"),
        (BOB, "List your game", "Use the API"),
    ] {
        let page = site.signed_in(address).await.get(&path).await;
        page.assert(200, own);
        assert!(!page.text.contains(other), "{}", page.text);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn what_waits_and_what_failed_lead_on(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let mut owner = full.owner.clone();
    let path = full.own("/accounts/{account}");
    let key = gateway::Key {
        id: kit::ids::row_id().to_string(),
        account_id: full.account.clone(),
        name: "of-a-game".to_owned(),
        game: Some("okoto".to_owned()),
        game_state: "game_gone".to_owned(),
        ..gateway::Key::default()
    };
    full.hooks.site.gateway.keys.lock().unwrap().push(key);
    let page = owner.get(&path).await;
    for part in [
        "Waiting for you",
        "The live key adas-live-key is approved",
        &format!("{CAROL} is invited and has not joined"),
        "What failed",
        "The key of-a-game does not work",
        "is held",
        "The basket costs twice as much as before.",
        "What changed",
        "added a webhook at",
    ] {
        page.assert(200, part);
    }
    assert!(!page.text.contains("All done."), "{}", page.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn an_address_that_fails_is_on_the_page(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let endpoint = site.add().await;
    let today = format!("/accounts/{}", site.account);
    site.receiver.answer(410);
    let test = format!("{endpoint}/test");
    let sent = site.submit(&endpoint, &test, &[("event", "ping")]).await;
    let watched = sent.location().to_owned();
    site.eventually(&watched, "It has failed").await;
    let page = site.eventually(&today, "is switched off").await;
    page.assert(200, "The newest one answered 410.");
    page.assert(200, &format!("href=\"{endpoint}/deliveries/"));
}

#[testing::database_test(web::MIGRATOR)]
async fn a_service_that_is_away_leaves_the_rest(pool: PgPool) {
    let full = FullAccount::new(pool).await;
    let mut owner = full.owner.clone();
    let path = full.own("/accounts/{account}");
    let site = &full.hooks.site;
    let page = owner.get(&path).await;
    assert!(!page.text.contains("Not available now"), "{}", page.text);
    site.listings.is_down.store(true, Ordering::Relaxed);
    let page = owner.get(&path).await;
    page.assert(200, "because a service does not answer: listings.");
    page.assert(200, "adas-live-key");
    site.listings.is_down.store(false, Ordering::Relaxed);
    site.gateway.is_down.store(true, Ordering::Relaxed);
    let page = owner.get(&path).await;
    page.assert(200, "because a service does not answer: keys and calls.");
    page.assert(200, "The calls of the month are not available now.");
    page.assert(200, "A report of");
}
