//! Mails by SMTP, to a mail server within the test.

mod server;
mod tls;

use std::sync::atomic::Ordering;

use kit::clock::Clock;
use kit::mail::{self, Link, Mailer, NewMessage, Transport};
use kit::pg::Schema;
use metrics_exporter_prometheus::PrometheusBuilder;
use sqlx::PgPool;
use testing::wait_until;
use time::macros::datetime;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use server::MailServer;

const SCHEMA: Schema = Schema("kit");
const TABLE: &str = "
    create schema kit;
    create table kit.mail (
        id uuid primary key, recipient text not null, subject text not null, body text not null,
        created_at timestamptz not null, next_attempt_at timestamptz not null default '-infinity',
        tries integer not null default 0, refusals integer not null default 0, expires_at timestamptz, link_id uuid
    );
    create index mail_by_priority on kit.mail ((expires_at is null), next_attempt_at, id)";

/// The clock's first time.
const START: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

const ADA: &str = "ada@studio.example";
const BOB: &str = "bob@games.example";
const UNKNOWN: &str = "550 5.1.1 No such mailbox";
const GREYLISTED: &str = "451 4.7.1 Greylisted";

/// The settings of mails that leave so.
fn mail_settings(transport: Transport) -> mail::Settings {
    mail::Settings {
        mail: transport,
        mail_ca: None,
        mail_deadline: testing::LONG,
        mail_sender: "Mchezo <no-reply@mchezo.example>".parse().unwrap(),
    }
}

async fn create_table(pool: &PgPool) {
    sqlx::raw_sql(TABLE).execute(pool).await.unwrap();
}

/// A server, a mailer that sends to it, and the mailer's clock.
async fn started(pool: &PgPool) -> (MailServer, Mailer, Clock) {
    create_table(pool).await;
    let server = MailServer::start().await;
    let clock = Clock::fixed(START);
    let settings = mail_settings(server.url.parse().unwrap());
    let mailer = Mailer::new(pool.clone(), SCHEMA, clock.clone(), &settings).unwrap();
    (server, mailer, clock)
}

/// A mail whose subject is its recipient.
fn message(recipient: &str) -> NewMessage<'_> {
    NewMessage {
        recipient,
        subject: recipient,
        body: "A body.\n",
    }
}

async fn queue(pool: &PgPool, recipient: &str, at: OffsetDateTime) {
    mail::insert(pool, SCHEMA, message(recipient), at)
        .await
        .unwrap();
}

/// Queues a mail with a link that ends an hour after [`START`].
async fn queue_link(pool: &PgPool, recipient: &str, at: OffsetDateTime) {
    let link = Link {
        id: Uuid::from_u128(1),
        expires_at: START + Duration::HOUR,
    };
    mail::insert_with_link(pool, SCHEMA, message(recipient), link, at)
        .await
        .unwrap();
}

async fn waiting(pool: &PgPool) -> i64 {
    let left = sqlx::query_scalar("select count(*) from kit.mail");
    left.fetch_one(pool).await.unwrap()
}

/// Sends twice while this time passes, and finds one more try at its end, and none before.
async fn one_try_after(minutes: i32, server: &MailServer, mailer: &Mailer, clock: &Clock) {
    let tries = server.recipients().len();
    for more in [0, 1] {
        clock.advance(Duration::MINUTE * minutes / 2);
        mailer.send_due().await.unwrap();
        let found = server.recipients().len();
        assert_eq!(found, tries + more, "after {minutes} minutes");
    }
}

