//! Test events with their results, lists of deliveries, and sending again.

use sqlx::PgPool;

use crate::webhook_service::WebhookSite;

/// Sends a test event; returns the path of its delivery's page.
async fn send_test(site: &mut WebhookSite, path: &str, event: &str) -> String {
    let test = format!("{path}/test");
    let sent = site.browser.submit(path, &test, &[("event", event)]).await;
    sent.location().to_owned()
}

#[testing::database_test(web::MIGRATOR)]
async fn a_test_event_is_sent_and_its_result_appears(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    let test = format!("{path}/test");
    let fields = [("event", "listing.updated person")];
    let sent = site.browser.submit(&path, &test, &fields).await;
    let page = site.eventually(sent.location(), "Your receiver accepted it").await;
    page.assert(200, "after 1 attempt");
    page.assert(200, "answered 200");
    page.assert(200, "&#60;b&#62;noted");
    assert!(!page.text.contains("of-the-studio"), "{}", page.text);
    page.assert(200, "sample-olawale");
    page.assert(200, "openssl dgst -sha256");
    page.assert(200, "https://mchezo.example/v1/creators/sample-olawale");
    let bodies = site.receiver.bodies();
    assert_eq!(bodies.len(), 1);
    assert!(bodies[0].contains("\"listing.updated\""), "{}", bodies[0]);
    let page = site.browser.get(&path).await;
    page.assert(200, "delivered");
    let unknown = site.browser.submit(&path, &test, &[("event", "listing.removed")]).await;
    unknown.assert(422, "id=\"event-error\"");
}

#[testing::database_test(web::MIGRATOR)]
async fn the_page_of_a_first_try_loads_itself_again_until_the_result_is_there(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    site.receiver.hang();
    let delivery = send_test(&mut site, &path, "ping").await;
    let page = site.browser.get(&delivery).await;
    page.assert(200, "It is on its way.");
    assert_eq!(page.headers["refresh"], "2");
    // A try that takes longer than any try is not waited for.
    site.site.clock.advance(time::Duration::seconds(31));
    let page = site.browser.get(&delivery).await;
    assert!(!page.headers.contains_key("refresh"), "{page:?}");
    site.receiver.answer(200);
    let page = site.eventually(&delivery, "Your receiver accepted it").await;
    assert!(!page.headers.contains_key("refresh"), "{page:?}");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_delivery_is_sent_again(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    site.receiver.answer(500);
    let delivery = send_test(&mut site, &path, "ping").await;
    site.eventually(&delivery, "answered 500").await;
    site.receiver.hang();
    let form = [("tries", "1")];
    assert_eq!(site.browser.get(&delivery).await.hidden()["tries"], "1");
    let again = site.browser.post(&format!("{delivery}/again"), &form).await;
    assert_eq!(again.location(), delivery);
    let page = site.browser.get(again.location()).await;
    page.assert(200, "It is being sent now.");
    page.assert(200, "<dt>Next attempt</dt><dd>now</dd>");
    site.receiver.answer(200);
    let page = site.eventually(again.location(), "after 2 attempts").await;
    page.assert(200, "answered 500");
    page.assert(200, "answered 200");
    let bodies = site.receiver.bodies();
    assert_eq!(bodies[0], bodies[1]);
    // The same form, once its attempt has ended, and a form of an older page send nothing.
    for tries in ["1", "0"] {
        let again = site.browser.post(&format!("{delivery}/again"), &[("tries", tries)]).await;
        site.browser.get(again.location()).await.assert(200, "Nothing was sent");
    }
    let activity = format!("/accounts/{}/activity", site.account);
    let activity = site.browser.get(&activity).await.text;
    assert_eq!(activity.matches("sent a delivery again").count(), 1, "{activity}");
    assert_eq!(site.receiver.bodies().len(), 2);
}

#[testing::database_test(web::MIGRATOR)]
#[expect(clippy::disallowed_methods, reason = "the schema of another service")]
async fn a_list_continues_on_the_next_page(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    site.browser.post(&format!("{path}/pause"), &[]).await.location();
    let delivery = send_test(&mut site, &path, "ping").await;
    // More deliveries than fit on a page.
    sqlx::raw_sql(
        "insert into webhook.waiting (endpoint_id, message_id, created_at, attempts_left, due_at)
         select endpoint_id, message_id, created_at, attempts_left, due_at from webhook.waiting, generate_series(1, 104)",
    )
    .execute(&site.site.pool)
    .await
    .unwrap();
    let list = format!("{path}/deliveries");
    let rows = |text: &str| text.matches(&format!("<a href=\"{list}/")).count();
    let first = site.browser.get(&format!("{list}?state=waiting")).await;
    assert_eq!(rows(&first.text), 100);
    assert!(first.text.len() < 60_000, "{}", first.text.len());
    let (_, rest) = first.text.split_once(&format!("<a href=\"{list}?")).unwrap();
    let query = rest.split('"').next().unwrap().replace("&#38;", "&");
    assert!(query.contains("state=waiting"), "{query}");
    let second = site.browser.get(&format!("{list}?{query}")).await;
    assert_eq!(rows(&second.text), 5);
    assert!(!second.text.contains("Older deliveries"), "{}", second.text);
    second.assert(200, &delivery);
    let failed = site.browser.get(&format!("{list}?state=failed")).await;
    failed.assert(200, "No delivery matches");
    for (query, part) in
        [("?state=lost", "There is no such state"), ("?cursor=lost", "begin without one")]
    {
        let page = site.browser.get(&format!("{list}{query}")).await;
        page.assert(422, part);
    }
}

#[testing::database_test(web::MIGRATOR)]
#[expect(clippy::disallowed_methods, reason = "the schema of another service")]
async fn failed_deliveries_are_counted_before_they_are_sent_again(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    let recover = format!("{path}/recover");
    let form = site.browser.get(&recover).await;
    form.assert(200, "value=\"2026-11-23T12:00\"");
    site.browser.post(&recover, &[("since", "")]).await.assert(422, "id=\"since-error\"");
    let since = ("since", "2026-11-23T00:00");
    site.browser.post(&recover, &[since]).await.assert(200, "No delivery");

    // A delivery with one try.
    site.browser.post(&format!("{path}/pause"), &[]).await.location();
    let delivery = send_test(&mut site, &path, "ping").await;
    sqlx::raw_sql("update webhook.waiting set attempts_left = 1")
        .execute(&site.site.pool)
        .await
        .unwrap();
    site.receiver.answer(500);
    site.browser.post(&format!("{path}/resume"), &[]).await.location();
    site.eventually(&delivery, "Failed after").await;
    // A 410 disables the endpoint.
    site.receiver.answer(410);
    send_test(&mut site, &path, "ping").await;
    let page = site.eventually(&path, "disabled this address").await;
    page.assert(200, &format!("action=\"{path}/resume\""));
    let form = site.browser.get(&recover).await;
    form.assert(200, "value=\"2026-11-23T12:00\"");
    let counted = site.browser.post(&recover, &[since]).await;
    counted.assert(200, "1 delivery");
    let confirmed = [since, ("confirmed", "yes")];
    let off = site.browser.post(&recover, &confirmed).await;
    off.assert(422, "resume it first");
    site.receiver.answer(200);
    site.browser.post(&format!("{path}/resume"), &[]).await.location();
    let sent = site.browser.post(&recover, &confirmed).await;
    site.browser.get(sent.location()).await.assert(200, "sent again");
    site.eventually(&delivery, "Your receiver accepted it after 2 attempts").await;
}
