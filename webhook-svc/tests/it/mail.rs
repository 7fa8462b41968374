//! Mails to owners.

use sqlx::PgPool;
use webhook::store::mails;

use contracts::gateway::v1::LargeMonth;
use kit::feed::project_changes;
use kit::mail::Transport;
use prost::Message as _;
use webhook::feeds::gateway::Gateway;

use crate::support::{ADA, START, TAKEN, change, followed, sent, start};

#[testing::database_test(webhook::MIGRATOR)]
async fn a_mail_arrives_once_as_it_was_written(pool: PgPool) {
    let _service = start(pool.clone(), &[]).await;
    let mut connection = pool.acquire().await.unwrap();
    let subject = "Forêt enchantée: a delivery has failed";
    let body = "Ọ̀yọ́ ń lọ, Forêt enchantée, \u{644}\u{639}\u{628}\u{629}.\n";
    let nobody = uuid::Uuid::from_u128(99);
    for account in [ADA, nobody] {
        mails::insert(&mut connection, account, subject, body, START)
            .await
            .unwrap();
    }
    let mails = sent(&pool).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    let mail = &mails[0];
    assert_eq!(mail.to, format!("{ADA}@mail.example"));
    assert_eq!((mail.subject.as_str(), mail.body.as_str()), (subject, body));
    assert_eq!(sent(&pool).await, [], "it is sent once");
}

#[testing::database_test(webhook::MIGRATOR)]
async fn staff_get_a_mail_about_an_account_with_very_many_calls(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let large = LargeMonth {
        account_id: ADA.to_string(),
        name: "Ada".to_owned(),
        email: "ada@mail.example".to_owned(),
        plan: "Partner".to_owned(),
        month: "2026-03".to_owned(),
        calls: 10_000_001,
        limit: 10_000_000,
    };
    let change = change(1, "large_month", ADA, "reached", large.encode_to_vec());
    for staff_mail in [None, Some("Staff <staff@mchezo.example>".parse().unwrap())] {
        let clock = service.clock.clone();
        let gateway = Gateway { clock, staff_mail };
        let mut transaction = pool.begin().await.unwrap();
        let (feed, changes) = (followed("gateway"), vec![change.clone()]);
        project_changes(&mut transaction, feed, &gateway, changes, TAKEN)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
    }
    let mails = sent(&pool).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    let mail = &mails[0];
    assert_eq!(mail.to, "Staff <staff@mchezo.example>");
    assert_eq!(
        mail.subject,
        "Ada has made 10000000 calls or more in 2026-03"
    );
    assert!(mail.body.contains("10000001"), "{}", mail.body);
}

#[test]
fn what_is_no_mail_server_is_refused_without_its_password() {
    let refused = "http://user:hunter2@mail.example"
        .parse::<Transport>()
        .unwrap_err();
    assert!(!refused.contains("hunter2"), "{refused}");
    assert!(
        "smtps://user:hunter2@mail.example"
            .parse::<Transport>()
            .is_ok()
    );
}
