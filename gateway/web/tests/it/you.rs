//! What people change about themselves: sessions, password and address; and their deletion.

use http::header::SET_COOKIE;
use sqlx::PgPool;
use time::Duration;
use web::domain::session_token::Token;

use crate::browser::Browser;
use crate::full_account::rows;
use crate::second_factor::turn_on;
use crate::support::{ADA, BOB, PASSWORD, Site};

const NEW: &str = "another lorry teapot nine";

#[testing::database_test(web::MIGRATOR)]
async fn sessions_are_listed_and_ended(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    site.person(BOB).await;
    let mut browser = site.signed_in(ADA).await;
    let mut phone = site.signed_in(ADA).await;
    let mut tablet = site.signed_in(ADA).await;
    let mut bob = site.signed_in(BOB).await;
    let page = browser.get("/you").await;
    assert_eq!(page.text.matches("/you/sessions/").count() - 1, 3, "{}", page.text);
    assert_eq!(page.text.matches("this one").count(), 1);
    let hash = |browser: &crate::browser::Browser| {
        let cookie = browser.cookie.clone().unwrap();
        let token = cookie.split_once('=').unwrap().1.to_owned();
        Token::parse(&token).unwrap().hash().hex()
    };
    let end = format!("/you/sessions/{}/end", hash(&phone));
    // Nobody ends another person's session.
    bob.post(&end, &[]).await.location();
    phone.get("/you").await.assert(200, "");
    assert_eq!(browser.post(&end, &[]).await.location(), "/you?done=session");
    assert!(phone.get("/you").await.location().starts_with("/sign-in"));
    let mut copy = browser.clone();
    browser.post("/you/sessions/end-others", &[]).await.location();
    assert!(copy.get("/you").await.location().starts_with("/sign-in"));
    assert!(tablet.get("/you").await.location().starts_with("/sign-in"));
    browser.get("/you?done=sessions").await.assert(200, "All other sessions have ended");
    browser.get("/you?done=%3Cscript%3E").await.assert(200, ADA);
}

#[testing::database_test(web::MIGRATOR)]
async fn ending_the_own_session_signs_out(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let (_, token) = browser.cookie.as_ref().unwrap().split_once('=').unwrap();
    let hash = Token::parse(token).unwrap().hash().hex();
    let ended = browser.post(&format!("/you/sessions/{hash}/end"), &[]).await;
    assert_eq!(ended.location(), "/?done=signed-out");
    let cleared = ended
        .headers
        .get_all(SET_COOKIE)
        .iter()
        .filter(|set| set.to_str().unwrap().contains("Max-Age=0"));
    assert_eq!(cleared.count(), 2, "{:?}", ended.headers);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_new_password_ends_the_other_sessions(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let mut other = site.signed_in(ADA).await;
    let wrong = [("current", "wrong"), ("password", "short")];
    let page = browser.post("/you/password", &wrong).await;
    page.assert(422, "current-error");
    page.assert(422, "password-error");
    let fields = [("current", PASSWORD), ("password", NEW)];
    let mut copy = browser.clone();
    let changed = browser.post("/you/password", &fields).await;
    assert_eq!(changed.location(), "/you?done=password");
    browser.get("/you").await.assert(200, ADA);
    // Changing the credentials replaces the session token.
    assert!(copy.get("/you").await.location().starts_with("/sign-in"));
    assert!(other.get("/you").await.location().starts_with("/sign-in"));
    let old = [("email", ADA), ("password", PASSWORD)];
    site.browser().post("/sign-in", &old).await.assert(422, "wrong");
}

#[testing::database_test(web::MIGRATOR)]
async fn an_address_changes_by_its_own_link_and_both_are_told(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    site.person(BOB).await;
    let mut browser = site.signed_in(ADA).await;
    let fields = [("email", "new@studio.example"), ("password", PASSWORD)];
    let sent = browser.post("/you/email", &fields).await;
    assert_eq!(sent.location(), "/you?done=email-sent");
    let link = site.link("new@studio.example").await;
    // A stranger who receives the mail by mistake cannot use its link.
    assert!(site.browser().post(&link, &[]).await.location().starts_with("/sign-in"));
    site.signed_in(BOB).await.post(&link, &[]).await.assert(403, "For another person");
    browser.get(&link).await.assert(200, "Change the address");
    browser.get("/you").await.assert(200, ADA);
    assert_eq!(browser.post(&link, &[]).await.location(), "/you?done=email");
    browser.get("/you").await.assert(200, "new@studio.example");
    let told = site.mails().await;
    let told = told.iter().filter(|(_, subject, _)| subject == "Your address was changed");
    let told: Vec<&str> = told
        .map(|(to, _, body)| {
            assert!(body.contains("write to us at once: staff@mchezo.example"));
            to.as_str()
        })
        .collect();
    assert_eq!(told, [ADA, "new@studio.example"]);
    // The form does not reveal that another person has the address, and does not take it.
    let fields = [("email", BOB), ("password", PASSWORD)];
    assert_eq!(browser.post("/you/email", &fields).await.location(), "/you?done=email-sent");
    let link = site.link(BOB).await;
    browser.post(&link, &[]).await.assert(409, "This address is taken");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_change_of_the_address_or_the_second_factor_ends_all_earlier_sessions(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let fields = [("email", "new@studio.example"), ("password", PASSWORD)];
    browser.post("/you/email", &fields).await.location();
    let link = site.link("new@studio.example").await;
    let earlier = [browser.clone(), site.signed_in(ADA).await];
    browser.post(&link, &[]).await.location();
    assert_ended(earlier, &mut browser).await;

    let earlier = [browser.clone(), site.signed_in("new@studio.example").await];
    let (secret, _) = turn_on(&site, &mut browser).await;
    assert_ended(earlier, &mut browser).await;

    site.clock.advance(Duration::seconds(30));
    let earlier = [browser.clone()];
    let code = secret.code(site.clock.now());
    let fields = [("code", code.as_str()), ("password", PASSWORD)];
    browser.post("/you/totp/off", &fields).await.location();
    assert_ended(earlier, &mut browser).await;
}

/// Asserts that these sessions have ended, and that the browser which changed something has one.
async fn assert_ended(earlier: impl IntoIterator<Item = Browser>, current: &mut Browser) {
    for mut earlier in earlier {
        let page = earlier.get("/you").await;
        assert!(page.location().starts_with("/sign-in"), "{page:?}");
    }
    current.get("/you").await.assert(200, "new@studio.example");
}

#[testing::database_test(web::MIGRATOR)]
async fn what_a_person_does_is_recorded_with_the_address(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let fields = [("current", PASSWORD), ("password", NEW)];
    browser.post("/you/password", &fields).await.location();
    let recorded = rows(&site.pool, "web.activity").await;
    for part in ["signed_in", "password_changed", ADA, "203.0.113.7"] {
        assert!(recorded.contains(part), "{part}: {recorded}");
    }
}
