//! New followers, and restored producers.

use std::io::Write as _;
use std::process::{Command, Stdio};

use sqlx::PgPool;
use time::{Duration, OffsetDateTime};

use super::support::{Fixture, Note, apply, change, database_url};

#[testing::database_test]
async fn a_new_follower_applies_old_changes_without_effects(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    for id in ["a", "b", "a"] {
        fixture.set(id).await;
    }
    fixture.follow();
    fixture.caught_up().await;
    assert_eq!(fixture.mirror().await, [("a".to_owned(), 2), ("b".to_owned(), 1)]);

    fixture.set("b").await;
    fixture.caught_up().await;
    let acted: Vec<i64> =
        sqlx::query_scalar("select seq from kit.taken where acted").fetch_all(&pool).await.unwrap();
    assert_eq!(acted, [4], "only changes after it began");
}

/// A dump of the producer's tables.
struct Dump(Vec<u8>);

impl Dump {
    fn take(url: &str) -> Self {
        let tables = ["--table=kit.feed*", "--table=kit.note", "--exclude-table=kit.feed_cursor"];
        let dump = Command::new("pg_dump")
            .args(["--clean", "--if-exists"])
            .args(tables)
            .arg(url)
            .output()
            .unwrap();
        assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
        Self(dump.stdout)
    }

    /// Runs on its own thread: it waits for transactions that the runtime of the test must end.
    async fn restore(self, url: String) {
        let restore = move || {
            let mut psql = Command::new("psql")
                .args(["--quiet", "--set=ON_ERROR_STOP=1", &url])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            psql.stdin.take().unwrap().write_all(&self.0).unwrap();
            assert!(psql.wait().unwrap().success());
        };
        tokio::task::spawn_blocking(restore).await.unwrap();
    }
}

#[testing::database_test]
async fn a_restore_from_a_dump_begins_a_new_epoch(pool: PgPool) {
    let url = database_url(&pool).await;
    let fixture = Fixture::start(&pool).await;
    fixture.follow();
    fixture.set("kept").await;
    fixture.set("changed later").await;
    let dump = Dump::take(&url);
    fixture.set("changed later").await;
    fixture.set("lost").await;
    fixture.write(Note::Happened("kept".to_owned())).await.unwrap();
    fixture.caught_up().await;
    assert_eq!(fixture.mirror().await.len(), 3);
    let before: uuid::Uuid =
        sqlx::query_scalar("select epoch from kit.feed_head").fetch_one(&pool).await.unwrap();

    dump.restore(url).await;
    // The connections of the running producer know the old table, but find the new one. The numbers 3 and 4 are reused.
    fixture.set("new").await;
    fixture.set("kept").await;
    assert_eq!(fixture.head().await, 4);
    fixture.caught_up().await;

    let after: uuid::Uuid =
        sqlx::query_scalar("select epoch from kit.feed_head").fetch_one(&pool).await.unwrap();
    assert_ne!(before, after);
    let mirrored = fixture.mirror().await;
    let expected = [("changed later", 1), ("kept", 2), ("new", 1)]
        .map(|(id, revision)| (id.to_owned(), revision));
    assert_eq!(mirrored, expected, "the mirror equals the rows of the producer");
}

