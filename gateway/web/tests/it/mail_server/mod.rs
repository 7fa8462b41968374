//! Mails over SMTP, to a mail server in the test's process.

mod server;
mod tls;

use std::sync::atomic::Ordering;

use kit::clock::Clock;
use kit::ids;
use sqlx::PgPool;
use testing::wait_until;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};
use web::mail::{self, Link, MAX_TRIES, Mailer, NewMessage, Transport};
use web::store::links::{self, LinkTarget};

use server::MailServer;

const START: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

const ADA: &str = "ada@studio.example";
const BOB: &str = "bob@games.example";
const UNKNOWN: &str = "550 5.1.1 No such mailbox";
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

/// A server, a mailer that sends to it, and the mailer's clock.
async fn started(pool: &PgPool) -> (MailServer, Mailer, Clock) {
    let (server, clock) = (MailServer::start().await, Clock::fixed(START));
    let settings = mail_settings(server.url.parse().unwrap());
    let mailer = Mailer::new(pool.clone(), clock.clone(), &settings).unwrap();
    (server, mailer, clock)
}

/// A mail whose subject is its recipient.
fn message(recipient: &str) -> NewMessage<'_> {
    NewMessage { recipient, subject: recipient, body: "A body.\n" }
}

async fn queue(pool: &PgPool, recipient: &str) {
    mail::insert(pool, message(recipient), None, START).await.unwrap();
}

/// Queues a mail with a link that lives a day.
async fn queue_link(pool: &PgPool, recipient: &str) {
    let link = links::insert(pool, ids::row_id(), recipient, &LinkTarget::SignUp, None, START)
        .await
        .unwrap();
    let link = Link { id: link.id, expires_at: link.expires_at };
    mail::insert(pool, message(recipient), Some(link), START).await.unwrap();
}

