//! The currency and the reports of an account's games.

use std::sync::atomic::Ordering;

use contracts::economy::v1::ReportState;
use sqlx::PgPool;
use web::domain::role::Role;

use crate::support::{ADA, Site};

#[testing::database_test(web::MIGRATOR)]
async fn a_currency_is_registered(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await.to_string();
    account.clone_into(&mut site.economy.owner.lock().unwrap());
    let mut owner = site.signed_in(ADA).await;
    let base = format!("/accounts/{account}/economy");
    let list = owner.get(&base).await;
    list.assert(200, "Okoto &#60;b&#62;");
    list.assert(200, "GET /v1/economy/currencies");
    // Only a public game is asked for the name of its currency.
    let register = format!("<a href=\"{base}/okoto\" aria-label=");
    list.assert(200, &register);
    site.economy.is_hidden.store(true, Ordering::Relaxed);
    let hidden = owner.get(&base).await;
    hidden.assert(200, "Okoto &#60;b&#62;");
    assert!(!hidden.text.contains(&register), "{}", hidden.text);
    site.economy.is_hidden.store(false, Ordering::Relaxed);
    let page = owner.get(&format!("{base}/okoto")).await;
    page.assert(200, "Register the currency");
    page.assert(200, "The basket costs twice as much as before.");
    page.assert(200, "1,200,000");

    let path = format!("{base}/okoto/currency");
    let long = "x".repeat(61);
    let refused = owner.post(&path, &[("name", &long)]).await;
    refused.assert(422, "It must have 1 to 60 characters.");
    refused.assert(422, &long);
    let named = owner.post(&path, &[("name", "Cowrie")]).await;
    assert!(named.location().ends_with("/economy/okoto?done=currency-named"));
    let page = owner.get(&format!("{base}/okoto?done=currency-named")).await;
    page.assert(200, "The name of the currency is saved.");
    page.assert(200, "href=\"/economy/okoto\"");
    owner.get(&format!("{base}/nothing")).await.assert(404, "Not found");
    owner
        .post(&format!("{base}/nothing/currency"), &[("name", "x")])
        .await
        .assert(404, "Not found");
    assert_eq!(site.economy.name.lock().unwrap().as_deref(), Some("Cowrie"));
}

#[testing::database_test(web::MIGRATOR)]
async fn a_name_too_many_is_refused_at_its_field(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await.to_string();
    account.clone_into(&mut site.economy.owner.lock().unwrap());
    let mut owner = site.signed_in(ADA).await;
    let path = format!("/accounts/{account}/economy/okoto/currency");
    for name in ["Cowrie", "Bead", "Shell", "Ring", "Bar", "Cowrie"] {
        owner.post(&path, &[("name", name)]).await.location();
    }
    let refused = owner.post(&path, &[("name", "Bead")]).await;
    refused.assert(429, "id=\"name-error\"");
    refused.assert(429, "The currency was renamed 5 times today.");
    refused.assert(429, "value=\"Bead\"");
    // The form of the last name, sent again, has its answer and no second entry.
    let again = owner.post(&path, &[("name", "Cowrie")]).await;
    assert!(again.location().ends_with("?done=currency-named"));
    let activity = owner.get(&format!("/accounts/{account}/activity")).await;
    assert_eq!(activity.text.matches("named the currency").count(), 6, "{}", activity.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_retracted_report_is_not_shown_as_a_rejected_one(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await.to_string();
    account.clone_into(&mut site.economy.owner.lock().unwrap());
    let mut owner = site.signed_in(ADA).await;
    let page = format!("/accounts/{account}/economy/okoto");
    let state = |tone: &str, text: &str| format!("<span class=\"state {tone}\">{text}</span>");
    owner.get(&page).await.assert(200, &state("", "held"));
    site.economy.decide(ReportState::Counted, "");
    owner.get(&page).await.assert(200, "Staff approved it");
    site.economy.decide(ReportState::Retracted, "The rent is a slip.");
    let shown = owner.get(&page).await;
    shown.assert(200, &state("bad", "retracted"));
    shown.assert(200, "23 November 2026, 12:00 UTC: The rent is a slip.");
    assert!(!shown.text.contains("reject"), "{}", shown.text);
}
