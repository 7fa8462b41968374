//! Mails with links in the outbox: the link works from when its mail is sent, and a mail whose link
//! was used or withdrawn is not sent.

use sqlx::PgPool;
use time::Duration;
use web::domain::role::Role;
use web::jobs::clean_up;
use web::mail::{self, Mailer, Transport};

use crate::support::{ADA, BOB, PASSWORD, Site};

const RESET: &str = "Set a new password at Mchezo";
const INVITATION: &str = "An invitation to Mchezo";

/// Sends all due mails, after which the outbox is empty; returns the recipients and subjects.
async fn sent(site: &Site) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let settings = mail::Settings {
        mail: Transport::Folder(folder.path().to_owned()),
        mail_ca: None,
        mail_deadline: testing::LONG,
        mail_sender: "Mchezo <no-reply@mchezo.example>".parse().unwrap(),
    };
    let mailer = Mailer::new(site.pool.clone(), site.clock.clone(), &settings).unwrap();
    mailer.send_due(false).await.unwrap();
    let mut mails = Vec::new();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let text = std::fs::read(file.unwrap().path()).unwrap();
        let mail = testing::mail::read(&text).unwrap();
        mails.push((mail.to, mail.subject));
    }
    mails.sort();
    assert!(site.mails().await.is_empty());
    mails
}

fn mail(recipient: &str, subject: &str) -> (String, String) {
    (recipient.to_owned(), subject.to_owned())
}

#[testing::database_test(web::MIGRATOR)]
async fn a_link_that_ended_in_the_queue_works_when_its_mail_arrives(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    site.browser().post("/reset", &[("email", ADA)]).await;
    let link = site.link(ADA).await;
    site.clock.advance(Duration::days(3) - Duration::SECOND);
    clean_up::run(&site.app, site.clock.now()).await.unwrap();
    assert_eq!(sent(&site).await, vec![mail(ADA, RESET)]);
    site.clock.advance(Duration::HOUR - Duration::SECOND);
    site.browser().get(&link).await.assert(200, "");
    site.clock.advance(Duration::SECOND);
    site.browser().get(&link).await.assert(410, "");
    clean_up::run(&site.app, site.clock.now()).await.unwrap();
    let links = sqlx::query_scalar!(r#"select count(*) as "count!" from web.link"#);
    assert_eq!(links.fetch_one(&site.pool).await.unwrap(), 0);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_mail_with_a_link_is_given_up_after_three_days_in_the_queue(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    site.browser().post("/reset", &[("email", ADA)]).await;
    site.clock.advance(Duration::days(3));
    assert!(sent(&site).await.is_empty());
}

#[testing::database_test(web::MIGRATOR)]
async fn an_invitation_is_sent_as_long_as_it_would_work(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let mut owner = site.signed_in(ADA).await;
    owner.invite(account, BOB, "editor").await.location();
    site.clock.advance(Duration::WEEK - Duration::SECOND);
    assert_eq!(sent(&site).await, vec![mail(BOB, INVITATION)]);
}

#[testing::database_test(web::MIGRATOR)]
async fn mails_whose_links_were_used_or_ended_with_another_are_not_sent(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    for address in [ADA, ADA, BOB] {
        site.browser().post("/reset", &[("email", address)]).await;
    }
    let link = site.link(ADA).await;
    let set = [("password", "another lorry teapot nine")];
    site.browser().post(&link, &set).await.location();
    let expected = vec![
        mail(ADA, "Your password was changed"),
        mail(BOB, "There is no account with this address at Mchezo"),
    ];
    assert_eq!(sent(&site).await, expected);
}

#[testing::database_test(web::MIGRATOR)]
async fn mails_of_invitations_that_were_replaced_or_withdrawn_are_not_sent(pool: PgPool) {
    let site = Site::new(pool).await;
    let ada = site.person(ADA).await;
    let account = site.account(ada, Role::Owner).await;
    let team = format!("/accounts/{account}/team");
    let mut owner = site.signed_in(ADA).await;
    for role in ["editor", "developer"] {
        owner.invite(account, BOB, role).await.location();
    }
    assert_eq!(sent(&site).await, vec![mail(BOB, INVITATION)]);
    owner.invite(account, BOB, "owner").await.location();
    let link = site.link(BOB).await;
    let page = owner.get(&team).await;
    let (before, _) = page.text.split_once("/withdraw\"").unwrap();
    let (_, withdraw) = before.rsplit_once("action=\"").unwrap();
    let withdrawn = owner.post(&format!("{withdraw}/withdraw"), &[]).await;
    withdrawn.location();
    site.browser().get(&link).await.assert(410, "");
    assert!(sent(&site).await.is_empty());
}

#[testing::database_test(web::MIGRATOR)]
async fn mails_of_a_deleted_person_with_links_are_not_sent(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    let mut person = site.signed_in(ADA).await;
    site.browser().post("/reset", &[("email", ADA)]).await;
    let fields = [("password", PASSWORD)];
    person.post("/you/delete", &fields).await.location();
    let expected = vec![mail(ADA, "Your profile is deleted")];
    assert_eq!(sent(&site).await, expected);
}
