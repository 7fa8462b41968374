//! The table of limits (`proto/DECISIONS.md`, §8) from the side of those who ask: nobody's limit is
//! used up by a neighbour who shares only an address, and nobody has more limits by having more
//! addresses.

use http::StatusCode;
use sqlx::PgPool;
use time::Duration;
use web::admission::mails::{ALL_MAILS_FROM, MAILS_FROM};
use web::admission::passwords::{CODES, SIGN_IN, SIGN_IN_FROM, SIGN_IN_OF_PERSON};
use web::admission::{Limit, PageKind};
use web::domain::subject::Subject;

use crate::browser::Browser;
use crate::second_factor::{half_signed_in, turn_on};
use crate::stub_pictures;
use crate::support::{ADA, BOB, PASSWORD, Site, link_in};

const RIGHT: [(&str, &str); 2] = [("email", ADA), ("password", PASSWORD)];
const KINDS: [PageKind; 4] =
    [PageKind::Site, PageKind::Dashboard, PageKind::Picture, PageKind::Form];
/// The limits that the clients of a network share.
const OF_NETWORK: [Limit; 3] = [SIGN_IN_FROM, MAILS_FROM, ALL_MAILS_FROM];

/// A browser at an IP address.
fn at(site: &Site, address: &str) -> Browser {
    let mut browser = site.browser();
    browser.address = format!("{address}:4711").parse().unwrap();
    browser
}

