//! A person without phone and recovery codes: the second factor ends a day after a mail, unless somebody stops it.

use sqlx::PgPool;
use time::Duration;
use web::domain::role::Role;
use web::jobs::factor_ends;

use crate::browser::Browser;
use crate::second_factor::{half_signed_in, turn_on};
use crate::support::{ADA, BOB, PASSWORD, Site};

pub(crate) const CAROL: &str = "carol@studio.example";

/// Ada has a second factor and an account, which Bob owns as well; Carol edits it.
pub(crate) async fn site_of_ada(pool: PgPool) -> (Site, Vec<String>) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Developer).await;
    for (email, role) in [(BOB, Role::Owner), (CAROL, Role::Editor)] {
        let member = site.person(email).await;
        site.join(account, member, role).await;
    }
    let mut browser = site.signed_in(ADA).await;
    let (_, codes) = turn_on(&site, &mut browser).await;
    site.clock.advance(Duration::minutes(16));
    (site, codes)
}

/// Ada begins the wait.
pub(crate) async fn begin(site: &Site) {
    let before = subjects(site, BOB).await;
    let mut half = half_signed_in(site).await;
    let page = half.get("/sign-in/code").await;
    page.assert(200, "href=\"/sign-in/lost-phone\"");
    half.get("/sign-in/lost-phone")
        .await
        .assert(200, "Send the link");
    let sent = half.post("/sign-in/lost-phone", &[]).await;
    sent.assert(200, "Check your e-mail");
    let link = site.link(ADA).await;
    // On another device, without a session. Opening the page changes nothing.
    let mut browser = Browser::at(&site.router, 30);
    browser.get(&link).await.assert(200, "End it in a day");
    assert_eq!(subjects(site, BOB).await, before);
    browser
        .post(&link, &[])
        .await
        .assert(200, "unless somebody stops it");
    browser.post(&link, &[]).await.assert(410, "does not work");
}

pub(crate) async fn subjects(site: &Site, recipient: &str) -> Vec<String> {
    let mails = site.mails().await.into_iter();
    let own = mails.filter(|mail| mail.0 == recipient);
    own.map(|mail| mail.1).collect()
}

pub(crate) async fn run(site: &Site) -> u64 {
    factor_ends::run(&site.app, site.clock.now()).await.unwrap()
}

#[testing::database_test(web::MIGRATOR)]
async fn the_mail_about_a_lost_phone_says_nothing_of_ignoring_it(pool: PgPool) {
    let (site, _) = site_of_ada(pool).await;
    let mut half = half_signed_in(&site).await;
    let sent = half.post("/sign-in/lost-phone", &[]).await;
    sent.assert(200, "Check your e-mail");
    let mails = site.mails().await;
    let (_, _, body) = mails.iter().rfind(|mail| mail.0 == ADA).unwrap();
    assert!(body.contains("set a new password at once"), "{body}");
    assert!(!body.contains("ignore"), "{body}");
}

#[testing::database_test(web::MIGRATOR)]
async fn the_second_factor_ends_after_a_day_and_everybody_was_told(pool: PgPool) {
    let (site, _) = site_of_ada(pool).await;
    begin(&site).await;
    let of_owner = subjects(&site, BOB).await;
    assert_eq!(of_owner, ["The second factor of a member ends in a day"]);
    assert_eq!(subjects(&site, CAROL).await, Vec::<String>::new());
    let told = "Your second factor ends in a day".to_owned();
    assert!(subjects(&site, ADA).await.contains(&told));
    site.clock.advance(Duration::hours(23));
    assert_eq!(run(&site).await, 0);
    half_signed_in(&site).await;
    site.clock.advance(Duration::HOUR);
    let (one, two) = futures::join!(run(&site), run(&site));
    assert_eq!(one + two, 1);
    assert_eq!(run(&site).await, 0);
    let ended = "Your second factor has ended".to_owned();
    let told = subjects(&site, ADA).await;
    assert_eq!(told.iter().filter(|it| **it == ended).count(), 1);
    let mut browser = site.signed_in(ADA).await;
    browser
        .get("/you/activity")
        .await
        .assert(200, "a day after it was asked for");
}

#[testing::database_test(web::MIGRATOR)]
async fn an_owner_stops_it_by_the_link_of_the_mail(pool: PgPool) {
    let (site, _) = site_of_ada(pool).await;
    begin(&site).await;
    let link = site.link(BOB).await;
    let mut owner = Browser::at(&site.router, 31);
    owner.get(&link).await.assert(200, "Keep it");
    owner
        .post(&link, &[])
        .await
        .assert(200, "The second factor stays");
    site.clock.advance(Duration::hours(25));
    assert_eq!(run(&site).await, 0);
    half_signed_in(&site).await;
    let stays = "Your second factor stays".to_owned();
    assert!(subjects(&site, ADA).await.contains(&stays));
}

#[testing::database_test(web::MIGRATOR)]
async fn a_code_and_a_new_password_stop_it(pool: PgPool) {
    let (site, codes) = site_of_ada(pool).await;
    begin(&site).await;
    let mut half = half_signed_in(&site).await;
    half.post("/sign-in/code", &[("code", &codes[0])])
        .await
        .location();
    site.clock.advance(Duration::hours(25));
    assert_eq!(run(&site).await, 0);

    begin(&site).await;
    let new = [
        ("current", PASSWORD),
        ("password", "another lorry teapot nine"),
    ];
    half.post("/you/password", &new).await.location();
    site.clock.advance(Duration::hours(25));
    assert_eq!(run(&site).await, 0);
    let fields = [("email", ADA), ("password", "another lorry teapot nine")];
    let page = site.browser().post("/sign-in", &fields).await;
    assert!(page.location().starts_with("/sign-in/code"));
}

#[testing::database_test(web::MIGRATOR)]
async fn only_who_knows_the_password_may_ask(pool: PgPool) {
    let (site, _) = site_of_ada(pool).await;
    let mut stranger = site.browser();
    let page = stranger.get("/sign-in/lost-phone").await;
    assert!(page.location().starts_with("/sign-in"));
    stranger
        .post("/sign-in/lost-phone", &[])
        .await
        .assert(401, "You are signed out");
    assert!(
        !subjects(&site, ADA)
            .await
            .iter()
            .any(|it| it.contains("Lost phone"))
    );
}
