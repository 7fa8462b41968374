//! The currency and the reports of an account's games.

use std::sync::atomic::Ordering;

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
