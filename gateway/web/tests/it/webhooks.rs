//! Addresses of webhooks: added once, changed, paused, rotated and removed.

use sqlx::PgPool;
use web::domain::role::Role;

use crate::support::BOB;
use crate::webhook_service::{WebhookSite, insert_account};

#[testing::database_test(web::MIGRATOR)]
async fn an_account_without_an_address_says_what_to_do(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let base = site.base();
    let page = site.browser.get(&base).await;
    page.assert(200, "No address yet");
    page.assert(200, "0 of 5 addresses that your plan includes");
    page.assert(200, "real events");
    let form = site.browser.get(&format!("{base}/new")).await;
    for part in ["listing.published", "A player tipped"] {
        form.assert(200, part);
    }
    assert!(
        !form.text.contains("value=\"ping\""),
        "a ping cannot be ticked"
    );
}

#[testing::database_test(web::MIGRATOR)]
async fn a_new_address_shows_its_secret_once(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let (base, url) = (site.base(), site.receiver.url.clone());
    let form = site.browser.get(&format!("{base}/new")).await;
    let id = form.hidden()["form"].clone();
    let fields = [
        ("form", id.as_str()),
        ("url", url.as_str()),
        ("events", "tip.paid"),
        ("events", "listing.updated"),
    ];
    let added = site.browser.post(&base, &fields).await;
    added.assert(200, "answered 405");
    added.assert(200, "SERVICE_WEBHOOK_SECRET=svc_whsec_");
    let list = site.browser.get(&base).await;
    list.assert(200, "1 of 5");
    list.assert(200, "listing.updated, tip.paid");
    assert!(!list.text.contains("svc_whsec_"), "{}", list.text);
    let (_, rest) = list
        .text
        .split_once(&format!("<a href=\"{base}/0"))
        .unwrap();
    let path = format!("{base}/0{}", rest.split('"').next().unwrap());
    let page = site.browser.get(&path).await;
    page.assert(200, "answered 405");
    assert!(!page.text.contains("svc_whsec_"), "{}", page.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn an_address_that_cannot_be_reached_is_added_and_says_what_to_do(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    site.receiver.stop().await;
    let (base, url) = (site.base(), site.receiver.url.clone());
    let fields = [("url", url.as_str()), ("events", "tip.paid")];
    let new = format!("{base}/new");
    let page = site.submit(&new, &base, &fields).await;
    let says = "We could not reach it yet (refused the connection). Check the address, or start your server.";
    page.assert(200, says);
    assert!(!page.text.contains("Any response"), "{}", page.text);
    let (_, rest) = page.text.split_once(&format!("action=\"{base}/")).unwrap();
    let path = format!("{base}/{}", rest.split('/').next().unwrap());
    let page = site.browser.get(&path).await;
    let says = "We could not reach it when it was added (refused the connection).";
    page.assert(200, says);
    assert!(!page.text.contains("Any response"), "{}", page.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_refused_form_keeps_what_was_typed_and_says_why(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let base = site.base();
    let new = format!("{base}/new");
    let fields = [("url", "https://10.0.0.1/\"<x>"), ("events", "tip.paid")];
    let page = site.submit(&new, &base, &fields).await;
    page.assert(422, "IP addresses are not allowed");
    page.assert(422, "id=\"url-error\"");
    page.assert(422, "value=\"https://10.0.0.1/&#34;&#60;x&#62;\"");
    page.assert(422, "value=\"tip.paid\" checked");
    assert!(!page.text.contains("value=\"listing.updated\" checked"));
    let none = [("url", "https://hooks.example/")];
    let page = site.submit(&new, &base, &none).await;
    page.assert(422, "id=\"events-error\"");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_full_plan_says_so(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    insert_account(&site.site.pool, site.account, "free").await;
    let base = site.base();
    let new = format!("{base}/new");
    let opened = site.browser.get(&new).await.hidden()["form"].clone();
    site.add().await;
    let list = site.browser.get(&base).await;
    list.assert(200, "1 of 1");
    list.assert(200, "test events only");
    assert!(!list.text.contains("/webhooks/new"), "{}", list.text);
    let says =
        "Your plan includes no more addresses. Remove one to add another, or change the plan.";
    let page = site.browser.get(&new).await;
    page.assert(200, says);
    page.assert(200, &format!("href=\"/accounts/{}/plans\"", site.account));
    assert!(!page.text.contains("name=\"url\""), "{}", page.text);
    // A form that was opened while there was room.
    let fields = [
        ("form", opened.as_str()),
        ("url", "https://hooks.example/"),
        ("events", "tip.paid"),
    ];
    let page = site.browser.post(&base, &fields).await;
    page.assert(422, says);
    page.assert(422, "value=\"https://hooks.example/\"");
}

#[testing::database_test(web::MIGRATOR)]
async fn an_address_is_changed_paused_resumed_and_removed(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    let change = format!("{path}/change");
    let form = site.browser.get(&change).await;
    form.assert(200, "value=\"tip.paid\" checked");
    let url = site.receiver.url.clone();
    let fields = [("url", url.as_str()), ("events", "ranking.moved")];
    let changed = site.browser.post(&change, &fields).await;
    let page = site.browser.get(changed.location()).await;
    page.assert(200, "The address is changed.");
    page.assert(200, "ranking.moved");
    let refused = [("url", "http://hooks.example/"), ("events", "tip.paid")];
    site.browser
        .post(&change, &refused)
        .await
        .assert(422, "Begin the address with https");

    let paused = site.browser.post(&format!("{path}/pause"), &[]).await;
    let page = site.browser.get(paused.location()).await;
    page.assert(200, "wait for up to 30 days");
    page.assert(200, &format!("action=\"{path}/resume\""));
    let resumed = site.browser.post(&format!("{path}/resume"), &[]).await;
    site.browser
        .get(resumed.location())
        .await
        .assert(200, "Resumed.");
    let form = site.browser.get(&path).await.hidden()["form"].clone();
    let form = [("form", form.as_str())];
    let removed = site.browser.post(&format!("{path}/remove"), &form).await;
    site.browser
        .get(removed.location())
        .await
        .assert(200, "No address yet");
    site.browser.get(&path).await.assert(404, "Not found");
    for action in ["pause", "resume", "switch"] {
        let gone = site.browser.post(&format!("{path}/{action}"), &[]).await;
        gone.assert(404, "Not found");
    }
    let activity = format!("/accounts/{}/activity", site.account);
    let activity = site.browser.get(&activity).await;
    for part in [
        "added a webhook at http://127.0.0.1",
        "paused",
        "resumed",
        "removed the webhook",
    ] {
        activity.assert(200, part);
    }
    assert!(
        !activity.text.contains("/hook<"),
        "paths may be secrets: {}",
        activity.text
    );
}

#[testing::database_test(web::MIGRATOR)]
async fn a_secret_is_rotated_and_switched(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    let rotate = format!("{path}/rotate");
    // There is no new secret to switch to.
    let early = site.browser.post(&format!("{path}/switch"), &[]).await;
    early.assert(422, "rotate its secret first");
    let form = site.browser.get(&path).await.hidden()["form"].clone();
    let fields = [("form", form.as_str())];
    let one = site.browser.post(&rotate, &fields).await;
    one.assert(200, "The new signing secret");
    one.assert(200, "24 November 2026, 12:00 UTC");
    let page = site.browser.get(&path).await;
    page.assert(200, "24 November 2026, 12:00 UTC");
    let switched = site.browser.post(&format!("{path}/switch"), &[]).await;
    let page = site.browser.get(switched.location()).await;
    page.assert(200, "signed with the new secret");
    assert!(!page.text.contains("/switch"), "{}", page.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn an_editor_only_reads_and_a_neighbour_sees_nothing(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    let bob = site.site.person(BOB).await;
    let own = site.site.account(bob, Role::Owner).await;
    insert_account(&site.site.pool, own, "build").await;
    let mut neighbour = site.site.signed_in(BOB).await;
    let endpoint = path.rsplit('/').next().unwrap();
    // Under one's own account, an endpoint of another is not found.
    let theirs = format!("/accounts/{own}/webhooks/{endpoint}");
    for page in ["", "/change", "/recover", "/deliveries", "/deliveries/1"] {
        let page = format!("{theirs}{page}");
        neighbour.get(&page).await.assert(404, "Not found");
    }
    let form = neighbour
        .get(&format!("/accounts/{own}/webhooks/new"))
        .await;
    let form = form.hidden()["form"].clone();
    for action in [
        "change",
        "pause",
        "resume",
        "rotate",
        "switch",
        "remove",
        "test",
        "recover",
        "deliveries/1/again",
    ] {
        let fields = [
            ("form", form.as_str()),
            ("url", "https://hooks.example/"),
            ("events", "tip.paid"),
            ("since", "2026-11-23T00:00"),
        ];
        let page = neighbour.post(&format!("{theirs}/{action}"), &fields).await;
        page.assert(404, "Not found");
    }
    assert_eq!(site.receiver.bodies(), [""; 0]);

    site.site.join(site.account, bob, Role::Editor).await;
    let page = neighbour.get(&path).await;
    page.assert(200, &site.receiver.url);
    assert!(
        !page.text.contains("/pause") && !page.text.contains("/test"),
        "{}",
        page.text
    );
    let list = neighbour.get(&site.base()).await;
    assert!(!list.text.contains("/webhooks/new"), "{}", list.text);
    neighbour
        .get(&format!("{}/new", site.base()))
        .await
        .assert(403, "owner or a developer");
    neighbour
        .post(&format!("{path}/pause"), &[])
        .await
        .assert(403, "owner or a developer");
    neighbour
        .get(&format!("{path}/deliveries"))
        .await
        .assert(200, "None yet");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_path_that_is_no_id_is_not_found(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    let base = site.base();
    for page in [
        format!("{base}/nothing"),
        format!("{base}/nothing/deliveries"),
        format!("{base}/00000000-0000-0000-0000-000000000001"),
        format!("{path}/deliveries/7"),
        format!("{path}/deliveries/seven"),
        format!("{path}/deliveries/99999999999999999999"),
    ] {
        site.browser.get(&page).await.assert(404, "Not found");
    }
}
