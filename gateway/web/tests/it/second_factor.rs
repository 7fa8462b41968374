//! The second factor: a code works once, and only after the password.

use kit::key_ring::KeyRing;
use sqlx::PgPool;
use time::Duration;
use web::domain::totp::SharedSecret;
use web::jobs::reencryption;
use web::store::people;

use crate::browser::Browser;
use crate::support::{ADA, PASSWORD, Site};

/// Reads the secret from the page that sets up the second factor.
pub(crate) async fn offered(site: &Site, browser: &mut Browser) -> SharedSecret {
    let page = browser.get("/you/totp").await;
    page.assert(200, "<svg");
    let (_, rest) = page.text.split_once("id=\"secret\">").unwrap();
    let text = rest.split('<').next().unwrap();
    let token = browser.cookie.clone().unwrap().split_once('=').unwrap().1.to_owned();
    let token = web::domain::session_token::Token::parse(&token).unwrap();
    let mut secret = [0; 20];
    secret.copy_from_slice(&token.derived_key("authenticator app")[..20]);
    let secret = SharedSecret(secret);
    assert_eq!(secret.text(), text);
    assert!(site.clock.now() >= crate::support::START);
    secret
}

/// Turns the second factor on; returns its secret and the recovery codes.
pub(crate) async fn turn_on(site: &Site, browser: &mut Browser) -> (SharedSecret, Vec<String>) {
    let secret = offered(site, browser).await;
    let form = browser.get("/you/totp").await.hidden()["form"].clone();
    let fields = |code, password| [("form", form.as_str()), ("code", code), ("password", password)];
    let page = browser.post("/you/totp", &fields("000000", PASSWORD)).await;
    page.assert(422, "code-error");
    let code = secret.code(site.clock.now());
    let page = browser.post("/you/totp", &fields(&code, "wrong")).await;
    page.assert(422, "password-error");
    let page = browser.post("/you/totp", &fields(&code, PASSWORD)).await;
    page.assert(200, "Recovery codes");
    let codes: Vec<String> = page
        .text
        .split("<li>")
        .skip(1)
        .filter_map(|code| code.split('<').next())
        .filter(|code| code.len() == 19)
        .map(ToOwned::to_owned)
        .collect();
    assert_eq!(codes.len(), 10);
    (secret, codes)
}

/// A browser that has sent the password, but not the code.
pub(crate) async fn half_signed_in(site: &Site) -> Browser {
    let mut browser = site.browser();
    let page =
        browser.post("/sign-in", &[("email", ADA), ("password", PASSWORD), ("next", "/you")]).await;
    assert_eq!(page.location(), "/sign-in/code?next=%2Fyou");
    browser
}

