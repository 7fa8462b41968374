//! Mails over SMTP, to a mail server in the test's process.

mod server;
mod tls;

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::join_all;
use futures::poll;
use kit::clock::Clock;
use kit::ids;
use kit::jobs::Leader;
use kit::lifecycle::{Lifecycle, StopSignals};
use kit::pg;
use sqlx::PgPool;
use testing::{LONG, wait_until};
use time::macros::datetime;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;
use web::mail::{self, Link, MAX_TRIES, Mailer, NewMessage, Transport};
use web::store::SCHEMA;
use web::store::links::{self, LinkTarget};

use crate::held_open::until_one_waits;
use server::MailServer;

const START: OffsetDateTime = datetime!(2026-03-01 08:00 UTC);

const ADA: &str = "ada@studio.example";
/// Of the domain of [`ADA`].
const CAT: &str = "cat@studio.example";
const BOB: &str = "bob@games.example";
const UNKNOWN: &str = "550 5.1.1 No such mailbox";
const GREYLISTED: &str = "451 4.7.1 Greylisted";

/// The settings of a mailer with this transport.
fn mail_settings(transport: Transport) -> mail::Settings {
    mail::Settings {
        mail: transport,
        mail_ca: None,
        mail_deadline: LONG,
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

/// Queues a mail with a link that works for a day; returns the id of the link.
async fn queue_link(pool: &PgPool, recipient: &str) -> Uuid {
    let target = LinkTarget::SignUp;
    let link = links::insert(pool, ids::row_id(), recipient, &target, None, START).await.unwrap();
    let sent_link = Link { id: link.id, lifetime: target.purpose().lifetime() };
    mail::insert(pool, message(recipient), Some(sent_link), START).await.unwrap();
    link.id
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
        mailer.send_due(false).await.unwrap();
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
        let failed = format!("{:#}", mailer.send_due(false).await.unwrap_err());
        assert!(failed.contains("Come again later"), "{failed}");
    }

    // The clock stands still: the tries were not counted.
    server.behaviour.is_busy.store(false, Ordering::Relaxed);
    assert_eq!(mailer.send_due(false).await.unwrap(), 1);
    assert_eq!(mailer.send_due(false).await.unwrap(), 0, "it comes once");
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
    mailer.send_due(false).await.unwrap();
    assert_eq!(server.arrived(), [BOB]);
    for minutes in [1, 2, 4, 8, 16, 32, 60, 60] {
        one_try_after(minutes, &server, &mailer, &clock).await;
        assert_eq!(waiting(&pool).await, 1);
    }
    while waiting(&pool).await > 0 {
        clock.advance(Duration::HOUR);
        mailer.send_due(false).await.unwrap();
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
    mailer.send_due(false).await.unwrap();
    assert_eq!((server.arrived(), waiting(&pool).await), (vec![BOB.to_owned()], 1));
    one_try_after(6, &server, &mailer, &clock).await;
    assert_eq!(waiting(&pool).await, 0);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_server_that_refuses_every_mail_loses_none(pool: PgPool) {
    let (mut server, mailer, clock) = started(&pool).await;
    queue(&pool, "eve@evil.example").await;
    mailer.send_due(false).await.unwrap();
    assert_eq!(server.arrived().len(), 1);
    clock.advance(Duration::MINUTE);
    for recipient in [ADA, BOB] {
        server.refuse(recipient, UNKNOWN);
        queue(&pool, recipient).await;
    }
    for _ in 0..8 {
        mailer.send_due(false).await.unwrap();
        clock.advance(Duration::HOUR);
    }
    assert_eq!(waiting(&pool).await, 2);
    server.accept_all();
    mailer.send_due(false).await.unwrap();
    assert_eq!(server.arrived(), [ADA, BOB]);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_mail_that_no_server_takes_is_given_up_at_once(pool: PgPool) {
    let (mut server, mailer, _) = started(&pool).await;
    queue(&pool, "\"ada b\"@studio.example").await;
    queue(&pool, BOB).await;
    assert_eq!(mailer.send_due(false).await.unwrap(), 1);
    assert_eq!((server.arrived(), waiting(&pool).await), (vec![BOB.to_owned()], 0));
}

#[testing::database_test(web::MIGRATOR)]
async fn mails_with_links_go_first(pool: PgPool) {
    let (mut server, mailer, _) = started(&pool).await;
    queue(&pool, ADA).await;
    queue(&pool, ADA).await;
    queue_link(&pool, BOB).await;
    queue_link(&pool, CAT).await;
    mailer.send_due(false).await.unwrap();
    assert_eq!(server.arrived(), [BOB, CAT, ADA, ADA]);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_link_does_not_wait_for_slow_answers_to_notices(pool: PgPool) {
    let (mut server, mailer, _) = started(&pool).await;
    for number in 0..4 {
        queue(&pool, &format!("notice@studio-{number}.example")).await;
    }
    server.be_silent(Some("notice"));
    let job = || mailer.send_due(false);
    let jobs = async { futures::join!(job(), job(), job()) };
    let answers = async {
        wait_until("three notices are sent at once", async || server.recipients().len() == 3).await;
        queue_link(&pool, ADA).await;
        assert_eq!(mailer.send_due(true).await.unwrap(), 1);
        assert_eq!(server.recipients().len(), 4);
        server.be_silent(None);
    };
    let ((first, second, third), ()) = futures::join!(jobs, answers);
    assert_eq!(first.unwrap() + second.unwrap() + third.unwrap(), 4);
    let arrived = server.arrived();
    assert_eq!((arrived.len(), arrived[0].as_str()), (5, ADA));
}

#[testing::database_test(web::MIGRATOR)]
async fn links_to_a_slow_domain_delay_no_link_to_another(pool: PgPool) {
    let (mut server, mailer, _) = started(&pool).await;
    for number in 0..60 {
        queue_link(&pool, &format!("slow-{number}@slow.example")).await;
    }
    queue_link(&pool, ADA).await;
    server.be_silent(Some("slow"));
    let jobs = join_all([true, false, false, false].map(|it| mailer.send_due(it)));
    // The clock stands still: no attempt ends.
    tokio::select! {
        sent = jobs => panic!("{sent:?}"),
        () = wait_until("the other link arrives", async || server.arrived() == [ADA]) => {}
    }
    assert!(server.recipients().len() <= 2);
}

#[testing::database_test(web::MIGRATOR)]
async fn two_jobs_never_send_to_a_domain_at_once(pool: PgPool) {
    let (mut server, mailer, clock) = started(&pool).await;
    // A replica that does not know yet that another one is the leader.
    let settings = mail_settings(server.url.parse().unwrap());
    let other = Mailer::new(pool.clone(), clock, &settings).unwrap();
    for _ in 0..4 {
        queue(&pool, ADA).await;
    }
    server.be_silent(Some("ada"));
    let ended = AtomicUsize::new(0);
    let jobs = join_all([&mailer, &other, &mailer, &other].map(async |mailer| {
        let sent = mailer.send_due(false).await.unwrap();
        ended.fetch_add(1, Ordering::Relaxed);
        sent
    }));
    let answers = async {
        let ended = async || ended.load(Ordering::Relaxed) == 3;
        wait_until("three jobs find no mail to send", ended).await;
        server.be_silent(None);
    };
    let (mut sent, ()) = futures::join!(jobs, answers);
    sent.sort_unstable();
    assert_eq!((sent, server.arrived()), (vec![0, 0, 0, 4], vec![ADA.to_owned(); 4]));
}

#[testing::database_test(web::MIGRATOR)]
async fn a_claim_waits_for_another_one_and_sees_its_domain(pool: PgPool) {
    let (server, mailer, _) = started(&pool).await;
    queue(&pool, ADA).await;
    queue(&pool, CAT).await;
    let mut other = pg::begin(&pool).await.unwrap();
    pg::lock_key(&mut other, "web.mail").await.unwrap();
    let until = START + Duration::MINUTE;
    sqlx::query!("update web.mail set claimed_until = $1 where recipient = $2", until, ADA)
        .execute(&mut *other)
        .await
        .unwrap();
    let commit = async {
        until_one_waits(&pool).await;
        other.commit().await.unwrap();
    };
    let (sent, ()) = futures::join!(mailer.send_due(false), commit);
    assert_eq!((sent.unwrap(), server.recipients().len()), (0, 0));
}

#[testing::database_test(web::MIGRATOR)]
async fn the_domain_of_a_process_that_dies_waits_for_the_end_of_its_claim(pool: PgPool) {
    let (mut server, mailer, clock) = started(&pool).await;
    queue(&pool, ADA).await;
    server.be_silent(Some("ada"));
    tokio::select! {
        sent = mailer.send_due(false) => panic!("{sent:?}"),
        () = wait_until("the mail is sent", async || server.recipients().len() == 1) => {}
    }
    server.be_silent(None);
    queue(&pool, CAT).await;
    queue(&pool, BOB).await;
    assert_eq!(mailer.send_due(false).await.unwrap(), 1);
    assert_eq!(server.arrived(), [BOB]);
    clock.advance(Duration::seconds(10) + 3 * LONG);
    assert_eq!(mailer.send_due(false).await.unwrap(), 2);
    assert_eq!(server.arrived(), [ADA, CAT]);
}

#[testing::database_test(web::MIGRATOR)]
async fn a_replica_that_stops_finishes_the_mail_in_progress(pool: PgPool) {
    let (mut server, mailer, clock) = started(&pool).await;
    queue(&pool, ADA).await;
    queue(&pool, CAT).await;
    server.be_silent(Some("ada"));
    let (lifecycle, supervisor) = Lifecycle::new();
    let leader = Leader::start(&lifecycle, pool.clone(), SCHEMA, clock);
    mailer.spawn(&leader, &lifecycle);
    wait_until("the mail is sent", async || server.recipients().len() == 1).await;
    let mut signals = StopSignals::catch().unwrap();
    let answers = async {
        wait_until("the replica is no longer the leader", async || {
            let held = sqlx::query_scalar!(r#"select count(*) as "count!" from web.lease"#);
            held.fetch_one(&pool).await.unwrap() == 0
        })
        .await;
        server.be_silent(None);
    };
    futures::join!(supervisor.stop(&mut signals, LONG), answers);
    assert_eq!((server.arrived(), waiting(&pool).await), (vec![ADA.to_owned()], 1));
    let claimed = sqlx::query_scalar!("select claimed_until from web.mail");
    assert_eq!(claimed.fetch_one(&pool).await.unwrap(), None);
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
        assert_eq!(mailer.send_due(false).await.unwrap(), 10);
        assert_eq!(server.arrived().len(), 10);
        let connections = server.behaviour.connections.load(Ordering::Relaxed);
        assert_eq!(connections - before, expected);
    }
}

#[testing::database_test(web::MIGRATOR)]
async fn a_mail_whose_link_is_used_while_others_are_sent_is_not_sent(pool: PgPool) {
    let (mut server, mailer, clock) = started(&pool).await;
    queue_link(&pool, ADA).await;
    let link = queue_link(&pool, BOB).await;
    server.be_silent(Some("ada"));
    let answers = async {
        wait_until("the first mail is sent", async || server.recipients().len() == 1).await;
        assert!(links::consume(&pool, link, clock.now()).await.unwrap());
        server.be_silent(None);
    };
    let (sent, ()) = futures::join!(mailer.send_due(false), answers);
    assert_eq!((sent.unwrap(), server.arrived()), (1, vec![ADA.to_owned()]));
    assert_eq!(waiting(&pool).await, 0);
}

/// Sends a mail to [`ADA`], to whom the server is silent, and finds that the attempt ends after
/// `seconds`, and not before.
async fn attempt_ends_after(seconds: i64, server: &MailServer, mailer: &Mailer, clock: &Clock) {
    let attempts = server.recipients().len();
    let mut sending = pin!(mailer.send_due(false));
    tokio::select! {
        sent = &mut sending => panic!("{sent:?}"),
        () = wait_until("the mail is sent", async || server.recipients().len() > attempts) => {}
    }
    clock.advance(Duration::seconds(seconds) - Duration::MILLISECOND);
    assert!(poll!(&mut sending).is_pending());
    clock.advance(Duration::MILLISECOND);
    tokio::time::timeout(LONG, sending).await.unwrap().unwrap();
}

#[testing::database_test(web::MIGRATOR)]
async fn a_first_attempt_has_ten_seconds_and_a_later_one_the_whole_deadline(pool: PgPool) {
    let (mut server, clock) = (MailServer::start().await, Clock::fixed(START));
    let settings = mail::Settings {
        mail_deadline: std::time::Duration::from_mins(1),
        ..mail_settings(server.url.parse().unwrap())
    };
    let mailer = Mailer::new(pool.clone(), clock.clone(), &settings).unwrap();
    queue(&pool, ADA).await;
    queue(&pool, BOB).await;
    server.be_silent(Some("ada"));
    attempt_ends_after(10, &server, &mailer, &clock).await;
    // An attempt that timed out blocks no other mail.
    assert_eq!((server.arrived(), waiting(&pool).await), (vec![BOB.to_owned()], 1));
    for minutes in [1, 2] {
        clock.advance(Duration::minutes(minutes));
        attempt_ends_after(60, &server, &mailer, &clock).await;
    }
    server.be_silent(None);
    clock.advance(Duration::minutes(4));
    assert_eq!(mailer.send_due(false).await.unwrap(), 1);
    assert_eq!(server.arrived(), [ADA]);
}

#[testing::database_test(web::MIGRATOR)]
async fn the_log_has_only_the_domain_of_a_recipient(pool: PgPool) {
    queue(&pool, "\"a@b\"@studio.example").await;
    let domain = sqlx::query_scalar!("select domain from web.mail").fetch_one(&pool).await.unwrap();
    assert_eq!(domain, "studio.example");
}
