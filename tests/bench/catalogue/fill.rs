//! A fleet with generated listings: they are copied into the schema of catalogue-svc, which then starts from it.

use std::time::Duration;

use e2e::{Fleet, Process, SmallFleet, eventually, eventually_within};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sqlx::{Connection as _, PgConnection};
use uuid::Uuid;

use super::generate::Generator;

/// How long a catalogue-svc may take to load everything.
const LOAD: Duration = Duration::from_mins(5);
/// More than there are listings.
const FIRST_SEQ: i64 = 10_000_000;
/// How many bytes are sent to PostgreSQL at a time.
const BUFFER: usize = 1 << 20;
/// The header of PostgreSQL's binary format: signature, flags, length of extensions.
const BINARY_HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// Copies the listings into the table from which catalogue-svc starts, as part of the feed that it follows. Returns their bytes.
#[expect(
    clippy::disallowed_methods,
    reason = "the benchmarks have no schema of their own"
)]
pub(super) async fn fill(fleet: &Fleet, generator: &Generator) -> usize {
    let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
    let generation = eventually("the schema follows the feed", async || {
        let mut connection = PgConnection::connect(&fleet.database_url).await.unwrap();
        let cursor = "select coalesce(generation, epoch) from catalogue.feed_cursor where producer = 'listings'";
        let generation = sqlx::query_scalar::<_, Uuid>(cursor);
        generation.fetch_optional(&mut connection).await.unwrap()
    })
    .await;
    let mut bytes = 0;
    let statement =
        "copy catalogue.entity (kind, id, seq, generation, body) from stdin (format binary)";
    let mut copy = connection.copy_in_raw(statement).await.unwrap();
    let mut buffer = BINARY_HEADER.to_vec();
    // Each has a change of its own, as on a feed, before those that the fleet has had.
    for (seq, listing) in (-FIRST_SEQ..).zip(generator.clone().listings()) {
        let body = listing.encode();
        bytes += body.len();
        buffer.extend(5_i16.to_be_bytes());
        for field in [
            listing.kind().as_bytes(),
            listing.id().as_bytes(),
            &seq.to_be_bytes(),
            generation.as_bytes(),
            &body,
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
    sqlx::raw_sql("vacuum analyze catalogue.entity")
        .execute(&mut connection)
        .await
        .unwrap();
    bytes
}

/// Kills catalogue-svc, which the launcher starts again; returns how long the new process took until it was ready.
pub(super) async fn restart(small: &SmallFleet) -> (Fleet, Duration) {
    let old = catalogue(&small.fleet()).unwrap().pid;
    kill(Pid::from_raw(old), Signal::SIGKILL).unwrap();
    let ready = eventually_within(LOAD, "catalogue-svc is ready again", async || {
        let fleet = small.fleet();
        let process = catalogue(&fleet).filter(|process| process.pid != old)?;
        let health = &fleet.service("catalogue-svc").health;
        let answer = reqwest::get(health.replace("healthz", "readyz"))
            .await
            .ok()?;
        let age = process.age();
        answer.status().is_success().then_some((fleet, age))
    });
    ready.await
}

/// The process of catalogue-svc, while there is one.
pub(super) fn catalogue(fleet: &Fleet) -> Option<Process> {
    let pid = fleet.service("catalogue-svc").pid?;
    Some(Process::new("catalogue-svc", pid))
}
