//! The start page of an account: first steps, open tasks, and what is left out when a service is down.

use std::sync::atomic::Ordering;

use contracts::gateway::v1 as gateway;
use contracts::gateway::v1::KeyRequestState;
use contracts::listings::v1::State;
use kit::api::timestamp;
use sqlx::PgPool;
use web::domain::action::Action;
use web::domain::role::Role;
use web::store::activity::{self, NewEntry};

use crate::full_account::FullAccount;
use crate::outages::without;
use crate::support::{ADA, BOB, START, Site, studio};
use crate::typed_forms::Needs;
use crate::webhook_service::WebhookSite;

#[testing::database_test(web::MIGRATOR)]
async fn each_role_sees_its_first_step_until_there_is_a_key_or_a_game(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Developer).await;
    let bob = site.person(BOB).await;
    site.join(account, bob, Role::Editor).await;
    let path = format!("/accounts/{account}");
    let button = |rest: &str| format!("<a class=\"button\" href=\"{path}{rest}\">");
    let [key, game] = [button("/keys/new"), button("/listings/new/game")];
    let mut people = [site.signed_in(ADA).await, site.signed_in(BOB).await];
    for (browser, own, other) in [(0, &key, &game), (1, &game, &key)] {
        let page = people[browser].get(&path).await;
        page.assert(200, own);
        page.assert(200, "Calls this month");
        assert!(!page.text.contains(other), "{}", page.text);
    }
    site.listings.game(&account.to_string(), "okoto", "Okoto");
    for browser in &mut people {
        let page = browser.get(&path).await;
        page.assert(200, "Today");
        assert!(!page.text.contains("class=\"button\""), "{}", page.text);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn open_tasks_link_to_their_pages(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    let path = format!("/accounts/{account}");
    for (name, state) in
        [("server", KeyRequestState::Approved), ("launcher", KeyRequestState::Asked)]
    {
        site.gateway.add_request(&account, name, state);
    }
    let page = owner.get(&path).await;
    for part in [
        "Waiting for you",
        "The live key server is approved",
        "Waiting for staff",
        "The live key launcher",
        &format!("<a href=\"{path}/keys\">"),
    ] {
        page.assert(200, part);
    }
    assert!(!page.text.contains("Nothing waits"), "{}", page.text);
    assert!(!page.text.contains("Lately"), "{}", page.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_rejection_waits_for_two_weeks(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    site.listings.end_by_staff(&account, "okoto", State::Rejected, "Too dark");
    let path = format!("/accounts/{account}");
    for (days, waits) in [(13, true), (2, false)] {
        site.clock.advance(time::Duration::days(days));
        // A session ends after two weeks without a request.
        let page = owner.get(&path).await;
        assert_eq!(page.text.contains("Too dark"), waits, "{}", page.text);
        assert_eq!(page.text.contains("Okoto was rejected"), waits, "{}", page.text);
    }
    // The list still says it.
    owner.get(&format!("{path}/listings")).await.assert(200, "Too dark");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_report_that_staff_hold_is_on_the_page(pool: PgPool) {
    let (site, account, mut owner) = studio(pool).await;
    site.listings.game(&account, "okoto", "Okoto");
    account.clone_into(&mut site.economy.owner.lock().unwrap());
    let path = format!("/accounts/{account}");
    // A game without a currency has no reports.
    let page = owner.get(&path).await;
    assert!(!page.text.contains("Waiting for staff"), "{}", page.text);
    *site.economy.name.lock().unwrap() = Some("Cowrie".to_owned());
    let page = owner.get(&path).await;
    let (_, waiting) = page.text.split_once("Waiting for staff").unwrap();
    assert!(waiting.contains(&format!("<a href=\"{path}/economy/okoto\">")), "{waiting}");
    assert!(waiting.contains("The basket costs twice as much as before."), "{waiting}");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_disabled_webhook_is_on_the_page(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let endpoint = site.add().await;
    let today = format!("/accounts/{}", site.account);
    site.receiver.answer(410);
    let test = format!("{endpoint}/test");
    site.browser.submit(&endpoint, &test, &[("event", "ping")]).await.location();
    let page = site.eventually(&today, "is disabled").await;
    page.assert(200, &format!("<a href=\"{endpoint}\">"));
}

#[testing::database_test(web::MIGRATOR)]
async fn without_a_service_the_rest_is_shown(pool: PgPool) {
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
    page.assert(200, "<h1>Today");
    let mut owner = owner.with_router(&without(site, Needs::Economy));
    site.gateway.is_down.store(false, Ordering::Relaxed);
    let page = owner.get(&path).await;
    page.assert(200, "because a service does not answer: reports of games.");
}

#[testing::database_test(web::MIGRATOR)]
async fn an_account_shows_what_has_happened_lately(pool: PgPool) {
    let mut hooks = WebhookSite::new(pool).await;
    let endpoint = hooks.add().await;
    let test = format!("{endpoint}/test");
    let ping = [("event", "ping")];
    hooks.browser.submit(&endpoint, &test, &ping).await.location();
    hooks.site.gateway.calls.lock().unwrap().calls = vec![gateway::Call {
        at: Some(timestamp::encode(START)),
        method: "GET".to_owned(),
        target: "/v1/games/none".to_owned(),
        status: 404,
        code: "not_found".to_owned(),
        ..gateway::Call::default()
    }];
    let (account, now) = (hooks.account, hooks.site.clock.now());
    let listings = &hooks.site.listings;
    listings.game(&account.to_string(), "okoto", "Okoto");
    let approved = NewEntry::of_staff(account, Action::ListingApproved, "okoto");
    activity::insert(&hooks.site.pool, approved, now).await.unwrap();
    let today = format!("/accounts/{account}");
    let page = hooks.eventually(&today, "Webhooks: delivered to").await;
    for part in [
        "Nothing waits for you.",
        "<h2>Lately</h2>",
        "GET /v1/games/none 404 not_found",
        &format!("<a href=\"{today}/requests?errors=yes\">"),
        &format!("<a href=\"{endpoint}\">"),
        "Staff approved okoto",
    ] {
        page.assert(200, part);
    }
    // Something that waits hides nothing of it.
    let approved = KeyRequestState::Approved;
    hooks.site.gateway.add_request(&account.to_string(), "server", approved);
    let page = hooks.browser.get(&today).await;
    for part in ["Waiting for you", "GET /v1/games/none 404 not_found", "Staff approved okoto"] {
        page.assert(200, part);
    }
    // A page that has lost the gateway does not call it again.
    let gateway = &hooks.site.gateway;
    let read = gateway.calls_read.load(Ordering::Relaxed);
    gateway.is_down.store(true, Ordering::Relaxed);
    let page = hooks.browser.get(&today).await;
    page.assert(200, "Staff approved okoto");
    assert_eq!(gateway.calls_read.load(Ordering::Relaxed), read);
}
