//! kill -9 between apply and commit, on either side. The victim is a separate process: this test program, in a role that environment
//! variables choose.

use std::process::Stdio;

use contracts::common::v1::Change;
use kit::feed::{PgConsumer, Producer, Projection, Retention, consume};
use kit::jobs::Leader;
use kit::{Clock, Lifecycle};
use sqlx::{PgConnection, PgPool};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use uuid::Uuid;

use super::support::{FEED, Fixture, Mirror, Note, SCHEMA, apply, database_url};

/// The output of a victim that has applied a batch and not committed it.
const APPLIED: &str = "applied, not committed";

/// Starts this test program in the role `part`, and returns when it waits between apply and commit.
async fn victim(part: &str, pool: &PgPool, address: &str) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", part, "--nocapture"])
        .env("VICTIM_DATABASE", database_url(pool).await)
        .env("VICTIM_FEED", address)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        if line.contains(APPLIED) {
            return child;
        }
    }
    panic!("{part} ended before it applied anything");
}

async fn wait_forever() {
    println!("{APPLIED}");
    std::future::pending::<()>().await;
}

/// The database of the victim; `None` in an ordinary run of the tests, in which the victim does nothing.
async fn victim_database() -> Option<PgPool> {
    let url = std::env::var("VICTIM_DATABASE").ok()?;
    Some(PgPool::connect(&url).await.unwrap())
}

#[testing::database_test]
async fn a_follower_killed_between_apply_and_commit_applies_each_change_once(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    for round in 0..3 {
        for id in ["a", "b", "c"] {
            fixture.set(id).await;
        }
        let mut child = victim("feed::kill::victim_follower", &pool, &fixture.address).await;
        child.kill().await.unwrap();
        let taken: i64 = sqlx::query_scalar("select count(*) from kit.taken")
            .fetch_one(&pool)
            .await
            .unwrap();
        assert_eq!(
            taken, 0,
            "round {round}: uncommitted changes are rolled back"
        );
    }
    fixture.follow();
    fixture.caught_up().await;
    let taken: Vec<i64> = sqlx::query_scalar("select seq from kit.taken order by seq")
        .fetch_all(&pool)
        .await
        .unwrap();
    assert_eq!(taken, (1..=9).collect::<Vec<i64>>());
}

#[testing::database_test]
async fn a_paused_follower_is_succeeded(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("a").await;
    // It stands still inside its transaction, with the rows and the cursor locked, and is not killed.
    let paused = victim("feed::kill::victim_follower", &pool, &fixture.address).await;
    fixture.follow();
    fixture.caught_up().await;
    assert_eq!(fixture.mirror().await, [("a".to_owned(), 1)]);
    drop(paused);
}

/// Not a test by itself: the follower that is killed.
#[tokio::test]
async fn victim_follower() {
    struct Stuck;
    impl Projection for Stuck {
        type Row = Change;
        type Message = ();
        fn row(&self, change: &Change) -> anyhow::Result<Option<Change>> {
            Mirror.row(change)
        }
        async fn save(
            &self,
            connection: &mut PgConnection,
            generation: Uuid,
            rows: Vec<Change>,
        ) -> anyhow::Result<()> {
            Mirror.save(connection, generation, rows).await?;
            wait_forever().await;
            Ok(())
        }
    }
    let Some(pool) = victim_database().await else {
        return;
    };
    let (lifecycle, _supervisor) = Lifecycle::new();
    let client = testing::client(&std::env::var("VICTIM_FEED").unwrap(), &lifecycle).unwrap();
    let consumer = PgConsumer::new(pool, FEED, Stuck);
    consume(client, "mirror", consumer, None).await.unwrap();
}

#[testing::database_test]
async fn a_producer_killed_between_apply_and_commit_leaves_no_gap(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("a").await;
    for _ in 0..3 {
        let mut child = victim("feed::kill::victim_producer", &pool, "").await;
        child.kill().await.unwrap();
    }
    assert_eq!(
        fixture.set("a").await,
        2,
        "uncommitted writes of the victims are rolled back"
    );
    fixture.follow();
    fixture.caught_up().await;
    assert_eq!(fixture.mirror().await, [("a".to_owned(), 2)]);
    assert_eq!(fixture.head().await, 2);
}

/// Not a test by itself: the producer that is killed.
#[tokio::test]
async fn victim_producer() {
    let Some(pool) = victim_database().await else {
        return;
    };
    let (lifecycle, _supervisor) = Lifecycle::new();
    let leader = Leader::start(&lifecycle, pool, SCHEMA, Clock::system());
    let producer = Producer::start(&leader, &lifecycle, Retention::default());
    let mut transaction = producer.begin().await.unwrap();
    let note = Note::Set("a".to_owned());
    apply(&mut transaction, &note).await.unwrap();
    wait_forever().await;
}
