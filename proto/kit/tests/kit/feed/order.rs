//! The order of `seq` is the order of commit, without gaps.

use std::task::Poll;

use contracts::common::v1::FollowRequest;
use contracts::common::v1::feed_service_client::FeedServiceClient;
use contracts::common::v1::follow_response::Message;
use kit::Code;
use sqlx::{Acquire as _, PgPool};
use testing::wait_until;

use super::support::{Fixture, Note};

/// Reads `count` changes from 0, and checks that none is missing or repeated.
async fn read_in_order(fixture: &Fixture, count: i64) {
    let mut client = FeedServiceClient::new(fixture.client.clone());
    let mut stream = client
        .follow(FollowRequest::default())
        .await
        .unwrap()
        .into_inner();
    let mut seen = 0;
    while seen < count {
        match stream.message().await.unwrap().unwrap().message {
            Some(Message::Batch(batch)) => {
                for change in batch.changes {
                    assert_eq!(change.seq, seen + 1);
                    seen = change.seq;
                }
            }
            Some(Message::Start(start)) => assert!(start.reset),
            None => panic!("an empty message"),
        }
    }
}

#[testing::database_test]
async fn a_reader_never_finds_a_row_below_one_it_has_seen(pool: PgPool) {
    const CALLERS: i64 = 16;
    const WRITES: i64 = 25;
    let one = Fixture::start(&pool).await;
    let other = Fixture::again(&pool).await;
    let writers = (0..CALLERS).map(|caller| {
        let fixture = if caller % 2 == 0 { &one } else { &other };
        async move {
            for write in 0..WRITES {
                // Callers of both replicas write some of the same notes, so that they conflict.
                fixture
                    .set(&format!("note {}", (caller + write) % 20))
                    .await;
            }
        }
    });
    let total = CALLERS * WRITES;
    tokio::join!(
        futures::future::join_all(writers),
        read_in_order(&one, total),
        read_in_order(&other, total),
    );
    assert_eq!(one.head().await, total);
    let revisions: i64 = sqlx::query_scalar("select sum(revision)::bigint from kit.note")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(revisions, total, "every write took effect once");
}

#[testing::database_test]
async fn a_bad_item_fails_alone(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    let notes = ["a", "b", "c"].map(|id| Note::Set(id.to_owned()));
    let items = [
        &notes[..],
        &[Note::Bad, Note::Refused, Note::Nothing],
        &notes[..],
    ]
    .concat();
    let outcomes =
        futures::future::join_all(items.into_iter().map(|item| fixture.writer.write(item))).await;

    let codes: Vec<Option<Code>> = outcomes
        .iter()
        .map(|o| o.as_ref().err().map(|fault| fault.code))
        .collect();
    let fine = [None, None, None];
    assert_eq!(
        codes,
        [
            &fine[..],
            &[Some(Code::Internal), Some(Code::Invalid), None],
            &fine[..]
        ]
        .concat()
    );
    assert_eq!(
        outcomes[5].as_ref().unwrap().1,
        None,
        "nothing changed, so there is no position"
    );
    assert_eq!(fixture.head().await, 6);
}

/// Runs `waiting` while another transaction, which has executed `lock`, is open. That transaction commits after ten other writes, which must
/// not be blocked.
async fn while_locked<T>(
    (fixture, pool): (&Fixture, &PgPool),
    lock: &'static str,
    waiting: impl Future<Output = T>,
) -> T {
    let mut other = pool.acquire().await.unwrap();
    let mut transaction = other.begin().await.unwrap();
    sqlx::query(lock).execute(&mut *transaction).await.unwrap();
    let others = async {
        for _ in 0..10 {
            fixture.set("free").await;
        }
        transaction.commit().await.unwrap();
    };
    let (outcome, ()) = tokio::join!(waiting, others);
    outcome
}

const LOCK_ROW: &str = "select from kit.note where id = 'locked' for update";

#[testing::database_test]
async fn a_locked_row_does_not_block_other_writes(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("locked").await;
    let waiting = fixture.set("locked");
    let revision = while_locked((&fixture, &pool), LOCK_ROW, waiting).await;
    assert_eq!(revision, 2);
}

