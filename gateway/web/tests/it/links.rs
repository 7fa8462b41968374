//! Sign-up, password reset, and links in mails.

use std::sync::atomic::Ordering;

use pages::Language;
use sqlx::PgPool;
use time::Duration;
use web::domain::role::Role;
use web::store::people;

use crate::browser::Browser;
use crate::enumeration::observed;
use crate::support::{ADA, BOB, PASSWORD, Site};

#[testing::database_test(web::MIGRATOR)]
async fn a_visitor_becomes_the_owner_of_an_account(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    browser.get("/").await.assert(200, "/sign-up");
    let form = browser.get("/sign-up").await;
    form.assert(200, "href=\"/terms\"");
    form.assert(200, "href=\"/privacy\"");
    let sent = browser.post("/sign-up", &[("email", " Ada@Studio.example ")]).await;
    sent.assert(200, "Check your e-mail");
    let link = site.link(ADA).await;
    let page = browser.get(&link).await;
    page.assert(200, "Create the account");
    let fields = [("account_name", "Savanna"), ("password", PASSWORD)];
    let made = browser.post(&link, &fields).await;
    let overview = made.location().to_owned();
    assert!(browser.cookie.is_some());
    browser.get(&overview).await.assert(200, "Create the first key");
    browser.get("/accounts").await.location();
    // The person signs in with the password in another browser.
    let mut other = site.signed_in(ADA).await;
    other.get(&overview).await.assert(200, "Savanna");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_new_password_ends_all_sessions_and_voids_other_links(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut thief = site.signed_in(ADA).await;
    let mut browser = site.browser();
    browser.post("/reset", &[("email", ADA)]).await;
    let older = site.link(ADA).await;
    let fields = [("email", BOB), ("password", PASSWORD)];
    thief.post("/you/email", &fields).await.location();
    let of_address = site.link(BOB).await;
    browser.post("/reset", &[("email", ADA)]).await;
    let link = site.link(ADA).await;
    let bad = browser.post(&link, &[("password", "password123")]).await;
    bad.assert(422, "easy to guess");
    let set = browser.post(&link, &[("password", "another lorry teapot nine")]).await;
    assert_eq!(set.location(), "/accounts");
    browser.get("/you").await.assert(200, ADA);
    assert!(thief.get("/you").await.location().starts_with("/sign-in"));
    for other in [older, of_address] {
        browser.get(&other).await.assert(410, "");
    }
    let mails = site.mails().await;
    assert!(mails.iter().any(|(_, subject, _)| subject == "Your password was changed"));
    let old = [("email", ADA), ("password", PASSWORD)];
    site.browser().post("/sign-in", &old).await.assert(422, "wrong");
}

#[testing::database_test(web::MIGRATOR)]
async fn without_the_gateway_a_link_stays_valid_and_its_form_is_kept(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    browser.post("/sign-up", &[("email", ADA)]).await;
    let link = site.link(ADA).await;
    site.gateway.is_down.store(true, Ordering::Relaxed);
    let fields = [("account_name", "Savanna & Söhne"), ("password", PASSWORD)];
    let page = browser.post(&link, &fields).await;
    page.assert(503, "Savanna &#38; Söhne");
    site.gateway.is_down.store(false, Ordering::Relaxed);
    let long = "x".repeat(121);
    let refused = browser.post(&link, &[("account_name", &long), ("password", PASSWORD)]).await;
    refused.assert(422, "account_name-error");
    browser.post(&link, &fields).await.location();
}

#[testing::database_test(web::MIGRATOR)]
async fn a_link_hashes_few_passwords_and_none_of_an_invalid_form(pool: PgPool) {
    let site = Site::new(pool).await;
    site.browser().post("/sign-up", &[("email", ADA)]).await;
    let link = site.link(ADA).await;
    let long = "x".repeat(121);
    for (name, password, part) in [
        ("", PASSWORD, "account_name-error"),
        (&long, PASSWORD, "account_name-error"),
        ("Savanna", "password123", "easy to guess"),
        ("", "password123", "easy to guess"),
    ] {
        let fields = [("account_name", name), ("password", password)];
        let (page, _, hashes) = observed(&site, &link, &fields).await;
        assert!(page.contains(part), "{part}: {page}");
        assert_eq!(hashes, 0, "{part}");
    }
    // The stub refuses this name by a rule that the form does not check.
    let taken = "x".repeat(100);
    let fields = [("account_name", taken.as_str()), ("password", PASSWORD)];
    for _ in 4..20 {
        let (_, _, hashes) = observed(&site, &link, &fields).await;
        assert_eq!(hashes, 1, "hashes are counted");
    }
    let right = [("account_name", "Savanna"), ("password", PASSWORD)];
    let (page, _, hashes) = observed(&site, &link, &right).await;
    assert!(page.contains("Too many attempts") && page.starts_with("429"), "{page}");
    assert_eq!(hashes, 0);
    let refused = site.browser().post(&link, &right).await;
    refused.assert(429, "value=\"Savanna\"");
    // Other links of the network still work: their forms have no limit of the network.
    for person in [BOB, "carol@new.example"] {
        site.browser().post("/sign-up", &[("email", person)]).await;
        let link = site.link(person).await;
        for _ in 0..20 {
            let (_, _, hashes) = observed(&site, &link, &fields).await;
            assert_eq!(hashes, 1);
        }
    }
    site.browser().post("/sign-up", &[("email", "dan@new.example")]).await;
    let link = site.link("dan@new.example").await;
    site.browser().post(&link, &right).await.location();
}

/// The number of mails to an address.
async fn mails_to(site: &Site, address: &str) -> usize {
    let mails = site.mails().await;
    mails.iter().filter(|(to, ..)| to == address).count()
}

#[testing::database_test(web::MIGRATOR)]
async fn mails_to_one_address_are_limited_silently(pool: PgPool) {
    let site = Site::new(pool).await;
    let from = async |network| {
        let mut browser = Browser::at(&site.router, network);
        for _ in 0..4 {
            let page = browser.post("/sign-up", &[("email", ADA)]).await;
            page.assert(200, "Check your e-mail");
        }
        mails_to(&site, ADA).await
    };
    // One network leaves some to others.
    assert_eq!((from(8).await, from(9).await), (3, 5));
    site.clock.advance(Duration::HOUR);
    assert_eq!(from(8).await, 8);
    let bad =
        site.browser().post("/sign-up", &[("email", "a@b.example\r\nBcc: c@d.example")]).await;
    bad.assert(422, "email-error");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_person_gets_a_link_although_others_ask_for_mails(pool: PgPool) {
    let site = Site::new(pool).await;
    for person in [ADA, BOB] {
        site.person(person).await;
    }
    let account = {
        let eve = site.person("eve@evil.example").await;
        site.account(eve, Role::Owner).await
    };
    // Invitations and changes of address: their links set no password.
    let mut eve = site.signed_in("eve@evil.example").await;
    for network in [8, 9] {
        eve.address = Browser::at(&site.router, network).address;
        for _ in 0..4 {
            eve.invite(account, ADA, "editor").await;
            let fields = [("email", ADA), ("password", PASSWORD)];
            eve.post("/you/email", &fields).await;
        }
    }
    let before = mails_to(&site, ADA).await;
    site.browser().post("/reset", &[("email", ADA)]).await;
    assert_eq!(mails_to(&site, ADA).await, before + 1);
    // Somebody else's requests for a new password.
    for network in [8, 9] {
        for _ in 0..4 {
            let mut browser = Browser::at(&site.router, network);
            browser.post("/reset", &[("email", BOB)]).await;
        }
    }
    site.clock.advance(Duration::minutes(59));
    site.browser().post("/reset", &[("email", BOB)]).await;
    assert_eq!(mails_to(&site, BOB).await, 5);
    let link = site.link(BOB).await;
    let mut browser = site.browser();
    browser.post(&link, &[("password", NEW)]).await.location();
    browser.get("/you").await.assert(200, BOB);
}

#[testing::database_test(web::MIGRATOR)]
async fn mails_before_the_sign_up_use_up_no_new_password(pool: PgPool) {
    let site = Site::new(pool).await;
    for network in [8, 9] {
        for _ in 0..4 {
            let mut browser = Browser::at(&site.router, network);
            browser.post("/reset", &[("email", ADA)]).await;
        }
    }
    let link = site.link(ADA).await;
    let fields = [("account_name", "Savanna"), ("password", PASSWORD)];
    site.browser().post(&link, &fields).await.location();
    site.browser().post("/reset", &[("email", ADA)]).await;
    let link = site.link(ADA).await;
    let mut browser = site.browser();
    browser.post(&link, &[("password", NEW)]).await.location();
}

#[testing::database_test(web::MIGRATOR)]
async fn the_page_of_a_mail_promises_an_hour_and_leads_back_to_its_form(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    for (path, fields, again) in [
        ("/reset", &[("email", ADA)][..], "href=\"/reset\""),
        ("/reset", &[("email", BOB)], "href=\"/reset\""),
        ("/sign-up", &[("email", ADA)], "href=\"/sign-up\""),
        (
            "/sign-up",
            &[("email", BOB), ("next", "/claim/savanna")],
            "href=\"/sign-up?next=%2Fclaim%2Fsavanna\"",
        ),
        ("/fr/reset", &[("email", BOB)], "href=\"/fr/reset\""),
    ] {
        let page = site.browser().post(path, fields).await;
        page.assert(200, again);
        page.assert(200, if path.contains("fr") { "une heure" } else { "an hour" });
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_person_has_one_address_however_its_domain_is_written(pool: PgPool) {
    let site = Site::new(pool).await;
    let (unicode, ascii) = ("Ada@Bücher.example", "ada@xn--bcher-kva.example");
    let mut browser = site.browser();
    browser.post("/sign-up", &[("email", unicode)]).await;
    let link = site.link(ascii).await;
    let fields = [("account_name", "Savanna"), ("password", PASSWORD)];
    browser.post(&link, &fields).await.location();
    for email in [unicode, ascii] {
        site.signed_in(email).await;
        let fields = [("email", email), ("password", PASSWORD)];
        let page = browser.post("/you/email", &fields).await;
        page.assert(422, "email-error");
        site.browser().post("/reset", &[("email", email)]).await;
    }
    // The mails of the sign-up and of both resets.
    assert_eq!(mails_to(&site, ascii).await, 3);
    for path in ["/sign-up", "/reset", "/you/email"] {
        for email in ["\"ada b\"@studio.example", "ada@[192.0.2.1]"] {
            let fields = [("email", email), ("password", PASSWORD)];
            browser.post(path, &fields).await.assert(422, "email-error");
        }
    }
}

const NEW: &str = "another lorry teapot nine";

#[testing::database_test(web::MIGRATOR)]
async fn a_reset_link_warns_in_the_browser_of_another_person(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    site.person(BOB).await;
    site.browser().post("/reset", &[("email", ADA)]).await;
    let link = site.link(ADA).await;
    let warning = format!("{BOB} is signed in here.");
    let mut bob = site.signed_in(BOB).await;
    let session = bob.clone();
    bob.get(&link).await.assert(200, &warning);
    let refused = bob.post(&link, &[("password", "password123")]).await;
    refused.assert(422, &warning);
    bob.get("/you").await.assert(200, BOB);
    for mut browser in [site.browser(), site.signed_in(ADA).await] {
        let page = browser.get(&link).await;
        page.assert(200, "Set a new password");
        assert!(!page.text.contains("signed in here"), "{}", page.text);
    }
    let set = bob.post(&link, &[("password", NEW)]).await;
    assert_eq!(set.location(), "/accounts");
    bob.get("/you").await.assert(200, ADA);
    // The session of the other person has ended, as after signing in.
    let mut session = session;
    assert!(session.get("/you").await.location().starts_with("/sign-in"));
}

#[testing::database_test(web::MIGRATOR)]
async fn a_reset_link_to_an_earlier_address_sets_no_password(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    site.browser().post("/reset", &[("email", ADA)]).await;
    let link = site.link(ADA).await;
    // The address changes while the mail is being made, so that the change does not delete the link.
    sqlx::query!("update web.person set email = 'ada@moved.example' where id = $1", ada)
        .execute(&site.pool)
        .await
        .unwrap();
    let mut browser = site.browser();
    browser.get(&link).await.assert(410, "");
    let page = browser.post(&link, &[("password", NEW)]).await;
    page.assert(410, "does not work any more");
    let fields = [("email", "ada@moved.example"), ("password", PASSWORD)];
    site.browser().post("/sign-in", &fields).await.location();
}

#[testing::database_test(web::MIGRATOR)]
async fn a_reset_and_a_change_of_password_do_not_deadlock(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    site.browser().post("/reset", &[("email", ADA)]).await;
    let link = site.link(ADA).await;
    // Changes the password as `people/password.rs` does: first the person, then the links.
    let mut change = kit::pg::begin(&site.pool).await.unwrap();
    let set = web::store::people::set_password(&mut *change, ada, "hash");
    set.await.unwrap();
    let commit = async {
        until_a_row_is_waited_for(&site.pool).await;
        let removed = web::store::links::remove_of_person(&mut *change, ada);
        removed.await.unwrap();
        change.commit().await.unwrap();
    };
    let mut browser = site.browser();
    let (page, ()) = futures::join!(browser.post(&link, &[("password", NEW)]), commit);
    page.assert(410, "does not work any more");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_sign_up_that_comes_second_leaves_no_account(pool: PgPool) {
    let site = Site::new(pool).await;
    site.browser().post("/sign-up", &[("email", ADA)]).await;
    let link = site.link(ADA).await;
    // Another link makes the person while the form waits for it.
    let mut other = kit::pg::begin(&site.pool).await.unwrap();
    let person = people::NewPerson {
        id: kit::ids::row_id(),
        email: ADA,
        password_hash: "hash",
        language: Language::English,
    };
    people::insert(&mut *other, person).await.unwrap();
    let commit = async {
        until_a_row_is_waited_for(&site.pool).await;
        other.commit().await.unwrap();
    };
    let mut browser = site.browser();
    let fields = [("account_name", "Savanna"), ("password", PASSWORD)];
    let (page, ()) = futures::join!(browser.post(&link, &fields), commit);
    page.assert(410, "Your account exists");
    let accounts = site.gateway.accounts.lock().unwrap();
    let made: Vec<String> = accounts.keys().cloned().collect();
    assert_eq!(*site.gateway.closed.lock().unwrap(), made);
    assert_eq!(made.len(), 1);
}

/// Waits until a statement waits for a row lock of another transaction.
pub(crate) async fn until_a_row_is_waited_for(pool: &PgPool) {
    let waiting = async || {
        let waiting = sqlx::query_scalar!(
            r#"select exists (
                   select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
               ) as "exists!""#
        );
        waiting.fetch_one(pool).await.unwrap()
    };
    testing::wait_until("a statement waits for a lock", waiting).await;
}