async fn waiting(pool: &PgPool) -> i64 {
    let left = sqlx::query_scalar!(r#"select count(*) as "count!" from web.mail"#);
    left.fetch_one(pool).await.unwrap()
}

/// Sends twice while this time passes, and finds one more try at its end, and none before.
async fn one_try_after(minutes: i64, server: &MailServer, mailer: &Mailer, clock: &Clock) {
    let tries = server.recipients().len();
    for (passed, more) in
        [(Duration::minutes(minutes) - Duration::SECOND, 0), (Duration::SECOND, 1)]
    {
        clock.advance(passed);
        mailer.send_due().await.unwrap();
        let found = server.recipients().len();
        assert_eq!(found, tries + more, "after {minutes} minutes");
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_mail_waits_while_the_server_is_unavailable(pool: PgPool) {
    let (mut server, mailer, _) = started(&pool).await;
    let body = "A body.\n.\nIts end.\n";
    let mail = NewMessage { body, ..message(ADA) };
    mail::insert(&pool, mail, None, START).await.unwrap();
    server.behaviour.is_busy.store(true, Ordering::Relaxed);
    for _ in 0..=MAX_TRIES {
        let failed = format!("{:#}", mailer.send_due().await.unwrap_err());
        assert!(failed.contains("Come again later"), "{failed}");
    }

    // The clock stands still: the tries were not counted.
    server.behaviour.is_busy.store(false, Ordering::Relaxed);
    assert_eq!(mailer.send_due().await.unwrap(), 1);
    assert_eq!(mailer.send_due().await.unwrap(), 0, "it comes once");
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
    let (mut server, mailer, clock) = started(&pool).await;
    server.refuse(ADA, GREYLISTED);
    queue(&pool, ADA).await;
    queue(&pool, BOB).await;
    mailer.send_due().await.unwrap();
    assert_eq!(server.arrived(), [BOB]);
    for minutes in [1, 2, 4, 8, 16, 32, 60, 60] {
        one_try_after(minutes, &server, &mailer, &clock).await;
        assert_eq!(waiting(&pool).await, 1);
    }
    while waiting(&pool).await > 0 {
        clock.advance(Duration::HOUR);
        mailer.send_due().await.unwrap();
    }
    let tries = server.recipients().iter().filter(|it| *it == ADA).count();
    assert_eq!(tries, usize::try_from(MAX_TRIES).unwrap());
    assert!(clock.now() - START >= Duration::days(3));
}

#[testing::database_test(web::MIGRATOR)]
async fn an_unknown_recipient_is_tried_twice(pool: PgPool) {
    let (mut server, mailer, clock) = started(&pool).await;
    server.refuse(ADA, UNKNOWN);
    queue(&pool, ADA).await;
    queue(&pool, BOB).await;
    mailer.send_due().await.unwrap();
    assert_eq!((server.arrived(), waiting(&pool).await), (vec![BOB.to_owned()], 1));
    one_try_after(6, &server, &mailer, &clock).await;
    assert_eq!(waiting(&pool).await, 0);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_server_that_refuses_every_mail_loses_none(pool: PgPool) {
    let (mut server, mailer, clock) = started(&pool).await;
    queue(&pool, "eve@evil.example").await;
    mailer.send_due().await.unwrap();
    assert_eq!(server.arrived().len(), 1);
    clock.advance(Duration::MINUTE);
    for recipient in [ADA, BOB] {
        server.refuse(recipient, UNKNOWN);
        queue(&pool, recipient).await;
    }
    for _ in 0..8 {
        mailer.send_due().await.unwrap();
        clock.advance(Duration::HOUR);
    }
    assert_eq!(waiting(&pool).await, 2);
    server.accept_all();
    mailer.send_due().await.unwrap();
    assert_eq!(server.arrived(), [ADA, BOB]);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_mail_that_no_server_takes_is_given_up_at_once(pool: PgPool) {
    let (mut server, mailer, _) = started(&pool).await;
    queue(&pool, "\"ada b\"@studio.example").await;
    queue(&pool, BOB).await;
    assert_eq!(mailer.send_due().await.unwrap(), 1);
    assert_eq!((server.arrived(), waiting(&pool).await), (vec![BOB.to_owned()], 0));
}

#[testing::database_test(web::MIGRATOR)]
async fn mails_with_links_go_first(pool: PgPool) {
    let (mut server, mailer, _) = started(&pool).await;
    queue(&pool, ADA).await;
    queue(&pool, ADA).await;
    queue_link(&pool, BOB).await;
    mailer.send_due().await.unwrap();
    assert_eq!(server.arrived(), [BOB, ADA, ADA]);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_link_does_not_wait_for_slow_answers_to_notices(pool: PgPool) {
    let (mut server, mailer, _) = started(&pool).await;
    for number in 0..4 {
        queue(&pool, &format!("notice-{number}@studio.example")).await;
    }
    server.be_silent(Some("notice"));
    let jobs = async { futures::join!(mailer.send_due(), mailer.send_due(), mailer.send_due()) };
    let answers = async {
        wait_until("three notices are sent at once", async || server.recipients().len() == 3).await;
        queue_link(&pool, ADA).await;
        assert_eq!(mailer.send_due_links().await.unwrap(), 1);
        assert_eq!(server.recipients().len(), 4);
        server.be_silent(None);
    };
    let ((first, second, third), ()) = futures::join!(jobs, answers);
    assert_eq!(first.unwrap() + second.unwrap() + third.unwrap(), 4);
    let arrived = server.arrived();
    assert_eq!((arrived.len(), arrived[0].as_str()), (5, ADA));
}

#[testing::database_test(web::MIGRATOR)]
async fn a_connection_is_used_for_many_mails_until_the_server_closes_it(pool: PgPool) {
    let (mut server, mailer, _) = started(&pool).await;
    for (closes, expected) in [(false, 1), (true, 10)] {
        let before = server.behaviour.connections.load(Ordering::Relaxed);
        let closes_after_mail = &server.behaviour.closes_after_mail;
        closes_after_mail.store(closes, Ordering::Relaxed);
        for number in 0..10 {
            queue(&pool, &format!("{number}@studio.example")).await;
        }
        assert_eq!(mailer.send_due().await.unwrap(), 10);
        assert_eq!(server.arrived().len(), 10);
        let connections = server.behaviour.connections.load(Ordering::Relaxed);
        assert_eq!(connections - before, expected);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_mail_whose_link_ends_while_others_are_sent_is_not_sent(pool: PgPool) {
    let (mut server, mailer, clock) = started(&pool).await;
    queue_link(&pool, ADA).await;
    queue_link(&pool, BOB).await;
    server.be_silent(Some("ada"));
    let answers = async {
        wait_until("the first mail is sent", async || server.recipients().len() == 1).await;
        clock.advance(Duration::DAY);
        server.be_silent(None);
    };
    let (sent, ()) = futures::join!(mailer.send_due(), answers);
    assert_eq!((sent.unwrap(), server.arrived()), (1, vec![ADA.to_owned()]));
    assert_eq!(waiting(&pool).await, 0);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_mail_that_times_out_blocks_no_other(pool: PgPool) {
    let (mut server, clock) = (MailServer::start().await, Clock::fixed(START));
    let settings = mail::Settings {
        mail_deadline: std::time::Duration::from_secs(1),
        ..mail_settings(server.url.parse().unwrap())
    };
    let mailer = Mailer::new(pool.clone(), clock.clone(), &settings).unwrap();
    queue(&pool, ADA).await;
    queue(&pool, BOB).await;
    server.be_silent(Some("ada"));
    // On a slow machine the server may seem to be unavailable, or the other mail may miss the short deadline too.
    while server.arrived().is_empty() {
        drop(mailer.send_due().await);
        clock.advance(Duration::HOUR);
    }
    assert_eq!(waiting(&pool).await, 1);
    server.be_silent(None);
    while waiting(&pool).await > 0 {
        drop(mailer.send_due().await);
        clock.advance(Duration::HOUR);
    }
    assert_eq!(server.arrived(), [ADA]);
}
