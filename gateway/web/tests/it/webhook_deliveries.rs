//! Test events with their results, lists of deliveries, and sending again.

use sqlx::PgPool;
use time::Duration;

use crate::webhook_service::WebhookSite;

/// Sends a test event; returns the address of the page that awaits its result.
async fn send_test(site: &mut WebhookSite, path: &str, event: &str) -> String {
    let test = format!("{path}/test");
    let sent = site.submit(path, &test, &[("event", event)]).await;
    sent.location().to_owned()
}

#[testing::database_test(web::MIGRATOR)]
async fn a_test_event_is_sent_once_and_its_result_appears(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    let form = site.browser.get(&path).await.hidden()["form"].clone();
    let fields = [("form", form.as_str()), ("event", "listing.updated person")];
    let test = format!("{path}/test");
    let sent = site.browser.post(&test, &fields).await;
    let again = site.browser.post(&test, &fields).await;
    assert_eq!(sent.location(), again.location());
    let page = site
        .eventually(sent.location(), "Your receiver accepted it")
        .await;
    page.assert(200, "after 1 try");
    page.assert(200, "answered 200");
    page.assert(200, "&#60;b&#62;noted");
    page.assert(200, "content-type: text/plain; charset=utf-8\n");
    assert!(!page.text.contains("of-the-studio"), "{}", page.text);
    page.assert(200, "sample-olawale");
    page.assert(200, "openssl dgst -sha256");
    page.assert(200, "https://mchezo.example/v1/creators/sample-olawale");
    assert!(!page.text.contains("refresh"), "{}", page.text);
    let bodies = site.receiver.bodies();
    assert_eq!(bodies.len(), 1);
    assert!(bodies[0].contains("\"listing.updated\""), "{}", bodies[0]);
    let page = site.browser.get(&path).await;
    page.assert(200, "delivered");
    let unknown = site
        .submit(&path, &test, &[("event", "listing.removed")])
        .await;
    unknown.assert(422, "id=\"event-error\"");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_result_that_is_on_its_way_is_awaited(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    site.receiver.hang();
    let watched = send_test(&mut site, &path, "").await;
    let page = site.browser.get(&watched).await;
    page.assert(200, "It is on its way.");
    page.assert(
        200,
        "<noscript><meta http-equiv=\"refresh\" content=\"2\"></noscript>",
    );
    // Without the query, the page stays as it is; and nobody waits for ever.
    let (still, _) = watched.split_once('?').unwrap();
    page.assert(200, &format!("<a href=\"{still}\">Stop</a>"));
    let page = site.browser.get(still).await;
    assert!(!page.text.contains("refresh"), "{}", page.text);
    site.clock.advance(Duration::minutes(1));
    let page = site.browser.get(&watched).await;
    assert!(!page.text.contains("refresh"), "{}", page.text);

    site.receiver.answer(503);
    let page = site.eventually(&watched, "The last try has failed").await;
    page.assert(200, "retrying");
    page.assert(200, "answered 503");
    assert!(!page.text.contains("refresh"), "{}", page.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_delivery_to_a_paused_address_waits_and_says_so(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    site.browser
        .post(&format!("{path}/pause"), &[])
        .await
        .location();
    let watched = send_test(&mut site, &path, "ping").await;
    let page = site.browser.get(&watched).await;
    page.assert(200, "The address is paused");
    assert!(!page.text.contains("refresh"), "{}", page.text);
    site.browser
        .post(&format!("{path}/resume"), &[])
        .await
        .location();
    site.eventually(&watched, "Your receiver accepted it").await;
}

#[testing::database_test(web::MIGRATOR)]
async fn a_delivery_is_sent_again(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    site.receiver.answer(500);
    let watched = send_test(&mut site, &path, "ping").await;
    site.eventually(&watched, "answered 500").await;
    let (delivery, _) = watched.split_once('?').unwrap();
    site.receiver.hang();
    let again = site.browser.post(&format!("{delivery}/again"), &[]).await;
    assert_eq!(again.location(), format!("{delivery}?watch=1"));
    let page = site.browser.get(again.location()).await;
    page.assert(200, "It is being sent now.");
    page.assert(200, "<dt>Next try</dt><dd>now</dd>");
    site.receiver.answer(200);
    let page = site.eventually(again.location(), "after 2 tries").await;
    page.assert(200, "answered 500");
    page.assert(200, "answered 200");
    let bodies = site.receiver.bodies();
    assert_eq!(bodies[0], bodies[1]);
}

#[testing::database_test(web::MIGRATOR)]
async fn the_page_of_an_address_draws_its_deliveries_by_day(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    let page = site.browser.get(&path).await;
    page.assert(200, "None yet.");
    assert!(!page.text.contains("<svg class=\"plot\""), "{}", page.text);

    site.receiver.hang();
    let watched = send_test(&mut site, &path, "ping").await;
    let page = site.browser.get(&path).await;
    page.assert(200, "No delivery of the last 14 days has ended yet.");
    site.receiver.answer(200);
    site.eventually(&watched, "Your receiver accepted it").await;
    // The endpoint asks for no more, so the delivery has failed.
    site.receiver.answer(410);
    let watched = send_test(&mut site, &path, "ping").await;
    site.eventually(&watched, "answered 410").await;
    let page = site.browser.get(&path).await;
    for part in [
        "aria-label=\"Deliveries by day from 10 November 2026 to 23 November 2026, in UTC. The table below has the same figures.\"",
        "<th scope=\"col\" class=\"number\">delivered</th><th scope=\"col\" class=\"number\">failed</th>",
        "<th scope=\"row\">23 November 2026</th><td class=\"number\">1</td><td class=\"number\">1</td>",
    ] {
        page.assert(200, part);
    }
    let (_, drawing) = page.text.split_once("<svg class=\"plot\"").unwrap();
    let (drawing, _) = drawing.split_once("</svg>").unwrap();
    for part in ["<rect class=\"success\"", "<rect class=\"failed\""] {
        assert_eq!(drawing.matches(part).count(), 1, "{drawing}");
    }
    site.speak_french().await;
    let page = site.browser.get(&path).await;
    page.assert(
        200,
        "Livraisons par jour du 10 novembre 2026 au 23 novembre 2026",
    );
}

#[testing::database_test(web::MIGRATOR)]
async fn a_refused_delivery_says_what_to_change_in_the_receiver(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    site.receiver.answer(401);
    let watched = send_test(&mut site, &path, "ping").await;
    let page = site.eventually(&watched, "answered 401").await;
    page.assert(200, "refused the signature or the time");
    page.assert(
        200,
        &format!("<a href=\"{path}/check\">Check my receiver</a>"),
    );
    page.assert(200, "Your receiver said:");
    page.assert(200, "&#60;b&#62;noted");
    site.receiver.answer(200);
    let (delivery, _) = watched.split_once('?').unwrap();
    let again = site.browser.post(&format!("{delivery}/again"), &[]).await;
    let page = site.eventually(again.location(), "after 2 tries").await;
    assert!(!page.text.contains("What to change"), "{}", page.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn deliveries_are_filtered_and_paged(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    let watched = send_test(&mut site, &path, "ping").await;
    site.eventually(&watched, "Your receiver accepted it").await;
    site.browser
        .post(&format!("{path}/pause"), &[])
        .await
        .location();
    site.clock.advance(Duration::hours(1));
    send_test(&mut site, &path, "tip.paid game").await;
    let list = format!("{path}/deliveries");
    let rows = |text: &str| text.matches(&format!("<a href=\"{list}/")).count();
    for (query, count) in [
        ("", 2),
        ("?state=waiting", 1),
        ("?state=delivered&event=ping", 1),
        ("?event=ranking.moved", 0),
        ("?since=2026-11-23T12:30", 1),
        ("?until=2026-11-23T12:30", 1),
        ("?since=&until=&state=&event=", 2),
    ] {
        let page = site.browser.get(&format!("{list}{query}")).await;
        page.assert(200, "Deliveries");
        assert_eq!(rows(&page.text), count, "{query}: {}", page.text);
    }
    let page = site
        .browser
        .get(&format!("{list}?event=ranking.moved"))
        .await;
    page.assert(200, "No delivery matches");
    for (query, part) in [
        ("?since=soon", "id=\"since-error\""),
        ("?event=lost", "id=\"event-error\""),
        ("?state=lost", "There is no such state"),
        ("?cursor=lost", "begin without one"),
    ] {
        let page = site.browser.get(&format!("{list}{query}")).await;
        page.assert(422, part);
    }
}

#[testing::database_test(web::MIGRATOR)]
#[expect(clippy::disallowed_methods, reason = "the schema of another service")]
async fn a_list_continues_on_the_next_page(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    site.browser
        .post(&format!("{path}/pause"), &[])
        .await
        .location();
    let watched = send_test(&mut site, &path, "ping").await;
    // As many more as do not fit on a page.
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
    let (_, rest) = first
        .text
        .split_once(&format!("<a href=\"{list}?"))
        .unwrap();
    let query = rest.split('"').next().unwrap().replace("&#38;", "&");
    assert!(query.contains("state=waiting"), "{query}");
    let second = site.browser.get(&format!("{list}?{query}")).await;
    assert_eq!(rows(&second.text), 5);
    assert!(!second.text.contains("Older deliveries"), "{}", second.text);
    let (delivery, _) = watched.split_once('?').unwrap();
    second.assert(200, delivery);
}

#[testing::database_test(web::MIGRATOR)]
async fn failed_deliveries_are_counted_before_they_are_sent_again(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    let recover = format!("{path}/recover");
    let form = site.browser.get(&recover).await;
    form.assert(200, "value=\"2026-11-23T12:00\"");
    site.browser
        .post(&recover, &[("since", "")])
        .await
        .assert(422, "id=\"since-error\"");
    let since = ("since", "2026-11-23T00:00");
    site.browser
        .post(&recover, &[since])
        .await
        .assert(200, "No delivery");

    // A 410 ends a delivery at once, and switches the endpoint off.
    site.receiver.answer(410);
    let watched = send_test(&mut site, &path, "ping").await;
    site.eventually(&watched, "It has failed").await;
    let page = site.eventually(&path, "switched this address off").await;
    page.assert(200, &format!("action=\"{path}/resume\""));
    let form = site.browser.get(&recover).await;
    form.assert(200, "value=\"2026-11-23T12:00\"");
    let counted = site.browser.post(&recover, &[since]).await;
    counted.assert(200, "1 delivery");
    let confirmed = [since, ("confirmed", "yes")];
    let off = site.browser.post(&recover, &confirmed).await;
    off.assert(422, "resume it first");
    site.receiver.answer(200);
    site.browser
        .post(&format!("{path}/resume"), &[])
        .await
        .location();
    let sent = site.browser.post(&recover, &confirmed).await;
    site.browser
        .get(sent.location())
        .await
        .assert(200, "sent again");
    site.eventually(&watched, "Your receiver accepted it after 2 tries")
        .await;
}

#[testing::database_test(web::MIGRATOR)]
async fn failed_deliveries_to_a_paused_address_wait_and_the_page_says_so(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    // A 410 ends a delivery at once, and switches the endpoint off.
    site.receiver.answer(410);
    let watched = send_test(&mut site, &path, "ping").await;
    site.eventually(&watched, "It has failed").await;
    site.eventually(&path, "switched this address off").await;
    site.receiver.answer(200);
    for action in ["resume", "pause"] {
        let done = site.browser.post(&format!("{path}/{action}"), &[]).await;
        done.location();
    }
    let confirmed = [("since", "2026-11-23T00:00"), ("confirmed", "yes")];
    let recover = format!("{path}/recover");
    let sent = site.browser.post(&recover, &confirmed).await;
    let page = site.browser.get(sent.location()).await;
    page.assert(200, "once you resume it");
    let now = "The failed deliveries are sent again";
    assert!(!page.text.contains(now), "{}", page.text);
    assert_eq!(site.receiver.bodies().len(), 1);
    site.speak_french().await;
    let page = site.browser.get(sent.location()).await;
    page.assert(200, "seront renvoyées quand vous la réactiverez");
    let resumed = site.browser.post(&format!("{path}/resume"), &[]).await;
    resumed.location();
    let done = "Votre récepteur l’a acceptée après 2 tentatives.";
    site.eventually(&watched, done).await;
}

#[testing::database_test(web::MIGRATOR)]
async fn a_french_owner_reads_deliveries(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    site.speak_french().await;
    let list = format!("{path}/deliveries");
    let empty = site.browser.get(&list).await;
    empty.assert(200, "Envoyez un événement de test</a>\u{a0}: son résultat");
    site.receiver.answer(500);
    let watched = send_test(&mut site, &path, "ping").await;
    let page = site.eventually(&watched, "a répondu 500").await;
    for part in [
        "<h1>Livraison de ping</h1>",
        "nouvel essai prévu",
        "La dernière tentative a échoué. La prochaine aura lieu le 23 novembre 2026, ",
        "1\u{a0}: <span class=\"bad\">a répondu 500</span>",
        "Votre récepteur est en panne, ou un proxy",
        "Votre récepteur a répondu\u{a0}:",
        "aria-label=\"La réponse à la tentative 1\"",
        "car une signature est valable cinq minutes.",
    ] {
        page.assert(200, part);
    }
    site.receiver.answer(200);
    let (delivery, _) = watched.split_once('?').unwrap();
    let again = site.browser.post(&format!("{delivery}/again"), &[]).await;
    let done = "Votre récepteur l’a acceptée après 2 tentatives.";
    site.eventually(again.location(), done).await;
    let page = site.browser.get(&list).await;
    for part in [
        "<h1>Livraisons</h1>",
        "Elles sont gardées pendant 30 jours.",
        "<option value=\"waiting\">en attente</option>",
        "<span class=\"state good\">livrée</span>",
        "<td>a répondu 200</td>",
    ] {
        page.assert(200, part);
    }
    for (query, part) in [
        ("?since=soon", "Écrivez la date et l’heure comme"),
        ("?state=lost", "Cet état n’existe pas"),
    ] {
        let page = site.browser.get(&format!("{list}{query}")).await;
        page.assert(422, part);
    }
    let page = site.browser.get(&path).await;
    page.assert(200, "livrées\u{a0}: 1 sur 1, en échec\u{a0}: 0");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_french_owner_counts_failed_deliveries(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    site.speak_french().await;
    site.receiver.answer(410);
    let watched = send_test(&mut site, &path, "ping").await;
    site.eventually(&watched, "Elle a échoué après 1 tentative,")
        .await;
    let off = "Nous avons désactivé cette adresse. Elle a répondu 410 Gone.";
    site.eventually(&path, off).await;
    let recover = format!("{path}/recover");
    let form = site.browser.get(&recover).await;
    form.assert(200, "<h1>Renvoyer les livraisons en échec</h1>");
    form.assert(200, "En échec depuis (UTC)");
    let none = site.browser.post(&recover, &[("since", "")]).await;
    none.assert(422, "Choisissez une date et une heure.");
    let since = ("since", "2026-11-23T00:00");
    let counted = site.browser.post(&recover, &[since]).await;
    for part in [
        "<h2>1 livraison en échec</h2>",
        "1 livraison a échoué depuis le 2026-11-23T00:00 UTC.",
        "<button>La renvoyer</button>",
    ] {
        counted.assert(200, part);
    }
}