#[testing::database_test]
async fn a_follower_above_the_head_rebuilds(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("a").await;
    fixture.set("b").await;
    fixture.follow();
    fixture.caught_up().await;
    // Simulate the restore of a file copy from before the second write, which leaves no trace in the database.
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

/// A copy of the disk: put back, it leaves no trace in the database.
struct DiskCopy;

impl DiskCopy {
    async fn take(pool: &PgPool) -> Self {
        let copy = "create table kit.feed_copy as table kit.feed;
             create table kit.note_copy as table kit.note;
             create table kit.head_copy as table kit.feed_head";
        sqlx::raw_sql(copy).execute(pool).await.unwrap();
        Self
    }

    /// The copy comes back, and the producer sets other notes, before anybody looks.
    async fn put_back(self, fixture: &Fixture, others: &[&str]) {
        let mut transaction = fixture.producer.begin().await.unwrap();
        let put_back = "delete from kit.feed; insert into kit.feed table kit.feed_copy;
             delete from kit.note; insert into kit.note table kit.note_copy;
             update kit.feed_head set (seq, at) = (select seq, at from kit.head_copy)";
        sqlx::raw_sql(put_back).execute(&mut *transaction).await.unwrap();
        let mut changes = Vec::new();
        for id in others {
            let set = Note::Set((*id).to_owned());
            changes.extend(apply(&mut transaction, &set).await.unwrap().1);
        }
        transaction.commit(&changes).await.unwrap();
    }
}

async fn epoch(pool: &PgPool) -> uuid::Uuid {
    sqlx::query_scalar("select epoch from kit.feed_head").fetch_one(pool).await.unwrap()
}

/// The follower that was connected all the while, and one that connects afterwards.
#[testing::database_test]
async fn changes_that_got_the_numbers_of_lost_ones_reach_every_follower(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.follow();
    fixture.set("kept").await;
    let copy = DiskCopy::take(&pool).await;
    for id in ["a", "b", "c", "d"] {
        fixture.set(id).await;
    }
    fixture.caught_up().await;
    let before = epoch(&pool).await;
    copy.put_back(&fixture, &["e", "f", "g", "h"]).await;
    assert_eq!(fixture.head().await, 5, "the same number of changes");
    testing::wait_until("the mirror equals the notes", async || {
        fixture.mirror().await == fixture.notes().await
    })
    .await;
    assert!(epoch(&pool).await > before, "whoever knows a position learns that it is lost");
    let acted: Vec<String> =
        sqlx::query_scalar("select id from kit.taken where acted and seq > 1 order by seq, id")
            .fetch_all(&pool)
            .await
            .unwrap();
    assert_eq!(acted, ["a", "e", "b", "f", "c", "g", "d", "h"], "each change has one effect");
}

#[testing::database_test]
async fn a_follower_that_was_away_while_changes_were_lost_rebuilds(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    let following = fixture.follow_into(&pool);
    fixture.set("kept").await;
    let copy = DiskCopy::take(&pool).await;
    for id in ["a", "b", "c", "d"] {
        fixture.set(id).await;
    }
    fixture.caught_up().await;
    following.stopping().cancel();
    copy.put_back(&fixture, &["e", "f", "g", "h"]).await;
    let following = fixture.follow_into(&pool);
    // With a fifth one too, it is above all that was lost.
    fixture.set("i").await;
    testing::wait_until("the mirror equals the notes", async || {
        fixture.mirror().await == fixture.notes().await
    })
    .await;
    following.stopping().cancel();
}

/// The changes that the follower has applied: `seq`, note, and whether they had effects.
async fn taken(pool: &PgPool) -> Vec<(i64, String, bool)> {
    sqlx::query_as("select seq, id, acted from kit.taken order by seq, id, acted")
        .fetch_all(pool)
        .await
        .unwrap()
}

fn expected(taken: &[(i64, &str, bool)]) -> Vec<(i64, String, bool)> {
    let owned = |&(seq, id, acted): &(i64, &str, bool)| (seq, id.to_owned(), acted);
    taken.iter().map(owned).collect()
}

#[testing::database_test]
async fn changes_between_a_restore_and_the_return_of_the_follower_have_effects(pool: PgPool) {
    let url = database_url(&pool).await;
    let fixture = Fixture::start(&pool).await;
    let following = fixture.follow_into(&pool);
    fixture.caught_up().await;
    fixture.set("a").await;
    fixture.set("b").await;
    let dump = Dump::take(&url);
    fixture.set("b").await;
    fixture.caught_up().await;
    following.stopping().cancel();
    drop(fixture);

    dump.restore(url).await;
    let again = Fixture::again(&pool).await;
    again.set("c").await;
    assert_eq!(again.set("b").await, 2, "the revision is reused");
    let following = again.follow_into(&pool);
    again.caught_up().await;
    let all = [
        (1, "a", false),
        (1, "a", true),
        (2, "b", false),
        (2, "b", true),
        (3, "b", true),
        (3, "c", true),
        (4, "b", true),
    ];
    assert_eq!(taken(&pool).await, expected(&all));
    following.stopping().cancel();
}

#[testing::database_test]
async fn times_follow_seq_even_if_clocks_differ(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    let now = fixture.clock.now();
    for at in [now, now - Duration::hours(1), now] {
        let mut transaction = fixture.producer.begin().await.unwrap();
        transaction.now = at;
        let changes = ["a", "b"].map(|id| change(id, 1, false));
        transaction.commit(&changes).await.unwrap();
    }
    let times: Vec<OffsetDateTime> =
        sqlx::query_scalar("select at from kit.feed order by seq").fetch_all(&pool).await.unwrap();
    assert_eq!(times.len(), 6);
    assert_eq!(times[0], now);
    assert!(times.is_sorted_by(|before, after| before < after), "{times:?}");
    let head: OffsetDateTime =
        sqlx::query_scalar("select at from kit.feed_head").fetch_one(&pool).await.unwrap();
    assert_eq!(times.last(), Some(&head));
}
