//! Endpoints of webhooks: added, changed, paused, rotated and removed.

use sqlx::PgPool;

use crate::webhook_service::{WebhookSite, insert_account};

#[testing::database_test(web::MIGRATOR)]
async fn a_new_address_shows_its_secret_once(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let (base, url) = (site.base(), site.receiver.url.clone());
    let fields = [("url", url.as_str()), ("events", "tip.paid"), ("events", "listing.updated")];
    let new = format!("{base}/new");
    let added = site.browser.submit(&new, &base, &fields).await;
    added.assert(200, "answered with 405");
    added.assert(200, "SERVICE_WEBHOOK_SECRET=svc_whsec_");
    let list = site.browser.get(&base).await;
    list.assert(200, "1 of 5");
    list.assert(200, "listing.updated, tip.paid");
    assert!(!list.text.contains("svc_whsec_"), "{}", list.text);
    let (_, rest) = list.text.split_once(&format!("<a href=\"{base}/0")).unwrap();
    let path = format!("{base}/0{}", rest.split('"').next().unwrap());
    let page = site.browser.get(&path).await;
    page.assert(200, "answered with 405");
    assert!(!page.text.contains("svc_whsec_"), "{}", page.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn an_unreachable_address_is_added_with_advice(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    site.receiver.stop().await;
    let (base, url) = (site.base(), site.receiver.url.clone());
    let fields = [("url", url.as_str()), ("events", "tip.paid")];
    let new = format!("{base}/new");
    let page = site.browser.submit(&new, &base, &fields).await;
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
    // This form was opened while there was room.
    let fields =
        [("form", opened.as_str()), ("url", "https://hooks.example/"), ("events", "tip.paid")];
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
    let (url, hidden) = (site.receiver.url.clone(), form.hidden());
    let base = [
        ("base_url", hidden["base_url"].as_str()),
        ("base_events", hidden["base_events"].as_str()),
    ];
    let fields = [&base[..], &[("url", url.as_str()), ("events", "ranking.moved")]].concat();
    let changed = site.browser.post(&change, &fields).await;
    let page = site.browser.get(changed.location()).await;
    page.assert(200, "The address is changed.");
    page.assert(200, "ranking.moved");
    let refused = [("url", "http://hooks.example/"), ("events", "tip.paid")];
    let refused = [&base[..], &refused].concat();
    site.browser.post(&change, &refused).await.assert(422, "Begin the address with https");
    let without = [("url", url.as_str()), ("events", "tip.paid")];
    site.browser.post(&change, &without).await.assert(422, "Open the page again");

    let paused = site.browser.post(&format!("{path}/pause"), &[]).await;
    let page = site.browser.get(paused.location()).await;
    page.assert(200, "wait for up to 30 days");
    page.assert(200, &format!("action=\"{path}/resume\""));
    let resumed = site.browser.post(&format!("{path}/resume"), &[]).await;
    site.browser.get(resumed.location()).await.assert(200, "Resumed.");
    let remove = format!("{path}/remove");
    let removed = site.browser.submit(&path, &remove, &[]).await;
    site.browser.get(removed.location()).await.assert(200, "No address yet");
    site.browser.get(&path).await.assert(404, "Not found");
    let secret = [("secret", "00000000-0000-0000-0000-000000000001")];
    for action in ["pause", "resume", "switch"] {
        let gone = site.browser.post(&format!("{path}/{action}"), &secret).await;
        gone.assert(404, "Not found");
    }
    let activity = format!("/accounts/{}/activity", site.account);
    let activity = site.browser.get(&activity).await;
    for part in ["added a webhook at http://127.0.0.1", "paused", "resumed", "removed the webhook"]
    {
        activity.assert(200, part);
    }
    assert!(!activity.text.contains("/hook<"), "paths may be secrets: {}", activity.text);
}

/// How often the activity of the account has this text.
async fn recorded(site: &mut WebhookSite, text: &str) -> usize {
    let activity = format!("/accounts/{}/activity", site.account);
    site.browser.get(&activity).await.text.matches(text).count()
}

#[testing::database_test(web::MIGRATOR)]
async fn a_secret_is_rotated_and_switched(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    let (rotate, switch) = (format!("{path}/rotate"), format!("{path}/switch"));
    // There is no new secret to switch to.
    let early = [("secret", "00000000-0000-0000-0000-000000000001")];
    site.browser.post(&switch, &early).await.assert(422, "Nothing was switched");
    site.browser.post(&switch, &[]).await.assert(422, "");
    let opened = site.browser.get(&path).await.hidden();
    let fields = [("form", opened["form"].as_str()), ("waiting", opened["waiting"].as_str())];
    let one = site.browser.post(&rotate, &fields).await;
    one.assert(200, "The new signing secret");
    one.assert(200, "24 November 2026, 12:00 UTC");
    let page = site.browser.get(&path).await;
    page.assert(200, "24 November 2026, 12:00 UTC");
    let hidden = page.hidden();
    let fields_of_switch = [("secret", hidden["secret"].as_str())];
    // Sent twice, it has one answer and one entry.
    for _ in 0..2 {
        let switched = site.browser.post(&switch, &fields_of_switch).await;
        let page = site.browser.get(switched.location()).await;
        page.assert(200, "signed with the new secret");
        assert!(!page.text.contains("/switch"), "{}", page.text);
    }
    assert_eq!(recorded(&mut site, "switched to the new signing secret").await, 1);
    // The form that made the secret has no effect any more.
    let again = site.browser.post(&rotate, &fields).await;
    let before = format!("{path}?done=webhook-secret-before");
    assert_eq!(again.location(), before);
    assert_eq!(recorded(&mut site, "created a new signing secret").await, 1);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_new_secret_ends_another_one_that_waits_only_after_a_question(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    let rotate = format!("{path}/rotate");
    // Two people have the page open, which asks nothing while no secret waits.
    let [one, two] = [site.browser.get(&path).await, site.browser.get(&path).await];
    assert!(!one.text.contains("create another one"), "{}", one.text);
    let form = |page: &crate::browser::Page| {
        let hidden = page.hidden();
        [("form", hidden["form"].clone()), ("waiting", hidden["waiting"].clone())]
    };
    let [one, two] = [form(&one), form(&two)];
    let borrowed = |form: &[(&'static str, String); 2]| {
        form.clone().map(|(name, value)| (name, value.leak() as &str))
    };
    site.browser.post(&rotate, &borrowed(&one)).await.assert(200, "The new signing secret");
    let refused = site.browser.post(&rotate, &borrowed(&two)).await;
    refused.assert(422, "Nothing was created");
    // The page that says so asks, and its form names the secret that waits.
    refused.assert(422, "<summary>Create another new secret</summary>");
    let next = borrowed(&form(&refused));
    site.browser.post(&rotate, &next).await.assert(200, "The new signing secret");
    // Sent again, the forms make no other.
    site.browser.post(&rotate, &next).await.assert(200, "The new signing secret");
    site.browser.post(&rotate, &borrowed(&one)).await.assert(422, "Nothing was created");
    assert_eq!(recorded(&mut site, "created a new signing secret").await, 2);
    // A page from before switches to nothing.
    let waiting = [("secret", next[1].1)];
    let late = site.browser.post(&format!("{path}/switch"), &waiting).await;
    late.assert(422, "Nothing was switched");
}

#[testing::database_test(web::MIGRATOR)]
async fn the_forms_of_an_address_have_one_effect_and_one_answer(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    let (change, url) = (format!("{path}/change"), site.receiver.url.clone());
    let base = [("base_url", url.as_str()), ("base_events", "tip.paid")];
    let ticked = [("url", url.as_str()), ("events", "tip.paid"), ("events", "ranking.moved")];
    let changes = [&base[..], &ticked].concat();
    let remove = format!("{path}/remove");
    for (action, fields, recording) in [
        ("change", &changes[..], "changed the webhook"),
        ("pause", &[], "paused the webhook"),
        ("resume", &[], "resumed the webhook"),
    ] {
        let mut answers = Vec::new();
        for _ in 0..2 {
            let sent = site.browser.post(&format!("{path}/{action}"), fields).await;
            answers.push(sent.location().to_owned());
        }
        assert_eq!(answers[0], answers[1], "{action}");
        assert_eq!(recorded(&mut site, recording).await, 1, "{action}");
    }
    // Another tab from before the pause resumes nothing that is on, and removes it once.
    let [first, second] =
        [site.browser.post(&remove, &[]).await, site.browser.post(&remove, &[]).await];
    assert_eq!(first.location(), second.location());
    assert_eq!(recorded(&mut site, "removed the webhook").await, 1);
    site.browser.get(&change).await.assert(404, "Not found");
}

#[testing::database_test(web::MIGRATOR)]
async fn an_invalid_endpoint_id_is_not_found(pool: PgPool) {
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

#[testing::database_test(web::MIGRATOR)]
async fn two_developers_who_change_one_address_keep_both_changes(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    let change = format!("{path}/change");
    let hidden = site.browser.get(&change).await.hidden();
    let (url, events) = (hidden["base_url"].clone(), hidden["base_events"].clone());
    let other_url = format!("{url}/other");
    let base = [("base_url", url.as_str()), ("base_events", events.as_str())];
    // One ticks an event, the other corrects the path, in forms that were opened at the same time.
    let ticked = [("url", url.as_str()), ("events", "tip.paid"), ("events", "ranking.moved")];
    let ticked = site.browser.post(&change, &[&base[..], &ticked].concat()).await;
    ticked.location();
    let corrected = [("url", other_url.as_str()), ("events", "tip.paid")];
    let corrected = site.browser.post(&change, &[&base[..], &corrected].concat()).await;
    let page = site.browser.get(corrected.location()).await;
    page.assert(200, &other_url);
    page.assert(200, "ranking.moved");
    // Both have changed the path.
    let third = format!("{url}/third");
    let late = [("url", third.as_str()), ("events", "tip.paid")];
    let late = site.browser.post(&change, &[&base[..], &late].concat()).await;
    late.assert(422, &format!("It is now: {other_url}"));
    late.assert(422, &format!("value=\"{third}\""));
    let hidden = late.hidden();
    let again = [
        ("base_url", hidden["base_url"].as_str()),
        ("base_events", hidden["base_events"].as_str()),
        ("url", third.as_str()),
        ("events", "tip.paid"),
        ("events", "ranking.moved"),
    ];
    let saved = site.browser.post(&change, &again).await;
    let page = site.browser.get(saved.location()).await;
    page.assert(200, &third);
    page.assert(200, "ranking.moved");
}
