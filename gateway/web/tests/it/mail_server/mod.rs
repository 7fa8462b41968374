//! Mails over SMTP, to a mail server in the test's process.

mod server;
mod tls;

use std::sync::atomic::Ordering;

use sqlx::PgPool;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};
use web::mail::{self, Mailer, NewMessage, Transport};

use server::MailServer;

const START: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

const ADA: &str = "ada@studio.example";
const BOB: &str = "bob@games.example";
const GREYLISTED: &str = "451 4.7.1 Greylisted";

/// The settings of a mailer with this transport.
fn mail_settings(transport: Transport) -> mail::Settings {
    mail::Settings {
        mail: transport,
        mail_ca: None,
        mail_deadline: testing::LONG,
        mail_sender: "Mchezo <no-reply@mchezo.example>".parse().unwrap(),
    }
}

/// A server, and a mailer that sends to it.
async fn started(pool: &PgPool) -> (MailServer, Mailer) {
    let server = MailServer::start().await;
    let settings = mail_settings(server.url.parse().unwrap());
    let mailer = Mailer::new(pool.clone(), &settings).unwrap();
    (server, mailer)
}

/// A mail whose subject is its recipient.
fn message(recipient: &str) -> NewMessage<'_> {
    NewMessage {
        recipient,
        subject: recipient,
        body: "A body.\n",
    }
}

async fn queue(pool: &PgPool, recipient: &str) {
    mail::insert(pool, message(recipient), None, START)
        .await
        .unwrap();
}

async fn waiting(pool: &PgPool) -> i64 {
    let left = sqlx::query_scalar!(r#"select count(*) as "count!" from web.mail"#);
    left.fetch_one(pool).await.unwrap()
}

#[testing::database_test(web::MIGRATOR)]
async fn a_mail_is_retried_until_the_server_accepts_it(pool: PgPool) {
    let (mut server, mailer) = started(&pool).await;
    let body = "A body.\n.\nIts end.\n";
    let mail = NewMessage {
        body,
        ..message(ADA)
    };
    mail::insert(&pool, mail, None, START).await.unwrap();
    server.behaviour.is_busy.store(true, Ordering::Relaxed);
    assert_eq!(mailer.send_due(START).await.unwrap(), 0);

    server.behaviour.is_busy.store(false, Ordering::Relaxed);
    let later = START + Duration::MINUTE;
    assert_eq!(mailer.send_due(later).await.unwrap(), 1);
    assert_eq!(mailer.send_due(later).await.unwrap(), 0, "it comes once");
    let mail = server.mails.recv().await.unwrap();
    assert_eq!(mail.recipient, ADA);
    assert_eq!(mail.content.subject, ADA);
    assert_eq!(mail.content.from, "Mchezo <no-reply@mchezo.example>");
    // The transport appends an empty line.
    assert_eq!(mail.content.body.trim_end(), body.trim_end());
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    assert_eq!(*server.behaviour.client.lock().unwrap(), host.trim());
}

#[testing::database_test(web::MIGRATOR)]
async fn a_rejected_mail_is_retried_with_growing_delays_and_blocks_no_other(pool: PgPool) {
    let (mut server, mailer) = started(&pool).await;
    server.refuse(ADA, GREYLISTED);
    queue(&pool, ADA).await;
    queue(&pool, BOB).await;
    mailer.send_due(START).await.unwrap();
    assert_eq!(server.arrived(), [BOB]);
    let (mut now, mut tries) = (START, 2);
    for minutes in [1, 2, 4, 8, 16, 32, 60, 60] {
        now += Duration::minutes(minutes);
        mailer.send_due(now - Duration::SECOND).await.unwrap();
        assert_eq!(server.recipients().len(), tries, "before {minutes} minutes");
        mailer.send_due(now).await.unwrap();
        tries += 1;
        assert_eq!(server.recipients().len(), tries, "after {minutes} minutes");
        assert_eq!(waiting(&pool).await, 1);
    }
    mailer.send_due(now + Duration::days(3)).await.unwrap();
    assert_eq!(waiting(&pool).await, 0, "it is given up");
}

#[testing::database_test(web::MIGRATOR)]
async fn a_mail_that_times_out_blocks_no_other(pool: PgPool) {
    let mut server = MailServer::start().await;
    let settings = mail::Settings {
        mail_deadline: std::time::Duration::from_secs(1),
        ..mail_settings(server.url.parse().unwrap())
    };
    let mailer = Mailer::new(pool.clone(), &settings).unwrap();
    queue(&pool, ADA).await;
    queue(&pool, BOB).await;
    server.be_silent(Some("ada"));
    // On a slow machine the other mail may miss the short deadline too.
    let mut now = START;
    while server.arrived().is_empty() {
        mailer.send_due(now).await.unwrap();
        now += Duration::HOUR;
    }
    assert_eq!(waiting(&pool).await, 1);
    server.be_silent(None);
    while waiting(&pool).await > 0 {
        mailer.send_due(now).await.unwrap();
        now += Duration::HOUR;
    }
    assert_eq!(server.arrived(), [ADA]);
}
