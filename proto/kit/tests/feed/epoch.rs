//! Followers that start from nothing, and producers that were restored.

use std::process::{Command, Stdio};

use sqlx::PgPool;

use crate::support::{Fixture, Note, database_url};

#[sqlx::test]
async fn a_follower_from_nothing_takes_all_in_and_acts_on_none_of_it(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    for id in ["a", "b", "a"] {
        fixture.set(id).await;
    }
    fixture.follow();
    fixture.caught_up().await;
    assert_eq!(
        fixture.mirror().await,
        [("a".to_owned(), 2), ("b".to_owned(), 1)]
    );

    fixture.set("b").await;
    fixture.caught_up().await;
    let acted: Vec<i64> = sqlx::query_scalar("select seq from kit.taken where acted")
        .fetch_all(&pool)
        .await
        .unwrap();
    assert_eq!(acted, [4], "only what came after it was there");
}

/// Dumps the producer's tables and puts them back, as an operator would.
struct Dump(Vec<u8>);

impl Dump {
    fn take(url: &str) -> Self {
        let tables = [
            "--table=kit.feed*",
            "--table=kit.note",
            "--exclude-table=kit.feed_cursor",
        ];
        let dump = Command::new("pg_dump")
            .args(["--clean", "--if-exists"])
            .args(tables)
            .arg(url)
            .output()
            .unwrap();
        assert!(
            dump.status.success(),
            "{}",
            String::from_utf8_lossy(&dump.stderr)
        );
        Self(dump.stdout)
    }

    fn restore(&self, url: &str) {
        use std::io::Write as _;
        let mut psql = Command::new("psql")
            .args(["--quiet", "--set=ON_ERROR_STOP=1", url])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        psql.stdin.take().unwrap().write_all(&self.0).unwrap();
        assert!(psql.wait().unwrap().success());
    }
}

#[sqlx::test]
async fn a_producer_restored_from_a_dump_begins_a_new_epoch(pool: PgPool) {
    let url = database_url(&pool).await;
    let fixture = Fixture::start(&pool).await;
    fixture.follow();
    fixture.set("kept").await;
    fixture.set("changed later").await;
    let dump = Dump::take(&url);
    fixture.set("changed later").await;
    fixture.set("lost").await;
    fixture
        .writer
        .write(Note::Happened("kept".to_owned()))
        .await
        .unwrap();
    fixture.caught_up().await;
    assert_eq!(fixture.mirror().await.len(), 3);
    let before: uuid::Uuid = sqlx::query_scalar("select epoch from kit.feed_head")
        .fetch_one(&pool)
        .await
        .unwrap();

    dump.restore(&url);
    // The running writer met the table that is gone; it finds the new one. The numbers 3 and 4 are given out again.
    fixture.set("new").await;
    fixture.set("kept").await;
    assert_eq!(fixture.head().await, 4);
    fixture.caught_up().await;

    let after: uuid::Uuid = sqlx::query_scalar("select epoch from kit.feed_head")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_ne!(before, after);
    let mirrored = fixture.mirror().await;
    let expected = [("changed later", 1), ("kept", 2), ("new", 1)]
        .map(|(id, revision)| (id.to_owned(), revision));
    assert_eq!(
        mirrored, expected,
        "the mirror is what the producer holds, and nothing else"
    );
}

#[sqlx::test]
async fn a_follower_that_has_seen_more_than_there_is_makes_a_new_epoch(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("a").await;
    fixture.set("b").await;
    fixture.follow();
    fixture.caught_up().await;
    // A copy of the files from before the second write, which nothing in the database tells of.
    sqlx::raw_sql("delete from kit.feed where seq = 2; delete from kit.note where id = 'b'; update kit.feed_head set seq = 1")
        .execute(&pool)
        .await
        .unwrap();
    let again = Fixture::again(&pool).await;
    drop(fixture);
    again.follow();
    again.caught_up().await;
    assert_eq!(again.mirror().await, [("a".to_owned(), 1)]);
}