#[testing::database_test]
async fn a_mail_waits_until_the_server_takes_it(pool: PgPool) {
    let (mut server, mailer, _) = started(&pool).await;
    let body = "A body.\n.\nIts end.\n";
    let mail = NewMessage {
        body,
        ..message(ADA)
    };
    mail::insert(&pool, SCHEMA, mail, START).await.unwrap();

    server.behaviour.is_busy.store(true, Ordering::Relaxed);
    for _ in 0..3 {
        let refused = mailer.send_due().await;
        let refused = format!("{:#}", refused.unwrap_err());
        assert!(refused.contains("Come again later"), "{refused}");
    }

    // The clock stands still: the tries were not counted.
    server.behaviour.is_busy.store(false, Ordering::Relaxed);
    for _ in 0..2 {
        mailer.send_due().await.unwrap();
    }
    let mail = server.mails.recv().await.unwrap();
    assert_eq!(mail.recipient, ADA);
    assert_eq!(mail.content.subject, ADA);
    assert_eq!(mail.content.from, "Mchezo <no-reply@mchezo.example>");
    // An empty line is added at the end.
    assert_eq!(mail.content.body.trim_end(), body.trim_end());
    assert!(server.mails.try_recv().is_err(), "it comes once");
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    assert_eq!(*server.behaviour.client.lock().unwrap(), host.trim());
}

#[testing::database_test]
async fn an_address_is_given_up_after_four_refusals(pool: PgPool) {
    let (mut server, mailer, clock) = started(&pool).await;
    server.refuse(ADA, UNKNOWN);
    queue(&pool, ADA, START).await;
    queue(&pool, BOB, START + Duration::SECOND).await;
    mailer.send_due().await.unwrap();
    assert_eq!(server.arrived(), [BOB]);
    for minutes in [1, 2, 4] {
        assert_eq!(waiting(&pool).await, 1);
        one_try_after(minutes, &server, &mailer, &clock).await;
    }
    assert_eq!(waiting(&pool).await, 0);
}

#[testing::database_test]
async fn a_server_that_refuses_every_mail_loses_none(pool: PgPool) {
    let (mut server, mailer, clock) = started(&pool).await;
    for recipient in [ADA, BOB] {
        server.refuse(recipient, UNKNOWN);
        queue(&pool, recipient, START).await;
    }
    for _ in 0..8 {
        mailer.send_due().await.unwrap();
        clock.advance(Duration::HOUR);
    }
    assert_eq!(server.recipients().len(), 16);
    assert_eq!(waiting(&pool).await, 2);
    server.take_all();
    mailer.send_due().await.unwrap();
    let mut arrived = server.arrived();
    arrived.sort();
    assert_eq!(arrived, [ADA, BOB]);
}

#[testing::database_test]
async fn a_mail_that_is_not_taken_waits_longer_each_time_and_stops_no_other(pool: PgPool) {
    let (mut server, mailer, clock) = started(&pool).await;
    server.refuse(ADA, GREYLISTED);
    queue(&pool, ADA, START).await;
    queue(&pool, BOB, START + Duration::SECOND).await;
    mailer.send_due().await.unwrap();
    assert_eq!(server.arrived(), [BOB]);
    for minutes in [1, 2, 4, 8, 16, 32, 60, 60] {
        one_try_after(minutes, &server, &mailer, &clock).await;
        assert_eq!(waiting(&pool).await, 1);
    }
    clock.advance(Duration::days(3));
    mailer.send_due().await.unwrap();
    assert_eq!(waiting(&pool).await, 0, "it is given up");
}

#[testing::database_test]
async fn mails_with_links_go_first(pool: PgPool) {
    let (mut server, mailer, _) = started(&pool).await;
    for number in 0..8 {
        queue(&pool, &format!("notice-{number}@studio.example"), START).await;
    }
    let links = ["link-0@studio.example", "link-1@studio.example"];
    for link in links {
        queue_link(&pool, link, START + Duration::SECOND).await;
    }
    server.be_silent(Some(""));
    let answers = async {
        wait_until("four mails are sent at once", async || {
            server.recipients().len() == 4
        })
        .await;
        let first = server.recipients();
        assert!(
            links.iter().all(|link| first.iter().any(|it| it == link)),
            "{first:?}"
        );
        server.be_silent(None);
    };
    let (sent, ()) = tokio::join!(mailer.send_due(), answers);
    sent.unwrap();
    assert_eq!(server.arrived().len(), 10);
}

