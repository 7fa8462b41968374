//! Sign-in: its limits, its sessions, and its redirects.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures::future::join_all;
use kit::config::Secret;
use sqlx::PgPool;
use time::Duration;
use uuid::Uuid;
use web::admission::mails::FORMS_OF_LINK;
use web::admission::passwords::{
    CODES, SIGN_IN, SIGN_IN_FROM, SIGN_IN_OF_DEVICE, SIGN_IN_OF_PERSON,
};
use web::admission::{Admission, stored};
use web::domain::session_token::Token;
use web::domain::subject::Subject;
use web::hashing::PasswordPool;
use web::jobs::clean_up;
use web::store::people;
use web::store::sessions::{self, Session, Stage};

use crate::browser::Browser;
use crate::links::until_a_row_is_waited_for;
use crate::support::{ADA, BOB, PASSWORD, START, Site};

const WRONG: [(&str, &str); 2] = [("email", ADA), ("password", "wrong")];
const RIGHT: [(&str, &str); 2] = [("email", ADA), ("password", PASSWORD)];

#[testing::database_test(web::MIGRATOR)]
async fn attempts_are_limited_by_person_and_network(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.browser();
    for _ in 0..SIGN_IN.most {
        browser.post("/sign-in", &WRONG).await.assert(422, "wrong");
    }
    browser.post("/sign-in", &RIGHT).await.assert(422, "too many attempts");
    // The person signs in from another network, and from this one after the window.
    let mut elsewhere = Browser::at(&site.router, 9);
    elsewhere.post("/sign-in", &RIGHT).await.location();
    site.clock.advance(Duration::minutes(15));
    browser.post("/sign-in", &RIGHT).await.location();
}

#[testing::database_test(web::MIGRATOR)]
async fn right_passwords_do_not_count_as_attempts(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let (known, stranger) = (site.known_browser(ADA).await, site.browser());
    for _ in 0..=SIGN_IN.most {
        for browser in [&known, &stranger] {
            browser.clone().post("/sign-in", &RIGHT).await.location();
        }
    }
    let network = Subject::Network(site.client(&stranger).network());
    assert_eq!(site.use_up(SIGN_IN_FROM.count(network)).await, SIGN_IN_FROM.most);
}

