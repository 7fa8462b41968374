//! A key's secret is shown once, and a form creates one key.

use std::sync::atomic::Ordering;

use contracts::common::v1::Mode;
use contracts::gateway::v1 as proto;
use kit::api::timestamp;
use sqlx::PgPool;
use time::Duration;
use uuid::Uuid;
use web::domain::role::Role;

use crate::browser::Browser;
use crate::support::{ADA, START, Site};

async fn owner(site: &Site) -> (Browser, Uuid) {
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    (site.signed_in(ADA).await, account)
}

#[testing::database_test(web::MIGRATOR)]
async fn a_new_key_is_shown_once(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = owner(&site).await;
    let keys = format!("/accounts/{account}/keys");
    let fields = [("name", "server"), ("kind", "account")];
    let page = browser.submit(&format!("{keys}/new"), &keys, &fields).await;
    page.assert(200, "svc_test_");
    page.assert(200, "SERVICE_API_KEY=");
    page.assert(200, "https://mchezo.example/v1/games?limit=3");
    // No other page shows the secret.
    let list = browser.get(&keys).await;
    assert!(!list.text.contains("svc_test_"), "{}", list.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn with_many_listings_the_game_of_a_key_is_typed(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = owner(&site).await;
    site.listings.game(&account.to_string(), "okoto", "Okoto");
    let new = format!("/accounts/{account}/keys/new");
    browser.get(&new).await.assert(200, "<select id=\"game\"");
    site.listings.has_more.store(true, Ordering::Relaxed);
    let page = browser.get(&new).await;
    page.assert(200, "name=\"game\"");
    assert!(!page.text.contains("<select id=\"game\""), "{}", page.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_key_is_rotated_and_revoked(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = owner(&site).await;
    let keys = format!("/accounts/{account}/keys");
    let fields = [("name", "<b>server"), ("kind", "account")];
    let made = browser.submit(&format!("{keys}/new"), &keys, &fields).await;
    made.assert(200, "svc_test_");
    let key = site.gateway.keys.lock().unwrap()[0].id.clone();
    let path = format!("/accounts/{account}/keys/{key}");
    let page = browser.get(&path).await;
    page.assert(200, "Key &#60;b&#62;server");
    for (fields, revokes) in [(&[("revoke", "yes")][..], true), (&[], false)] {
        let rotated = browser.submit(&path, &format!("{path}/rotate"), fields).await;
        rotated.assert(200, "svc_test_new_");
        assert_eq!(site.gateway.revoked_old.load(Ordering::Relaxed), revokes);
    }
    let revoked = browser.post(&format!("{path}/revoke"), &[]).await;
    assert_eq!(revoked.location(), format!("/accounts/{account}/keys"));
    browser.get(revoked.location()).await.assert(200, "revoked");
    let why = "<p class=\"problem\" role=\"status\">It was revoked, ";
    browser.get(&path).await.assert(200, why);
    let activity = browser.get(&format!("/accounts/{account}/activity")).await;
    for part in [
        "created the key &#60;b&#62;server",
        "rotated the key",
        "revoked the key",
        "203.0.113.7",
        "Test/1.0",
    ] {
        activity.assert(200, part);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn the_page_of_a_key_shows_its_last_use_and_grace_period(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = owner(&site).await;
    let id = kit::ids::row_id().to_string();
    let until = START + Duration::hours(6) + Duration::minutes(12);
    site.gateway.keys.lock().unwrap().push(proto::Key {
        id: id.clone(),
        account_id: account.to_string(),
        name: "server".to_owned(),
        grace_until: Some(timestamp::encode(until)),
        ..proto::Key::default()
    });
    site.gateway.calls.lock().unwrap().calls = vec![proto::Call {
        at: Some(timestamp::encode(START)),
        key_id: id.clone(),
        method: "GET".to_owned(),
        route: "/v1/games/{slug}".to_owned(),
        status: 404,
        ..proto::Call::default()
    }];
    let keys = format!("/accounts/{account}/keys");
    let page = browser.get(&format!("{keys}/{id}")).await;
    page.assert(200, "<code>GET /v1/games/{slug}</code>, answered with 404");
    page.assert(200, &format!("{account}/requests?key={id}"));
    let left =
        "<span data-left=\"22320\">6 h 12 min</span> left, until 23 November 2026, 18:12 UTC";
    page.assert(200, left);
    let list = browser.get(&keys).await;
    list.assert(200, left);
    site.clock.advance(Duration::hours(7));
    let page = browser.get(&format!("{keys}/{id}")).await;
    assert!(!page.text.contains("data-left"), "{}", page.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_key_whose_game_keeps_it_from_working_can_be_revoked(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = owner(&site).await;
    for state in [proto::GameState::Gone, proto::GameState::NotOwned] {
        let id = kit::ids::row_id().to_string();
        site.gateway.keys.lock().unwrap().push(proto::Key {
            id: id.clone(),
            account_id: account.to_string(),
            name: "server".to_owned(),
            mode: Mode::Live.into(),
            kind: proto::KeyKind::Secret.into(),
            game: Some("okoto".to_owned()),
            game_state: state.into(),
            ..proto::Key::default()
        });
        let path = format!("/accounts/{account}/keys/{id}");
        let page = browser.get(&path).await;
        page.assert(200, &format!("action=\"{path}/rotate\""));
        page.assert(200, &format!("action=\"{path}/revoke\""));
        let revoked = browser.post(&format!("{path}/revoke"), &[]).await;
        assert_eq!(revoked.location(), format!("/accounts/{account}/keys"));
        let page = browser.get(&path).await;
        for action in ["rotate", "revoke"] {
            let form = format!("action=\"{path}/{action}\"");
            assert!(!page.text.contains(&form), "{}", page.text);
        }
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_request_for_a_live_key_is_withdrawn(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = owner(&site).await;
    let keys = format!("/accounts/{account}/keys");
    let fields = [("name", "live"), ("kind", "account"), ("mode", "live")];
    browser.submit(&format!("{keys}/new"), &keys, &fields).await.location();
    let id = site.gateway.requests.lock().unwrap()[0].id.clone();
    let withdraw = format!("{keys}/requests/{id}/withdraw");
    let form = format!("action=\"{withdraw}\"");
    browser.get(&keys).await.assert(200, &form);
    let withdrawn = browser.post(&withdraw, &[]).await;
    let page = browser.get(withdrawn.location()).await;
    page.assert(200, "The request is withdrawn.");
    assert!(!page.text.contains(&form), "{}", page.text);
    assert_eq!(site.gateway.requests.lock().unwrap()[0].state(), proto::KeyRequestState::Rejected);
    let activity = browser.get(&format!("/accounts/{account}/activity")).await;
    activity.assert(200, "withdrew the request for the live key live");
}
