//! Attempts to guess one-time codes and the password of a session.

use sqlx::PgPool;
use time::Duration;

use crate::second_factor::{half_signed_in, turn_on};
use crate::support::{ADA, PASSWORD, Site};

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
    // The eleventh guess has the right code: in each session, in a new one, and as a recovery code.
    halves.push(half_signed_in(&site).await);
    let right = secret.code(site.clock.now());
    for half in &mut halves {
        for code in [right.as_str(), &recovery[0]] {
            let page = half.post("/sign-in/code", &[("code", code)]).await;
            page.assert(429, "Too many codes");
            assert!(half.get("/you").await.location().starts_with("/sign-in"));
        }
    }
    // The owner's session can still confirm actions. Its forms have a limit of their own, so that they are no bypass.
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
    off.assert(429, "Too many attempts");
    site.clock.advance(Duration::minutes(15));
    let mut half = half_signed_in(&site).await;
    let right = secret.code(site.clock.now());
    half.post("/sign-in/code", &[("code", &right)]).await.location();
    half.get("/you").await.assert(200, "10 recovery codes left");
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
async fn the_person_gets_one_mail_a_day_about_wrong_codes(pool: PgPool) {
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
