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
use crate::support::{ADA, BOB, START, Site};

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
    let mut path = path;
    for (fields, revokes) in [(&[("revoke", "yes")][..], true), (&[], false)] {
        let rotated = browser.submit(&path, &format!("{path}/rotate"), fields).await;
        rotated.assert(200, "svc_test_new_");
        assert_eq!(site.gateway.revoked_old.load(Ordering::Relaxed), revokes);
        let new = site.gateway.keys.lock().unwrap().last().unwrap().id.clone();
        path = format!("/accounts/{account}/keys/{new}");
    }
    let mut revoked = browser.post(&format!("{path}/revoke"), &[]).await;
    for _ in 0..2 {
        assert_eq!(revoked.location(), format!("/accounts/{account}/keys"));
        // Another tab sends the form again.
        revoked = browser.post(&format!("{path}/revoke"), &[]).await;
    }
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
    let count = |what: &str| activity.text.matches(what).count();
    assert_eq!((count("rotated the key"), count("revoked the key")), (2, 1), "{}", activity.text);
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
    assert!(!page.text.contains("<h2>Requested</h2>"), "{}", page.text);
    let ended = site.gateway.requests.lock().unwrap()[0].ended.clone().unwrap();
    assert_eq!(ended.by_account, account.to_string());
    // Another tab sends the form again.
    let again = browser.post(&withdraw, &[]).await;
    assert_eq!(again.location(), withdrawn.location());
    let activity = browser.get(&format!("/accounts/{account}/activity")).await;
    let withdrawals = activity.text.matches("withdrew the request for the live key live");
    assert_eq!(withdrawals.count(), 1, "{}", activity.text);
    // It waits for nobody.
    let today = browser.get(&format!("/accounts/{account}")).await;
    assert!(!today.text.contains("Waiting for you"), "{}", today.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_rejected_request_is_shown_for_two_weeks(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut browser, account) = owner(&site).await;
    let account = account.to_string();
    let asked = proto::KeyRequestState::Asked;
    let rejected = site.gateway.add_request(&account, "server", asked).id;
    let closed = site.gateway.add_request(&account, "old", asked).id;
    site.gateway.reject(&rejected, "Say what it is for.");
    for request in site.gateway.requests.lock().unwrap().iter_mut().filter(|it| it.id == closed) {
        site.gateway.end(request, &account, "The account was closed.");
    }
    let keys = format!("/accounts/{account}/keys");
    // A form that is older than the decision does not turn it into a withdrawal.
    let late = browser.post(&format!("{keys}/requests/{rejected}/withdraw"), &[]).await;
    browser.get(late.location()).await.assert(200, "Staff rejected the request before");
    let activity = browser.get(&format!("/accounts/{account}/activity")).await;
    assert!(!activity.text.contains("withdrew"), "{}", activity.text);
    site.clock.advance(Duration::days(14) - Duration::seconds(1));
    let mut browser = site.signed_in(ADA).await;
    for path in [format!("/accounts/{account}"), keys.clone()] {
        let page = browser.get(&path).await;
        page.assert(200, "Say what it is for.");
        assert!(!page.text.contains("The account was closed."), "{}", page.text);
    }
    site.clock.advance(Duration::seconds(1));
    for path in [format!("/accounts/{account}"), keys] {
        let page = browser.get(&path).await;
        assert!(!page.text.contains("Say what it is for."), "{}", page.text);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn who_reveals_second_reads_who_has_seen_the_secret(pool: PgPool) {
    let site = Site::new(pool).await;
    let (mut ada, account) = owner(&site).await;
    let bob = site.person(BOB).await;
    site.join(account, bob, Role::Developer).await;
    let mut bob = site.signed_in(BOB).await;
    let approved = proto::KeyRequestState::Approved;
    let id = site.gateway.add_request(&account.to_string(), "server", approved).id;
    let keys = format!("/accounts/{account}/keys");
    let reveal = format!("{keys}/requests/{id}/reveal");
    ada.post(&reveal, &[]).await.assert(200, "svc_live_");
    site.clock.advance(Duration::minutes(7));

    let second = bob.post(&reveal, &[]).await;
    let page = bob.get(second.location()).await;
    page.assert(200, &format!("{ADA} revealed this key, 23 November 2026, 12:00 UTC"));
    page.assert(200, "after 24 hours");
    assert!(!page.text.contains("already shown to you"), "{}", page.text);
    // Ada reads something else, and her colleague has revealed nothing.
    let again = ada.post(&reveal, &[]).await;
    let page = ada.get(again.location()).await;
    page.assert(200, "The secret was already shown to you");
    assert!(!page.text.contains("revealed this key"), "{}", page.text);
    let activity = ada.get(&format!("/accounts/{account}/activity")).await;
    assert_eq!(activity.text.matches("revealed the key").count(), 1, "{}", activity.text);
    // The page of the key names her at any time, also when she has left.
    let seen = format!("<dt>Secret seen by</dt><dd><bdi>{ADA}</bdi>");
    bob.get(&format!("{keys}/{id}")).await.assert(200, &seen);
    ada.post(&format!("{keys}/{id}/revoke"), &[]).await.location();
    let page = bob.get(second.location()).await;
    page.assert(200, "It has been rotated or revoked since.");
}
