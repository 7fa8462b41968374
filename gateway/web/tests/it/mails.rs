//! A mail whose link has ended is not sent from the outbox.

use sqlx::PgPool;
use time::Duration;
use web::domain::role::Role;
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
    mailer.send_due().await.unwrap();
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
async fn a_mail_whose_link_has_expired_is_not_sent(pool: PgPool) {
    let site = Site::new(pool).await;
    site.person(ADA).await;
    site.browser().post("/reset", &[("email", ADA)]).await;
    site.clock.advance(Duration::minutes(59));
    assert_eq!(sent(&site).await, vec![mail(ADA, RESET)]);
    site.browser().post("/reset", &[("email", ADA)]).await;
    site.clock.advance(Duration::HOUR);
    assert!(sent(&site).await.is_empty());
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
