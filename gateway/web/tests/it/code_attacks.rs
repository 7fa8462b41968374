//! Guesses of one-time codes, and codes that are used twice, at two replicas.

use axum::Router;
use http::StatusCode;
use sqlx::PgPool;
use time::Duration;
use web::router::router;

use crate::browser::{Browser, Page};
use crate::second_factor::{half_signed_in, turn_on};
use crate::support::{ADA, PASSWORD, Site};

/// Another replica, with the same PostgreSQL and Redis.
fn replica(site: &Site) -> Router {
    router(&site.app)
}

/// The same session at another replica.
fn moved(browser: &Browser, replica: &Router) -> Browser {
    let mut copy = Browser::new(replica);
    copy.cookie.clone_from(&browser.cookie);
    copy
}

fn leads_to_you(page: &Page) -> bool {
    page.status == StatusCode::SEE_OTHER && page.headers["location"] == "/you"
}

#[testing::database_test(web::MIGRATOR)]
async fn guesses_are_counted_by_person_over_all_sessions_and_addresses(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut owner = site.signed_in(ADA).await;
    let (secret, recovery) = turn_on(&site, &mut owner).await;
    site.clock.advance(Duration::minutes(16));
    let mut halves = Vec::new();
    for last in 20..25 {
        let mut half = half_signed_in(&site).await;
        half.address = ([203, 0, 113, last], 4_711).into();
        halves.push(half);
    }
    for guess in 0..10 {
        let code = format!("{guess:06}");
        let half = &mut halves[guess % 5];
        let page = half.post("/sign-in/code", &[("code", &code)]).await;
        page.assert(422, "wrong");
    }
    // The eleventh guess is right, in each session, in a new one, and as a recovery code.
    halves.push(half_signed_in(&site).await);
    let right = secret.code(site.clock.now());
    for half in &mut halves {
        for code in [right.as_str(), &recovery[0]] {
            let page = half.post("/sign-in/code", &[("code", code)]).await;
            page.assert(429, "Too many codes");
            assert!(half.get("/you").await.location().starts_with("/sign-in"));
        }
    }
    // That keeps nobody who is signed in from confirming. The forms for it have a limit of their own, so they are no way around.
    let fields = [("email", "new@studio.example"), ("password", PASSWORD)];
    let asked = owner.post("/you/email", &fields).await;
    assert_eq!(asked.location(), "/you?done=email-sent");
    for guess in 0..9 {
        let code = format!("{guess:06}");
        let fields = [("code", code.as_str()), ("password", PASSWORD)];
        let off = owner.post("/you/totp/off", &fields).await;
        off.assert(422, "This code is wrong");
    }
    let fields = [("code", right.as_str()), ("password", PASSWORD)];
    let off = owner.post("/you/totp/off", &fields).await;
    off.assert(429, "Too many tries");
    site.clock.advance(Duration::minutes(15));
    let mut half = half_signed_in(&site).await;
    let right = secret.code(site.clock.now());
    half.post("/sign-in/code", &[("code", &right)])
        .await
        .location();
    half.get("/you").await.assert(200, "10 recovery codes left");
}

