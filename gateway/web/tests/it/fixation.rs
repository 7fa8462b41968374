//! The token of a session changes with what its holder may do, and nobody can choose it.

use sqlx::PgPool;
use time::Duration;
use web::domain::session_token::Token;

use crate::browser::Browser;
use crate::second_factor::{half_signed_in, turn_on};
use crate::support::{ADA, BOB, PASSWORD, Site};

const NEW: &str = "another lorry teapot nine";

/// The cookie has changed, and the old one leads to no page.
async fn assert_renewed(before: &Browser, after: &mut Browser) {
    assert_ne!(before.cookie, after.cookie);
    after.get("/you").await.assert(200, ADA);
    let old = before.clone().get("/you").await;
    assert!(old.location().starts_with("/sign-in"), "{old:?}");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_cookie_that_an_attacker_has_set_is_never_a_session(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    site.person(BOB).await;
    let of_bob = site.signed_in(BOB).await.cookie;
    let made_up = Some(format!("__Host-session={}", Token::generate().text()));
    let tossed = made_up
        .clone()
        .map(|set| format!("{set}; {set}; session=x"));
    for planted in [of_bob, made_up, tossed] {
        let mut victim = site.browser();
        victim.cookie.clone_from(&planted);
        let fields = [("email", ADA), ("password", PASSWORD)];
        victim.post("/sign-in", &fields).await.location();
        assert_ne!(victim.cookie, planted);
        victim.get("/you").await.assert(200, ADA);
        let mut attacker = site.browser();
        attacker.cookie = planted;
        assert!(
            attacker
                .get("/you")
                .await
                .location()
                .starts_with("/sign-in")
        );
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn the_token_changes_at_sign_in_and_at_the_second_factor(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let before = browser.clone();
    let (secret, _) = turn_on(&site, &mut browser).await;
    assert_renewed(&before, &mut browser).await;

    site.clock.advance(Duration::minutes(16));
    let mut browser = half_signed_in(&site).await;
    let half = browser.clone();
    let code = secret.code(site.clock.now());
    browser
        .post("/sign-in/code", &[("code", &code)])
        .await
        .location();
    assert_renewed(&half, &mut browser).await;
    // Sign in again in the same browser.
    let first = browser.clone();
    site.clock.advance(Duration::seconds(30));
    let fields = [("email", ADA), ("password", PASSWORD)];
    browser.post("/sign-in", &fields).await.location();
    let code = secret.code(site.clock.now());
    browser
        .post("/sign-in/code", &[("code", &code)])
        .await
        .location();
    assert_renewed(&first, &mut browser).await;

    let on = browser.clone();
    site.clock.advance(Duration::minutes(16));
    let code = secret.code(site.clock.now());
    let fields = [("code", code.as_str()), ("password", PASSWORD)];
    browser.post("/you/totp/off", &fields).await.location();
    assert_renewed(&on, &mut browser).await;
}

#[testing::database_test(web::MIGRATOR)]
async fn the_token_changes_with_the_password_and_the_address(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let before = browser.clone();
    let fields = [("current", PASSWORD), ("password", NEW)];
    browser.post("/you/password", &fields).await.location();
    assert_renewed(&before, &mut browser).await;

    let before = browser.clone();
    browser
        .post("/you/sessions/end-others", &[])
        .await
        .location();
    assert_renewed(&before, &mut browser).await;

    let before = browser.clone();
    let mut elsewhere = site.browser();
    elsewhere.cookie.clone_from(&browser.cookie);
    elsewhere
        .post("/reset", &[("email", ADA)])
        .await
        .assert(200, "");
    let link = site.link(ADA).await;
    let set = elsewhere.post(&link, &[("password", PASSWORD)]).await;
    set.location();
    assert_renewed(&before, &mut elsewhere).await;

    let before = elsewhere.clone();
    let fields = [("email", "ada@new.example"), ("password", PASSWORD)];
    elsewhere.post("/you/email", &fields).await.location();
    let link = site.link("ada@new.example").await;
    elsewhere.post(&link, &[]).await.location();
    assert_ne!(before.cookie, elsewhere.cookie);
    elsewhere.get("/you").await.assert(200, "ada@new.example");
    let old = before.clone().get("/you").await;
    assert!(old.location().starts_with("/sign-in"), "{old:?}");
}
