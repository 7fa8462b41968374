//! "Check my receiver"

use sqlx::PgPool;

use crate::webhook_service::WebhookSite;

#[testing::database_test(web::MIGRATOR)]
async fn the_check_shows_what_was_sent_and_what_came_back(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    let check = format!("{path}/check");
    site.browser.get(&check).await.assert(200, "Run the check");
    assert_eq!(site.receiver.bodies(), [""; 0], "looking sends nothing");

    let report = site.browser.post(&check, &[]).await;
    // The receiver believes everything; how fast it is depends on this machine.
    report.assert(200, "rules are broken.");
    for part in [
        "1. Read the raw body",
        "2. Answer 401",
        "3. Answer 400",
        "4. Answer 200 to an id",
        "5. Answer 200 at once",
        "6. Answer 200 to an event",
        "a message signed 310 seconds ago: <span class=\"bad\">answered 200 in",
        "should be 401",
        "a list instead of a message: <span class=\"good\">answered 200 in",
        "a ping whose id is an object: <span class=\"good\">answered 200 in",
        "Only you can see",
        "x-service-signature: ",
        "&#60;b&#62;noted",
    ] {
        report.assert(200, part);
    }
    assert!(report.text.len() < 100_000, "{}", report.text.len());
    assert_eq!(
        report.text.matches("<details open>").count(),
        28,
        "21 of rule 2, 7 of rule 3"
    );
    assert_eq!(
        site.receiver.bodies().len(),
        report.text.matches("<details").count()
    );

    let again = site.browser.post(&check, &[]).await;
    again.assert(429, "Wait ten seconds");
    site.browser.get(&path).await.assert(200, "None yet");
}

#[testing::database_test(web::MIGRATOR)]
#[expect(clippy::disallowed_methods, reason = "the schema of another service")]
async fn an_address_that_is_no_longer_allowed_is_not_called(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    let sql = "update webhook.endpoint set url = 'https://kubernetes.default/'";
    sqlx::raw_sql(sql).execute(&site.site.pool).await.unwrap();
    let report = site.browser.post(&format!("{path}/check"), &[]).await;
    report.assert(422, "is a local name");
    report.assert(422, "role=\"alert\"");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_french_owner_checks_a_receiver(pool: PgPool) {
    let mut site = WebhookSite::new(pool).await;
    let path = site.add().await;
    site.speak_french().await;
    let check = format!("{path}/check");
    let page = site.browser.get(&check).await;
    for part in [
        "<h1>Vérifier mon récepteur</h1>",
        "une quarantaine de messages",
        "Lancer la vérification",
        "Elle peut prendre 20 secondes.",
    ] {
        page.assert(200, part);
    }
    let report = site.browser.post(&check, &[]).await;
    for part in [
        "règles sont enfreintes.",
        "<h2>1. Lire le corps brut avant de l’analyser</h2>",
        "un message signé il y a 310 secondes\u{a0}: <span class=\"bad\">a répondu 200 en",
        "\u{a0}; réponse attendue\u{a0}: 401</summary>",
        "Ce que vous seul pouvez voir\u{a0}:",
        // What is wrong with a rule has words that web does not know.
        "<span lang=\"en\">It answered 200 instead of 401",
    ] {
        report.assert(200, part);
    }
    for untranslated in ["<summary><span lang", "<h2>1. <span lang"] {
        assert!(!report.text.contains(untranslated), "{}", report.text);
    }
}