#[testing::database_test(web::MIGRATOR)]
async fn guesses_at_once_are_all_counted(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut owner = site.signed_in(ADA).await;
    turn_on(&site, &mut owner).await;
    site.clock.advance(Duration::minutes(16));
    let half = half_signed_in(&site).await;
    let guesses = (0..40).map(|guess| {
        let mut half = half.clone();
        async move {
            let code = format!("{guess:06}");
            half.post("/sign-in/code", &[("code", &code)]).await.status
        }
    });
    let statuses = futures::future::join_all(guesses).await;
    let checked = statuses.iter().filter(|it| it.as_u16() == 422).count();
    assert_eq!(checked, 10, "{statuses:?}");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_code_works_once_at_two_replicas(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut owner = site.signed_in(ADA).await;
    let (secret, recovery) = turn_on(&site, &mut owner).await;
    let second = replica(&site);
    site.clock.advance(Duration::minutes(16));
    let codes = [secret.code(site.clock.now()), recovery[5].clone()];
    for code in &codes {
        let (mut here, there) = (half_signed_in(&site).await, half_signed_in(&site).await);
        let mut there = moved(&there, &second);
        let fields = [("code", code.as_str()), ("next", "/you")];
        let (one, two) = futures::join!(
            here.post("/sign-in/code", &fields),
            there.post("/sign-in/code", &fields)
        );
        let admitted = [&one, &two].into_iter().filter(|it| leads_to_you(it));
        assert_eq!(admitted.count(), 1, "{one:?} {two:?}");
        let refused = if leads_to_you(&one) { &two } else { &one };
        refused.assert(422, "used before");
        // Nor does it turn the second factor off.
        let fields = [("code", code.as_str()), ("password", PASSWORD)];
        let mut winner = if leads_to_you(&one) { here } else { there };
        let off = winner.post("/you/totp/off", &fields).await;
        off.assert(422, "code-error");
    }
    owner.get("/you").await.assert(200, "9 recovery codes left");
    // An older code than the last one is used up as well.
    let older = secret.code(site.clock.now() - Duration::seconds(30));
    let mut half = half_signed_in(&site).await;
    half.post("/sign-in/code", &[("code", &older)])
        .await
        .assert(422, "used before");
}

#[testing::database_test(web::MIGRATOR)]
async fn the_form_that_turns_it_on_works_once(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let page = browser.get("/you/totp").await;
    let form = page.hidden()["form"].clone();
    let cookie = browser.cookie.clone().unwrap();
    let token = cookie.split_once('=').unwrap().1;
    let token = web::domain::session_token::Token::parse(token).unwrap();
    let mut secret = [0; 20];
    secret.copy_from_slice(&token.derived_key("authenticator app")[..20]);
    let code = web::domain::totp::SharedSecret(secret).code(site.clock.now());
    let fields = [
        ("form", form.as_str()),
        ("code", &code),
        ("password", PASSWORD),
    ];
    let mut copy = browser.clone();
    let (one, two) = futures::join!(
        browser.post("/you/totp", &fields),
        copy.post("/you/totp", &fields)
    );
    let codes = |page: &Page| {
        page.assert(200, "Recovery codes");
        let (_, list) = page.text.split_once("<li>").unwrap();
        list.to_owned()
    };
    // A request that is read after the other has ended comes with a session that is over.
    let (late, shown): (Vec<_>, Vec<_>) = [(one, browser), (two, copy)]
        .into_iter()
        .partition(|(page, _)| page.status == 401);
    assert!(late.len() < 2, "nobody saw the codes");
    // All others show the codes that work, and have a session.
    let texts: Vec<String> = shown.iter().map(|(page, _)| codes(page)).collect();
    assert!(texts.iter().all(|text| *text == texts[0]));
    let mails = site.mails().await;
    let told = mails.iter().filter(|it| it.1 == "The second factor is on");
    assert_eq!(told.count(), 1);
    for (_, mut browser) in shown {
        browser
            .get("/you")
            .await
            .assert(200, "10 recovery codes left");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn ending_other_sessions_gives_no_more_than_thirty_tries_of_the_password(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let fields = [("current", "wrong"), ("password", "wrong")];
    let mut checked = 0;
    for _ in 0..4 {
        for _ in 0..11 {
            let page = browser.post("/you/password", &fields).await;
            checked += u32::from(page.text.contains("This is not your password"));
        }
        let ended = browser.post("/you/sessions/end-others", &[]).await;
        ended.location();
    }
    assert_eq!(checked, 30);
}

#[testing::database_test(web::MIGRATOR)]
async fn the_person_is_told_of_many_wrong_codes_once_a_day(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut owner = site.signed_in(ADA).await;
    turn_on(&site, &mut owner).await;
    site.clock.advance(Duration::minutes(16));
    let told = async || {
        let mails = site.mails().await;
        let told = mails.iter().filter(|it| it.1.contains("is trying codes"));
        assert!(told.clone().all(|it| it.0 == ADA));
        told.count()
    };
    for (windows, expected) in [(1, 0), (1, 1), (3, 1)] {
        for _ in 0..windows {
            let mut half = half_signed_in(&site).await;
            for guess in 0..12 {
                let code = format!("{guess:06}");
                half.post("/sign-in/code", &[("code", &code)]).await;
            }
            site.clock.advance(Duration::minutes(15));
        }
        assert_eq!(told().await, expected);
    }
    site.clock.advance(Duration::DAY);
    for _ in 0..2 {
        let mut half = half_signed_in(&site).await;
        for guess in 0..10 {
            let code = format!("{guess:06}");
            half.post("/sign-in/code", &[("code", &code)]).await;
        }
        site.clock.advance(Duration::minutes(15));
    }
    assert_eq!(told().await, 2);
}
