//! Headers for browsers and programs: when to retry, and for which hosts HTTPS is required.

use sqlx::PgPool;
use time::Duration;
use web::admission::mails::{MAILS_OF_PERSON, MAILS_TO_BY};
use web::admission::pages::FORMS;
use web::domain::subject::Subject;

use crate::browser::Page;
use crate::support::{ADA, PASSWORD, Site};

#[track_caller]
fn assert_limited(page: &Page, seconds: u32) {
    page.assert(429, "Try again in");
    let header = page.headers.get("retry-after").map(|it| it.to_str().unwrap());
    assert_eq!(header, Some(seconds.to_string().as_str()), "{}", page.text);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_page_of_too_many_attempts_has_retry_after(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let mut owner = site.signed_in(ADA).await;
    // Windows start on the hour; this is one minute past it.
    site.clock.advance(Duration::minutes(61));
    site.use_up(FORMS.count(Subject::Person(ada))).await;
    let page = owner.post("/you/sessions/end-others", &[]).await;
    assert_limited(&page, 14 * 60);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_person_is_told_when_the_mail_to_a_new_address_is_not_sent(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut browser = site.signed_in(ADA).await;
    let fields = [("email", "new@studio.example"), ("password", PASSWORD)];
    for _ in 0..MAILS_TO_BY.most {
        let sent = browser.post("/you/email", &fields).await;
        assert_eq!(sent.location(), "/you?done=email-sent");
    }
    let page = browser.post("/you/email", &fields).await;
    assert_limited(&page, 60 * 60);
    page.assert(429, "value=\"new@studio.example\"");
}

/// Otherwise the form could send mails to any number of addresses.
#[testing::database_test(web::MIGRATOR)]
async fn mails_to_new_addresses_are_limited_by_person(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let mut person = site.signed_in(ADA).await;
    site.use_up(MAILS_OF_PERSON.count(Subject::Person(ada))).await;
    let fields = [("email", "new@studio.example"), ("password", PASSWORD)];
    let page = person.post("/you/email", &fields).await;
    assert_limited(&page, 60 * 60);
}