#[testing::database_test]
async fn retries_for_one_row_do_not_fill_the_batches(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("locked").await;
    // More writes than fit into one transaction.
    let waiting = futures::future::join_all((0..60).map(|_| fixture.set("locked")));
    let mut revisions = while_locked((&fixture, &pool), LOCK_ROW, waiting).await;
    revisions.sort_unstable();
    assert_eq!(revisions, (2..=61).collect::<Vec<i64>>());
}

#[testing::database_test]
async fn a_write_that_waits_inside_postgresql_is_retried(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    // PostgreSQL waits for the end of the transaction to know whether the name is free.
    let lock = "insert into kit.note values ('contested', 1)";
    let waiting = fixture.set("contested");
    let revision = while_locked((&fixture, &pool), lock, waiting).await;
    assert_eq!(revision, 2);
}

#[testing::database_test]
async fn an_item_that_fails_at_the_commit_fails_alone(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    sqlx::raw_sql(
        "create function kit.refuse() returns trigger language plpgsql as
             $$ begin if new.id = 'late' then raise 'refused at the commit'; end if; return null; end $$;
         create constraint trigger refuse after insert on kit.note deferrable initially deferred
             for each row execute function kit.refuse()",
    )
    .execute(&pool)
    .await
    .unwrap();
    let names = ["a", "late", "b", "c"];
    let outcomes =
        futures::future::join_all(names.map(|id| fixture.writer.write(Note::Set(id.to_owned()))))
            .await;
    let codes: Vec<Option<Code>> = outcomes
        .iter()
        .map(|outcome| outcome.as_ref().err().map(|fault| fault.code))
        .collect();
    assert_eq!(codes, [None, Some(Code::Internal), None, None]);
    assert_eq!(fixture.head().await, 3);
}

#[testing::database_test]
async fn concurrent_writes_get_different_names(pool: PgPool) {
    let one = Fixture::start(&pool).await;
    let other = Fixture::again(&pool).await;
    let creating = (0..40).map(|n| {
        let fixture = if n % 2 == 0 { &one } else { &other };
        // Both names lead to some of the same candidates.
        let name = if n % 3 == 0 { "foo" } else { "foo-8" };
        fixture.writer.write(Note::Create(name.to_owned()))
    });
    for outcome in futures::future::join_all(creating).await {
        outcome.unwrap();
    }
    let notes: i64 = sqlx::query_scalar("select count(*) from kit.note")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!((notes, one.head().await), (40, 40));
}

#[testing::database_test]
async fn writes_beyond_the_queue_fail_at_once(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    let mut other = pool.acquire().await.unwrap();
    let mut transaction = other.begin().await.unwrap();
    sqlx::query("update kit.feed_head set seq = seq")
        .execute(&mut *transaction)
        .await
        .unwrap();
    let mut waiting = Vec::new();
    let mut refused = Vec::new();
    for n in 0..20_000 {
        let mut write = Box::pin(fixture.writer.write(Note::Set(format!("note {n}"))));
        match futures::poll!(&mut write) {
            Poll::Ready(outcome) => refused.push(outcome.unwrap_err()),
            Poll::Pending => waiting.push(write),
        }
    }
    assert!(!refused.is_empty());
    for fault in refused {
        assert_eq!(fault.code, Code::Unavailable);
        assert!(fault.retry_after.is_some_and(|seconds| seconds > 1));
    }
    drop(waiting);
}

#[testing::database_test]
async fn a_write_whose_caller_has_given_up_is_not_begun(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    let mut transaction = pool.begin().await.unwrap();
    let lock = "update kit.feed_head set seq = seq";
    sqlx::query(lock).execute(&mut *transaction).await.unwrap();
    let mut first = Box::pin(fixture.set("first"));
    assert!(futures::poll!(&mut first).is_pending());
    // Of this database: other tests wait for locks too.
    let commits = "select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')";
    wait_until("the first waits for its commit", async || {
        sqlx::query_scalar(commits).fetch_one(&pool).await.unwrap()
    })
    .await;
    let mut abandoned = Box::pin(fixture.set("abandoned"));
    assert!(futures::poll!(&mut abandoned).is_pending());
    let last = fixture.set("last");
    drop(abandoned);
    transaction.commit().await.unwrap();
    tokio::join!(first, last);
    let notes = fixture.notes().await;
    let names: Vec<&str> = notes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["first", "last"]);
}
