//! Fills a fleet with generated listings: copies them into the feed of listings-svc, from which catalogue-svc loads them.

use std::time::Duration;

use e2e::{Fleet, Process, SmallFleet, eventually_within};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sqlx::{Connection as _, PgConnection};

use super::generate::Generator;

/// Timeout for catalogue-svc to load all listings.
const LOAD: Duration = Duration::from_mins(5);
/// Timeout for the other services to read all listings.
const FOLLOW: Duration = Duration::from_mins(20);
/// How many bytes go to PostgreSQL at a time.
const BUFFER: usize = 1 << 20;
/// The header of PostgreSQL's binary format: signature, flags, length of extensions.
const BINARY_HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// Appends the listings to the feed of listings-svc, and waits until the services that store a part of it have read them. Returns the size of the
/// listings in bytes.
#[expect(clippy::disallowed_methods, reason = "the benchmarks have no schema of their own")]
pub(super) async fn fill(fleet: &Fleet, generator: &Generator) -> usize {
    let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
    let mut transaction = connection.begin().await.unwrap();
    let head = sqlx::query_scalar("select seq from listings.feed_head for update");
    let mut seq: i64 = head.fetch_one(&mut *transaction).await.unwrap();
    let mut bytes = 0;
    let statement =
        "copy listings.feed (seq, entity, id, revision, event, announced, happening, at, state)
         from stdin (format binary)";
    let mut copy = transaction.copy_in_raw(statement).await.unwrap();
    let mut buffer = BINARY_HEADER.to_vec();
    for listing in generator.clone().listings() {
        seq += 1;
        let state = listing.encode();
        bytes += state.len();
        buffer.extend(9_i16.to_be_bytes());
        for field in [
            &seq.to_be_bytes()[..],
            listing.kind().as_bytes(),
            listing.id().as_bytes(),
            &1_i64.to_be_bytes(),
            b"published",
            // Neither announced nor a one-off event.
            &[0],
            &[0],
            // The start of the year 2000.
            &0_i64.to_be_bytes(),
            &state,
        ] {
            buffer.extend(i32::try_from(field.len()).unwrap().to_be_bytes());
            buffer.extend(field);
        }
        if buffer.len() >= BUFFER {
            copy.send(std::mem::take(&mut buffer)).await.unwrap();
        }
    }
    buffer.extend((-1_i16).to_be_bytes());
    copy.send(buffer).await.unwrap();
    copy.finish().await.unwrap();
    let raise = sqlx::query("update listings.feed_head set seq = $1").bind(seq);
    raise.execute(&mut *transaction).await.unwrap();
    transaction.commit().await.unwrap();
    sqlx::raw_sql("vacuum analyze listings.feed").execute(&mut connection).await.unwrap();
    eventually_within(FOLLOW, "the services have read the feed", async || {
        let sql = "select count(*) from (
                 select seq from gateway.feed_cursor where producer = 'listings'
                 union all select seq from economy.feed_cursor where producer = 'listings'
                 union all select seq from webhook.feed_cursor where producer = 'listings'
             ) as cursors where seq < $1";
        let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
        let behind = sqlx::query_scalar::<_, i64>(sql).bind(seq);
        (behind.fetch_one(&mut connection).await.unwrap() == 0).then_some(())
    })
    .await;
    bytes
}

/// Kills catalogue-svc, which the launcher restarts; returns the time from the start of the new process until it is ready.
pub(super) async fn restart(small: &SmallFleet) -> (Fleet, Duration) {
    let old = catalogue(&small.fleet()).unwrap().pid;
    kill(Pid::from_raw(old), Signal::SIGKILL).unwrap();
    let ready = eventually_within(LOAD, "catalogue-svc is ready again", async || {
        let fleet = small.fleet();
        let process = catalogue(&fleet).filter(|process| process.pid != old)?;
        let health = &fleet.service("catalogue-svc").health;
        let answer = reqwest::get(health.replace("healthz", "readyz")).await.ok()?;
        let age = process.age();
        answer.status().is_success().then_some((fleet, age))
    });
    ready.await
}

/// The process of catalogue-svc; `None` while it is down.
pub(super) fn catalogue(fleet: &Fleet) -> Option<Process> {
    let pid = fleet.service("catalogue-svc").pid?;
    Some(Process::new("catalogue-svc", pid))
}