#[testing::database_test(web::MIGRATOR)]
async fn a_code_works_once_and_its_session_is_new(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut other = site.signed_in(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let (secret, _) = turn_on(&site, &mut browser).await;
    browser.get("/you").await.assert(200, "10 recovery codes left");
    assert!(other.get("/you").await.location().starts_with("/sign-in"));

    let mut half = half_signed_in(&site).await;
    assert!(
        half.get("/you").await.location().starts_with("/sign-in"),
        "half signed in is not signed in"
    );
    let used = secret.code(site.clock.now());
    half.post("/sign-in/code", &[("code", &used)]).await.assert(422, "used before");
    site.clock.advance(Duration::seconds(30));
    let code = secret.code(site.clock.now());
    let before = half.cookie.clone();
    let mut copy = half.clone();
    let fields = [("code", code.as_str()), ("next", "/you")];
    let (one, two) =
        futures::join!(half.post("/sign-in/code", &fields), copy.post("/sign-in/code", &fields));
    let signed_in = [&one, &two].into_iter().filter(|page| page.status == 303);
    let to_you = signed_in.filter(|page| page.headers["location"] == "/you");
    assert_eq!(to_you.count(), 1, "{one:?} {two:?}");
    let winner =
        if one.status == 303 && one.headers["location"] == "/you" { &mut half } else { &mut copy };
    assert_ne!(winner.cookie, before);
    winner.get("/you").await.assert(200, ADA);
    let mut half_signed_in_before = site.browser();
    half_signed_in_before.cookie = before;
    let page = half_signed_in_before.get("/sign-in/code").await;
    assert!(page.location().starts_with("/sign-in?"), "{page:?}");
    // The code before the last used one is valid by the time, and used up as well.
    let mut late = half_signed_in(&site).await;
    late.post("/sign-in/code", &[("code", &used)]).await.assert(422, "used before");
}

#[testing::database_test(web::MIGRATOR)]
async fn second_factors_are_encrypted_again_with_the_first_key(pool: PgPool) {
    let site = Site::new(pool.clone()).await;
    let ada = site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let (secret, _) = turn_on(&site, &mut browser).await;
    let keys = |text: &str| text.parse::<KeyRing>().unwrap();
    let new = "b:AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=";
    let both = format!("{new},a:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=");
    // Without the old key nothing can be decrypted.
    for (keys, count) in [(keys(new), 0), (keys(&both), 1), (keys(&both), 0)] {
        let reencrypted = reencryption::run(&pool, &keys).await.unwrap();
        assert_eq!(reencrypted, count);
    }
    let person = people::by_id(&pool, ada).await.unwrap().unwrap();
    let opened = keys(new).open(ada.as_bytes(), &person.totp_secret.unwrap());
    assert_eq!(opened.unwrap(), secret.0);
    browser.get("/you").await.assert(200, ADA);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_recovery_code_works_once(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let (_, codes) = turn_on(&site, &mut browser).await;
    site.clock.advance(Duration::minutes(16));
    let typed = codes[3].to_uppercase().replace('-', " ");
    let mut half = half_signed_in(&site).await;
    half.post("/sign-in/code", &[("code", &typed)]).await.location();
    half.get("/you").await.assert(200, "9 recovery codes left");
    let mut again = half_signed_in(&site).await;
    again.post("/sign-in/code", &[("code", &codes[3])]).await.assert(422, "used before");
    // Turning the second factor off needs the password and a code.
    half.post("/you/totp/off", &[("password", PASSWORD), ("code", "1")])
        .await
        .assert(422, "code-error");
    let off = half.post("/you/totp/off", &[("password", PASSWORD), ("code", &codes[4])]).await;
    assert_eq!(off.location(), "/you?done=totp-off");
    // The form is sent again: it has the code that is used up, and nothing changes.
    let mails = site.mails().await.len();
    let again = half.post("/you/totp/off", &[("password", PASSWORD), ("code", &codes[4])]).await;
    assert_eq!(again.location(), off.location());
    half.get("/you").await.assert(200, ADA);
    assert_eq!(site.mails().await.len(), mails);
    site.signed_in(ADA).await;
}

#[testing::database_test(web::MIGRATOR)]
async fn a_reset_password_does_not_replace_the_second_factor(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    turn_on(&site, &mut browser).await;
    let mut thief = site.browser();
    thief.post("/reset", &[("email", ADA)]).await;
    let link = site.link(ADA).await;
    let set = thief.post(&link, &[("password", "another lorry teapot nine")]).await;
    assert_eq!(set.location(), "/sign-in/code");
    assert!(thief.get("/you").await.location().starts_with("/sign-in"));
}

#[testing::database_test(web::MIGRATOR)]
async fn malformed_codes_are_not_counted(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let (secret, _) = turn_on(&site, &mut browser).await;
    site.clock.advance(Duration::minutes(16));
    let mut half = half_signed_in(&site).await;
    for typed in ["", "12345", "1234567", "12 34 5", "the code"] {
        for _ in 0..5 {
            let page = half.post("/sign-in/code", &[("code", typed)]).await;
            page.assert(422, "has six digits");
        }
    }
    let fields = [("code", "12345"), ("password", PASSWORD)];
    let page = browser.post("/you/totp/off", &fields).await;
    page.assert(422, "has six digits");
    let code = secret.code(site.clock.now());
    let page = half.post("/sign-in/code", &[("code", &code)]).await;
    assert_eq!(page.location(), "/accounts");
    let mails = site.mails().await;
    let warned = mails.iter().any(|(_, subject, _)| subject.contains("codes"));
    assert!(!warned, "{mails:?}");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_sign_in_without_a_code_expires_after_ten_minutes(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut owner = site.signed_in(ADA).await;
    let (secret, _) = turn_on(&site, &mut owner).await;
    let mut half = half_signed_in(&site).await;
    site.clock.advance(Duration::minutes(10));
    let code = secret.code(site.clock.now());
    let late = half.post("/sign-in/code", &[("code", &code)]).await;
    late.assert(401, "You are signed out");
    half_signed_in(&site).await.get("/sign-in/code").await.assert(200, "");
}
