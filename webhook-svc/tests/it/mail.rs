//! Mails to owners.

use sqlx::PgPool;
use webhook::jobs::mail::{self, Transport};
use webhook::store::mails;

use crate::support::{ADA, START, start};

#[sqlx::test(migrator = "webhook::MIGRATOR")]
async fn a_mail_is_written_to_the_folder_once(pool: PgPool) {
    let _service = start(pool.clone(), &[]).await;
    let mut connection = pool.acquire().await.unwrap();
    let nobody = uuid::Uuid::from_u128(99);
    for account in [ADA, nobody] {
        mails::insert(&mut connection, account, "A subject", "A body.\n", START)
            .await
            .unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let transport = Transport::Folder(folder.path().to_owned());
    let sender = "Mchezo <webhooks@mchezo.example>".parse().unwrap();
    for _ in 0..2 {
        mail::send_all(&pool, &transport, &sender).await.unwrap();
    }
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(files.len(), 1);
    let text = std::fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
    assert!(text.contains(&format!("To: {ADA}@mail.example")), "{text}");
    assert!(
        text.contains("Subject: A subject") && text.contains("A body."),
        "{text}"
    );
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