/// Uses up all limits that strangers at the address of this browser can use up, for two people as
/// well.
async fn use_up_all(site: &Site, stranger: &Browser) {
    let network = Subject::Network(site.client(stranger).network());
    for limit in OF_NETWORK {
        site.use_up(limit.count(network)).await;
    }
    for email in [ADA, BOB] {
        site.use_up(SIGN_IN.count(network).of_address(email)).await;
        site.use_up(SIGN_IN_OF_PERSON.count(Subject::Anyone).of_address(email)).await;
    }
    for kind in KINDS {
        site.use_up_pages(kind, stranger);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_neighbour_behind_the_same_address_shuts_nobody_out(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut ada = site.signed_in(ADA).await;
    use_up_all(&site, &site.browser()).await;
    let picture = format!("/pictures/{}", stub_pictures::small_file());
    for path in ["/terms", "/sign-in", "/reset", "/accounts", "/vote", &picture] {
        let status = ada.get(path).await.status;
        assert_ne!(status, StatusCode::TOO_MANY_REQUESTS, "{path}");
    }
    ada.post("/sign-in", &RIGHT).await.location();
    ada.post("/vote", &[("pick", "neither")]).await.location();
    // More mails than a stranger's network may cause to the address, since they come from the
    // browser of the person.
    ada.post("/reset", &[("email", ADA)]).await.assert(200, "We have sent");
    let confirmed = [("current", PASSWORD), ("password", "another lorry teapot nine")];
    ada.post("/you/password", &confirmed).await.location();
    ada.post("/reset", &[("email", ADA)]).await.assert(200, "We have sent");
    let link = site.link(ADA).await;
    let new = [("password", "a third lorry teapot nine")];
    ada.post(&link, &new).await.location();
}

/// Otherwise people could lift the limit of their network.
#[testing::database_test(web::MIGRATOR)]
async fn a_mail_that_the_limit_of_a_network_did_not_count_is_not_given_back(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    site.browser().post("/reset", &[("email", BOB)]).await.assert(200, "We have sent");
    let mut ada = site.known_browser(ADA).await;
    ada.post("/reset", &[("email", ADA)]).await.assert(200, "We have sent");
    let link = site.link(ADA).await;
    ada.post(&link, &[("password", "another lorry teapot nine")]).await.location();
    let network = Subject::Network(site.client(&ada).network());
    assert_eq!(site.use_up(MAILS_FROM.count(network)).await, MAILS_FROM.most - 1);
}

/// A browser that nobody was signed in in meets the limits of its network, and has a way out.
#[testing::database_test(web::MIGRATOR)]
async fn a_person_in_a_new_browser_gets_a_link_whatever_the_neighbours_did(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let network = Subject::Network(site.client(&site.browser()).network());
    for limit in OF_NETWORK {
        site.use_up(limit.count(network)).await;
    }
    let mut new = site.browser();
    new.post("/sign-in", &RIGHT).await.assert(422, "set a new password by email");
    new.post("/reset", &[("email", ADA)]).await.assert(200, "our email with a link from this hour");
    let link = site.link(ADA).await;
    new.post(&link, &[("password", "another lorry teapot nine")]).await.location();
    new.get("/you").await.assert(200, ADA);
    // Somebody without a profile learns when to try again, and gets no mail.
    let page = site.browser().post("/sign-up", &[("email", "guest@new.example")]).await;
    page.assert(200, "try again in 60 minutes");
    assert!(site.mails().await.iter().all(|(to, ..)| to != "guest@new.example"));
}

#[testing::database_test(web::MIGRATOR)]
async fn a_runaway_browser_keeps_its_neighbours_neither_from_pages_nor_from_sign_in(pool: PgPool) {
    let site = Site::new(pool).await;
    let limited = site.changed(|web| web.admission = site.admission(100, 50));
    let mut runaway = Browser::new(&limited);
    for path in ["/sign-in", "/terms"] {
        for _ in 0..50 {
            runaway.get(path).await.assert(200, "");
        }
        runaway.get(path).await.assert(429, "Try again in");
        let mut neighbour = Browser::new(&limited);
        "Neighbour/1.0".clone_into(&mut neighbour.agent);
        neighbour.get(path).await.assert(200, "");
    }
    // A page has many pictures.
    let (admission, client) = (site.admission(100, 50), site.client(&site.browser()));
    let picture = || admission.page(PageKind::Picture, &client, site.clock.now());
    assert_eq!((0..1_000).filter(|_| picture().is_ok()).count(), 500);
}

/// All ask first, and use their links later.
#[testing::database_test(web::MIGRATOR)]
async fn a_hundred_guests_of_a_campus_sign_up_and_sign_in_within_an_hour(pool: PgPool) {
    let site = Site::new(pool).await;
    let unlimited = site.changed(|_| {});
    let guests: Vec<String> = (0..100).map(|guest| format!("guest{guest}@new.example")).collect();
    for guest in &guests {
        let mut browser = Browser::new(&unlimited);
        let page = browser.post("/sign-up", &[("email", guest)]).await;
        page.assert(200, "We have sent");
    }
    let network = Subject::Network(site.client(&site.browser()).network());
    let mails = site.mails().await;
    assert_eq!(mails.len(), guests.len());
    for (guest, _, body) in &mails {
        let mut browser = Browser::new(&unlimited);
        let link = link_in(body);
        browser.get(&link).await.assert(200, "password");
        let fields = [("account_name", "Savanna"), ("password", PASSWORD)];
        browser.post(&link, &fields).await.location();
        // In another browser, where nobody was signed in.
        let mut browser = Browser::new(&unlimited);
        let fields = [("email", guest.as_str()), ("password", PASSWORD)];
        browser.post("/sign-in", &fields).await.location();
    }
    // What succeeded is given back.
    for limit in [SIGN_IN_FROM, MAILS_FROM] {
        assert_eq!(site.use_up(limit.count(network)).await, limit.most, "{limit:?}");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn the_owner_of_a_48_has_five_times_the_limits_of_a_64(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let unlimited = site.changed(|_| {});
    let client = |network: u32| at(&site, &format!("[2001:db8:1:{network:x}::1]"));
    // Each request from another /64, with another address.
    let mut refused = 0;
    for number in 0..=5 * MAILS_FROM.most {
        let email = format!("p{number}@new.example");
        let browser = client(number);
        for kind in [PageKind::Dashboard, PageKind::Form] {
            let counted = site.app.admission.page(kind, &site.client(&browser), site.clock.now());
            assert_eq!(counted.is_err(), number >= 600, "{kind:?} {number}");
        }
        let page = browser.with_router(&unlimited).post("/sign-up", &[("email", &email)]).await;
        refused += u32::from(page.text.contains("Many emails"));
    }
    assert_eq!(refused, 1);
    let network = site.client(&client(0)).network();
    for count in SIGN_IN_FROM.count_network(network).skip(1) {
        assert_eq!(site.use_up(count).await, 5 * SIGN_IN_FROM.most);
    }
    let mut fresh = client(0xffff).with_router(&unlimited);
    fresh.post("/sign-in", &RIGHT).await.assert(422, "too many attempts");
    // A neighbour of the provider is another site.
    let mut neighbour = at(&site, "[2001:db8:2::1]").with_router(&unlimited);
    neighbour.post("/sign-in", &RIGHT).await.location();
    neighbour.post("/sign-up", &[("email", BOB)]).await.assert(200, "We have sent");
}

/// The thief knows the password of a person with a second factor.
#[testing::database_test(web::MIGRATOR)]
async fn a_thief_with_the_password_closes_neither_forms_nor_pages_nor_codes(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut ada = site.signed_in(ADA).await;
    let (secret, _) = turn_on(&site, &mut ada).await;
    let unlimited = site.changed(|_| {});
    let mut thief = half_signed_in(&site).await.with_router(&unlimited);
    thief.address = at(&site, "198.51.100.9").address;
    let mut refused = 0;
    for _ in 0..=600 {
        let page = thief.post("/sign-in/code", &[("code", "x")]).await;
        refused += u32::from(page.status == StatusCode::TOO_MANY_REQUESTS);
    }
    assert_eq!(refused, 1);
    for code in 0..=CODES.most {
        let mut thief = half_signed_in(&site).await.with_router(&unlimited);
        thief.post("/sign-in/code", &[("code", &format!("{code:06}"))]).await;
    }
    let mut half = half_signed_in(&site).await;
    for kind in KINDS {
        site.use_up_pages(kind, &half);
    }
    half.get("/sign-in/code").await.assert(429, "");
    ada.get("/you").await.assert(200, ADA);
    ada.post("/you/sessions/end-others", &[]).await.location();
    // The codes of this browser are its own.
    site.clock.advance(Duration::seconds(30));
    ada.post("/sign-out", &[]).await.location();
    ada.post("/sign-in", &RIGHT).await.location();
    let code = secret.code(site.clock.now());
    ada.post("/sign-in/code", &[("code", &code)]).await.location();
    ada.get("/you").await.assert(200, ADA);
}

/// Each sign-in gives a browser one device cookie; without it, the program is a stranger again.
#[testing::database_test(web::MIGRATOR)]
async fn a_program_that_drops_its_cookies_has_the_limits_of_its_network(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut program = site.known_browser(ADA).await;
    let mut accepted = 0;
    for _ in 0..2 * SIGN_IN.most {
        program.cookies.clear();
        let right = program.post("/sign-in", &RIGHT).await;
        accepted += u32::from(right.status == StatusCode::SEE_OTHER);
        program.cookies.clear();
        program.post("/sign-in", &[("email", ADA), ("password", "wrong")]).await;
    }
    assert_eq!(accepted, SIGN_IN.most);
    program.cookie = None;
    let mut pages = 0;
    while program.get("/sign-in").await.status == StatusCode::OK {
        pages += 1;
    }
    assert_eq!(pages, 120);
}