#[testing::database_test]
async fn a_link_does_not_wait_for_slow_answers_to_notices(pool: PgPool) {
    let (mut server, mailer, _) = started(&pool).await;
    for number in 0..5 {
        queue(&pool, &format!("notice-{number}@studio.example"), START).await;
    }
    server.be_silent(Some("notice"));
    let answers = async {
        wait_until("three notices are sent at once", async || {
            server.recipients().len() == 3
        })
        .await;
        queue_link(&pool, ADA, START).await;
        wait_until("the mail with the link is removed", async || {
            waiting(&pool).await == 5
        })
        .await;
        assert_eq!(server.recipients().len(), 4);
        server.be_silent(None);
    };
    let (sent, ()) = tokio::join!(mailer.send_due(), answers);
    sent.unwrap();
    let arrived = server.arrived();
    assert_eq!((arrived.len(), arrived[0].as_str()), (6, ADA));
}

#[testing::database_test]
async fn a_connection_is_used_for_many_mails(pool: PgPool) {
    let (mut server, mailer, _) = started(&pool).await;
    for number in 0..20 {
        queue(&pool, &format!("{number}@studio.example"), START).await;
    }
    mailer.send_due().await.unwrap();
    assert_eq!(server.arrived().len(), 20);
    let connections = server.behaviour.connections.load(Ordering::Relaxed);
    assert!(connections <= 10, "{connections}");
}

#[testing::database_test]
async fn a_mail_without_an_answer_takes_no_other_with_it(pool: PgPool) {
    let (mut server, _, clock) = started(&pool).await;
    let settings = mail::Settings {
        mail_deadline: std::time::Duration::from_secs(1),
        ..mail_settings(server.url.parse().unwrap())
    };
    let mailer = Mailer::new(pool.clone(), SCHEMA, clock.clone(), &settings).unwrap();
    queue(&pool, ADA, START).await;
    queue(&pool, BOB, START + Duration::SECOND).await;
    server.be_silent(Some("ada"));
    // On a slow machine, the server may seem to be away: the deadline is short.
    drop(mailer.send_due().await);
    server.be_silent(None);
    wait_until("no mail waits", async || {
        clock.advance(Duration::HOUR);
        drop(mailer.send_due().await);
        waiting(&pool).await == 0
    })
    .await;
    let arrived = server.arrived();
    for recipient in [ADA, BOB] {
        assert!(arrived.iter().any(|it| it == recipient), "{arrived:?}");
    }
}

#[testing::database_test]
async fn mails_are_counted_by_kind(pool: PgPool) {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _recording = metrics::set_default_local_recorder(&recorder);
    let (server, mailer, clock) = started(&pool).await;
    server.refuse(ADA, GREYLISTED);
    queue(&pool, ADA, START).await;
    queue_link(&pool, ADA, START).await;
    queue_link(&pool, BOB, START).await;
    mailer.send_due().await.unwrap();
    // The second link ends before its mail is taken.
    clock.advance(Duration::HOUR * 2);
    assert_eq!(mailer.maintain(clock.now()).await.unwrap(), 1);
    mailer.send_due().await.unwrap();
    assert_eq!(server.recipients().len(), 4);
    clock.advance(Duration::days(3));
    mailer.maintain(clock.now()).await.unwrap();
    mailer.send_due().await.unwrap();
    let metrics = recorder.handle().render();
    for expected in [
        "mails_sent_total{kind=\"link\"} 1",
        "mails_deferred_total{kind=\"notice\"} 2",
        "mails_deferred_total{kind=\"link\"} 1",
        "mails_refused_total{kind=\"notice\"} 1",
        "mails_expired_total 1",
        "mails_waiting{kind=\"notice\"} 1",
        "mails_waiting{kind=\"link\"} 0",
        "mails_oldest_seconds{kind=\"link\"} 0",
        // Three days, without the two minutes that the mail was to wait.
        "mails_oldest_seconds{kind=\"notice\"} 2590",
    ] {
        assert!(metrics.contains(expected), "{expected}: {metrics}");
    }
}

#[test]
fn what_is_no_mail_server_is_refused_without_its_password() {
    let refused = "http://user:hunter2@mail.example"
        .parse::<Transport>()
        .unwrap_err();
    assert!(!refused.contains("hunter2"), "{refused}");
}
