//! Sign-in: its limits, its sessions, and where it leads.

use kit::config::Secret;
use sqlx::PgPool;
use time::Duration;
use web::session::limits;
use web::session::sessions::{Session, Stage};

use crate::browser::Browser;
use crate::support::{ADA, BOB, PASSWORD, Site};

const WRONG: [(&str, &str); 2] = [("email", ADA), ("password", "wrong")];

#[testing::database_test(web::MIGRATOR)]
async fn tries_are_limited_by_person_and_address(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.browser();
    for _ in 0..10 {
        browser.post("/sign-in", &WRONG).await.assert(422, "wrong");
    }
    let right = [("email", ADA), ("password", PASSWORD)];
    browser
        .post("/sign-in", &right)
        .await
        .assert(429, "Too many tries");
    // The same for a person who does not exist.
    let mut stranger = Browser::at(&site.router, 8);
    for _ in 0..10 {
        let fields = [("email", BOB), ("password", "wrong")];
        stranger
            .post("/sign-in", &fields)
            .await
            .assert(422, "wrong");
    }
    let page = stranger
        .post("/sign-in", &[("email", BOB), ("password", "x")])
        .await;
    page.assert(429, "Too many tries");
    // The person signs in from elsewhere, and from here after the window.
    let mut elsewhere = Browser::at(&site.router, 9);
    elsewhere.post("/sign-in", &right).await.location();
    site.clock.advance(Duration::minutes(15));
    browser.post("/sign-in", &right).await.location();
}

#[testing::database_test(web::MIGRATOR)]
async fn nobody_locks_a_person_out_of_a_network_that_is_known(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut home = site.signed_in(ADA).await;
    let right = [("email", ADA), ("password", PASSWORD)];
    // As many wrong passwords from many networks as are accepted of a person.
    let exhaust = async |email: &str| {
        let (limit, now) = (limits::SIGN_IN_OF_PERSON, site.clock.now());
        for _ in 0..=limit.tries {
            let counted = site.app.limits.count(limit, email, now).await;
            let _reached = counted.unwrap();
        }
    };
    exhaust(ADA).await;
    exhaust(BOB).await;
    let mut elsewhere = Browser::at(&site.router, 9);
    let refused = elsewhere.post("/sign-in", &right).await;
    refused.assert(429, "Too many tries");
    home.post("/sign-in", &right).await.location();
    let nobody = [("email", BOB), ("password", PASSWORD)];
    let refused = home.post("/sign-in", &nobody).await;
    refused.assert(429, "Too many tries");
    // Tries from a network that is known are limited as everywhere.
    for _ in 0..8 {
        home.post("/sign-in", &WRONG).await.assert(422, "wrong");
    }
    let refused = home.post("/sign-in", &right).await;
    refused.assert(429, "Too many tries");
    site.clock.advance(Duration::days(91));
    exhaust(ADA).await;
    let refused = home.post("/sign-in", &right).await;
    refused.assert(429, "Too many tries");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_session_that_was_planted_is_not_the_one_that_signs_in(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    site.person(BOB).await;
    let thief = site.signed_in(BOB).await;
    let mut victim = site.browser();
    victim.cookie.clone_from(&thief.cookie);
    let fields = [("email", ADA), ("password", PASSWORD)];
    victim.post("/sign-in", &fields).await.location();
    assert_ne!(victim.cookie, thief.cookie);
    victim.get("/you").await.assert(200, ADA);
    let mut thief = thief;
    assert!(thief.get("/you").await.location().starts_with("/sign-in"));
    // An id that nobody has given out is not adopted.
    let mut made_up = site.browser();
    made_up.cookie = Some(format!("__Host-session={}", "A".repeat(43)));
    assert!(made_up.get("/you").await.location().starts_with("/sign-in"));
}

#[testing::database_test(web::MIGRATOR)]
async fn sign_in_leads_to_pages_of_this_site_only(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.browser();
    let asked = browser.get("/you?done=email").await;
    assert_eq!(asked.location(), "/sign-in?next=%2Fyou%3Fdone%3Demail");
    let page = browser.get(asked.location()).await;
    assert_eq!(page.hidden()["next"], "/you?done=email");
    for (next, target) in [
        ("/you", "/you"),
        ("//evil.example", "/accounts"),
        ("https://evil.example", "/accounts"),
    ] {
        let fields = [("email", ADA), ("password", PASSWORD), ("next", next)];
        let page = site.browser().post("/sign-in", &fields).await;
        assert_eq!(page.location(), target);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn sessions_end_by_age_by_silence_and_by_hand(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let mut silent = site.signed_in(ADA).await;
    for _ in 0..8 {
        site.clock.advance(Duration::days(11));
        browser.get("/you").await.assert(200, ADA);
    }
    assert!(silent.get("/you").await.location().starts_with("/sign-in"));
    site.clock.advance(Duration::days(3));
    assert!(browser.get("/you").await.location().starts_with("/sign-in"));

    let mut browser = site.signed_in(ADA).await;
    let copy = browser.cookie.clone();
    assert_eq!(browser.cookies["__Host-signed_in"], "1");
    assert_eq!(
        browser.post("/sign-out", &[]).await.location(),
        "/?done=signed-out"
    );
    assert_eq!(browser.cookie, None);
    assert_eq!(browser.cookies["__Host-signed_in"], "");
    browser.cookie = copy;
    assert!(browser.get("/you").await.location().starts_with("/sign-in"));
}

/// The script shows a person the link to the accounts, so that caches may share public pages.
#[testing::database_test(web::MIGRATOR)]
async fn public_pages_are_the_same_with_a_session(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let (mut person, mut visitor) = (site.signed_in(ADA).await, site.browser());
    for path in ["/", "/about/boards"] {
        let page = person.get(path).await;
        page.assert(200, "data-accounts=\"Accounts\"");
        assert_eq!(page.text, visitor.get(path).await.text, "{path}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn without_redis_pages_say_so_and_lose_no_typed_text(pool: PgPool) {
    let site = Site::with_redis(pool, Secret::from("redis://127.0.0.1:1".to_owned())).await;
    let mut browser = site.browser();
    browser.get("/").await.assert(200, "Create an account");
    browser.get("/sign-in").await.assert(200, "Sign in");
    let page = browser.post("/sign-in", &WRONG).await;
    page.assert(503, "Try again");
    browser.cookie = Some(format!("__Host-session={}", "A".repeat(43)));
    browser.get("/you").await.assert(503, "Try again");
    browser.get("/sign-up").await.assert(200, "");
}

/// A browser that keeps no cookies makes a session each day.
#[testing::database_test(web::MIGRATOR)]
async fn a_session_in_use_outlives_fifty_that_have_ended(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    for _ in 0..51 {
        site.clock.advance(Duration::DAY);
        browser.get("/you").await.assert(200, ADA);
        let now = site.clock.now();
        let session = Session {
            person: ada,
            version: 1,
            stage: Stage::SignedIn,
            since: now,
            seen: now,
            address: String::new(),
            agent: String::new(),
        };
        site.app.sessions.create(&session).await.unwrap();
    }
    browser.get("/you").await.assert(200, ADA);
}