#[testing::database_test(web::MIGRATOR)]
async fn passwords_that_a_full_pool_does_not_check_do_not_count_as_attempts(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let (mut visitor, signed_in) = (site.browser(), site.signed_in(ADA).await);
    visitor.post("/sign-up", &[("email", BOB)]).await;
    visitor.post("/reset", &[("email", ADA)]).await;
    let (sign_up, reset) = (site.link(BOB).await, site.link(ADA).await);
    let change = [("current", "wrong"), ("password", "wrong")];
    let weak = [("account_name", "Savanna"), ("password", "password123")];
    let none = PasswordPool::with_limit(1, 0).unwrap();
    let pages = 1_000_000;
    let admission = Admission::new(site.pool.clone(), none, pages, pages);
    let full = site.changed(|web| web.admission = admission);
    for (browser, path, fields, problem) in [
        (&visitor, "/sign-in", WRONG, "wrong"),
        (&signed_in, "/you/password", change, "not your password"),
        (&visitor, sign_up.as_str(), weak, "easy to guess"),
        (&visitor, reset.as_str(), weak, "easy to guess"),
    ] {
        let mut refused = browser.clone().with_router(&full);
        // More often than the limit of any of these forms.
        for _ in 0..=FORMS_OF_LINK.most {
            refused.post(path, &fields).await.assert(503, "");
        }
        let mut browser = browser.clone();
        let page = browser.post(path, &fields).await;
        page.assert(422, problem);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_person_whose_attempts_others_have_used_up_signs_in_by_a_new_password(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    site.use_up(SIGN_IN_OF_PERSON.count(Subject::Anyone).of_address(ADA)).await;
    let mut browser = site.browser();
    browser.post("/sign-in", &RIGHT).await.assert(422, "set a new password");
    browser.post("/reset", &[("email", ADA)]).await;
    let link = site.link(ADA).await;
    let new = [("password", "another lorry teapot nine")];
    browser.post(&link, &new).await.location();
    browser.get("/you").await.assert(200, ADA);
    // This browser is known from now on.
    browser.cookie = None;
    let new = [("email", ADA), ("password", "another lorry teapot nine")];
    browser.post("/sign-in", &new).await.location();
}

#[testing::database_test(web::MIGRATOR)]
async fn wrong_passwords_in_a_known_browser_count_for_it_alone(pool: PgPool) {
    let site = Site::new(pool).await;
    for person in [ADA, BOB] {
        site.person(person).await;
    }
    let mut known = site.known_browser(ADA).await;
    for _ in 0..SIGN_IN_OF_DEVICE.most {
        known.post("/sign-in", &WRONG).await.assert(422, "wrong");
    }
    known.post("/sign-in", &RIGHT).await.assert(422, "too many attempts");
    for browser in [site.browser(), site.known_browser(ADA).await] {
        browser.clone().post("/sign-in", &RIGHT).await.location();
    }
    // For another person it is a stranger's.
    let network = Subject::Network(site.client(&known).network());
    known.post("/sign-in", &[("email", BOB), ("password", "wrong")]).await.assert(422, "wrong");
    let left = site.use_up(SIGN_IN_FROM.count(network)).await;
    assert_eq!(left, SIGN_IN_FROM.most - 1);
}

#[testing::database_test(web::MIGRATOR)]
async fn attempts_beyond_the_limit_of_a_network_store_nothing(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    let network = Subject::Network(site.client(&browser).network());
    site.use_up(SIGN_IN_FROM.count(network)).await;
    for number in 0..4 {
        let email = format!("p{number}@new.example");
        let fields = [("email", email.as_str()), ("password", "wrong")];
        browser.post("/sign-in", &fields).await.assert(422, "");
    }
    assert_eq!(count_attempts(&site).await, 1);
}

#[testing::database_test(web::MIGRATOR)]
async fn refused_attempts_of_a_person_use_up_none_of_the_network(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    for _ in 0..SIGN_IN.most + 5 {
        browser.post("/sign-in", &WRONG).await.assert(422, "wrong");
    }
    let network = Subject::Network(site.client(&browser).network());
    let left = site.use_up(SIGN_IN_FROM.count(network)).await;
    assert_eq!(left, SIGN_IN_FROM.most - SIGN_IN.most);
}

#[testing::database_test(web::MIGRATOR)]
async fn what_is_no_address_counts_for_itself(pool: PgPool) {
    let site = Site::new(pool).await;
    let mut browser = site.browser();
    for typed in ["ada@studio", "bob@games"] {
        let fields = [("email", typed), ("password", "wrong")];
        browser.post("/sign-in", &fields).await.assert(422, "wrong");
        let count = SIGN_IN_OF_PERSON.count(Subject::Anyone).of_address(typed);
        assert_eq!(site.use_up(count).await, SIGN_IN_OF_PERSON.most - 1);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn concurrent_attempts_do_not_exceed_the_limit(pool: PgPool) {
    let site = Site::new(pool).await;
    let (counts, now) = ([CODES.count(Subject::Anyone)], site.clock.now());
    let attempts = (0..2 * CODES.most).map(|_| stored::count_in(&site.pool, &counts, now));
    let counted = join_all(attempts).await.into_iter();
    let accepted = counted.filter(|counted| counted.as_ref().unwrap().is_ok());
    assert_eq!(accepted.count(), usize::try_from(CODES.most).unwrap());
}

async fn count_attempts(site: &Site) -> i64 {
    let rows = sqlx::query_scalar!(r#"select count(*) as "count!" from web.attempt_count"#);
    rows.fetch_one(&site.pool).await.unwrap()
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
    // An unknown session id is not adopted.
    let mut made_up = site.browser();
    made_up.cookie = Some(format!("__Host-session={}", "A".repeat(43)));
    assert!(made_up.get("/you").await.location().starts_with("/sign-in"));
}

#[testing::database_test(web::MIGRATOR)]
async fn sign_in_redirects_only_to_this_site(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.browser();
    let asked = browser.get("/you?done=email").await;
    assert_eq!(asked.location(), "/sign-in?next=%2Fyou%3Fdone%3Demail");
    let page = browser.get(asked.location()).await;
    assert_eq!(page.hidden()["next"], "/you?done=email");
    for (next, target) in
        [("/you", "/you"), ("//evil.example", "/accounts"), ("https://evil.example", "/accounts")]
    {
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
    assert_eq!(browser.post("/sign-out", &[]).await.location(), "/?done=signed-out");
    assert_eq!(browser.cookie, None);
    assert_eq!(browser.cookies["__Host-signed_in"], "");
    browser.cookie = copy;
    assert!(browser.get("/you").await.location().starts_with("/sign-in"));
}

/// A script adds the link to the accounts, so that caches may share public pages.
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
async fn a_redis_outage_signs_nobody_out(pool: PgPool) {
    let site = Site::with_redis(pool, Secret::from("redis://127.0.0.1:1".to_owned())).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    browser.get("/you").await.assert(200, ADA);
}

#[testing::database_test(web::MIGRATOR)]
async fn the_table_of_sessions_signs_nobody_in(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let owner = site.signed_in(ADA).await;
    let stored = sqlx::query_scalar!("select token_sha256 from web.session")
        .fetch_one(&site.pool)
        .await
        .unwrap();
    let stored = format!("__Host-session={}", URL_SAFE_NO_PAD.encode(stored));
    assert_ne!(owner.cookie.as_ref(), Some(&stored));
    let mut thief = site.browser();
    thief.cookie = Some(stored);
    assert!(thief.get("/you").await.location().starts_with("/sign-in"));
}

#[testing::database_test(web::MIGRATOR)]
async fn a_concurrent_change_of_password_prevents_a_session(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    // Changes the password as `people/password.rs` does.
    let mut change = kit::pg::begin(&site.pool).await.unwrap();
    let locked = people::lock(&mut *change, ada).await;
    locked.unwrap().unwrap();
    let commit = async {
        until_a_row_is_waited_for(&site.pool).await;
        let set = people::set_password(&mut *change, ada, "hash");
        set.await.unwrap();
        sessions::end_all(&mut *change, ada).await.unwrap();
        change.commit().await.unwrap();
    };
    let mut browser = site.browser();
    let right = [("email", ADA), ("password", PASSWORD)];
    let (page, ()) = futures::join!(browser.post("/sign-in", &right), commit);
    page.assert(401, "Sign in again");
    assert_eq!(count_sessions(&site).await, 0);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_form_of_a_session_that_ends_meanwhile_does_nothing(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let mut asking = site.signed_in(ADA).await;
    let fields = [("email", "new@studio.example"), ("password", PASSWORD)];
    asking.post("/you/email", &fields).await.location();
    let link = site.link("new@studio.example").await;
    let password = [("current", PASSWORD), ("password", "another lorry teapot nine")];
    for (path, fields) in
        [("/you/password", &password[..]), ("/you/sessions/end-others", &[]), (link.as_str(), &[])]
    {
        let mut browser = site.signed_in(ADA).await;
        let mut other = kit::pg::begin(&site.pool).await.unwrap();
        let locked = people::lock(&mut *other, ada).await;
        locked.unwrap().unwrap();
        let commit = async {
            until_a_row_is_waited_for(&site.pool).await;
            sessions::end_all(&mut *other, ada).await.unwrap();
            other.commit().await.unwrap();
        };
        let (page, ()) = futures::join!(browser.post(path, fields), commit);
        page.assert(401, "Sign in again");
    }
    // Neither the password nor the address has changed.
    site.signed_in(ADA).await;
}

/// Stores a new session; returns its token.
pub(crate) async fn begin(site: &Site, person: Uuid, stage: Stage) -> Token {
    let now = site.clock.now();
    let session =
        Session { stage, since: now, seen: now, address: String::new(), agent: String::new() };
    let mut connection = site.pool.acquire().await.unwrap();
    let token = Token::generate();
    let begun = sessions::insert(&mut connection, token.hash(), person, &session).await;
    begun.unwrap();
    token
}

async fn count_sessions(site: &Site) -> i64 {
    let count = sqlx::query_scalar!(r#"select count(*) as "count!" from web.session"#);
    count.fetch_one(&site.pool).await.unwrap()
}

#[testing::database_test(web::MIGRATOR)]
async fn beyond_fifty_sessions_the_least_used_ends(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let (mut idle, mut used) = (site.signed_in(ADA).await, site.signed_in(ADA).await);
    site.clock.advance(Duration::minutes(6));
    used.get("/you").await.assert(200, ADA);
    begin(&site, ada, Stage::SecondFactor).await;
    for _ in 3..sessions::MOST {
        begin(&site, ada, Stage::SignedIn).await;
    }
    assert_eq!(count_sessions(&site).await, sessions::MOST);
    // The session without the second factor ends first.
    begin(&site, ada, Stage::SignedIn).await;
    idle.get("/you").await.assert(200, ADA);
    site.clock.advance(Duration::minutes(6));
    used.get("/you").await.assert(200, ADA);
    for _ in 1..sessions::MOST {
        begin(&site, ada, Stage::SignedIn).await;
    }
    assert_eq!(count_sessions(&site).await, sessions::MOST);
    used.get("/you").await.assert(200, ADA);
    assert!(idle.get("/you").await.location().starts_with("/sign-in"));
}

#[testing::database_test(web::MIGRATOR)]
async fn the_last_use_of_a_session_is_stored_every_five_minutes(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let seen = async || {
        let seen = sqlx::query_scalar!("select seen from web.session");
        seen.fetch_one(&site.pool).await.unwrap()
    };
    site.clock.advance(Duration::minutes(4));
    browser.get("/you").await.assert(200, ADA);
    assert_eq!(seen().await, START);
    site.clock.advance(Duration::minutes(1));
    browser.get("/you").await.assert(200, ADA);
    assert_eq!(seen().await, START + Duration::minutes(5));
    // A database that only reads signs nobody out.
    refuse_changes_of_sessions(&site.pool).await;
    site.clock.advance(Duration::minutes(5));
    browser.get("/you").await.assert(200, ADA);
    assert_eq!(seen().await, START + Duration::minutes(5));
}

#[expect(clippy::disallowed_methods, reason = "a statement of a test")]
async fn refuse_changes_of_sessions(pool: &PgPool) {
    let check = "alter table web.session add constraint failing check (false) not valid";
    sqlx::query(check).execute(pool).await.unwrap();
}

#[testing::database_test(web::MIGRATOR)]
async fn expired_sessions_and_attempts_are_removed(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    begin(&site, ada, Stage::SecondFactor).await;
    site.clock.advance(Duration::minutes(10));
    browser.get("/you").await.assert(200, ADA);
    clean_up::run(&site.app, site.clock.now()).await.unwrap();
    assert_eq!(count_sessions(&site).await, 1);
    site.clock.advance(Duration::days(14));
    clean_up::run(&site.app, site.clock.now()).await.unwrap();
    assert_eq!(count_sessions(&site).await, 0);
    assert_eq!(count_attempts(&site).await, 0);
}
