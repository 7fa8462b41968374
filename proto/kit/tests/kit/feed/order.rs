//! The order of `seq` is the order of commit, without gaps.

use contracts::common::v1::FollowRequest;
use contracts::common::v1::feed_service_client::FeedServiceClient;
use contracts::common::v1::follow_response::Message;
use kit::Code;
use kit::feed::{NewChange, read_changes};
use sqlx::PgPool;

use super::support::{Fixture, Note, SCHEMA, apply, change};

/// Reads `count` changes from 0, and checks that none is missing or repeated.
async fn read_in_order(fixture: &Fixture, count: i64) {
    let mut client = FeedServiceClient::new(fixture.client.clone());
    let mut stream = client.follow(FollowRequest::default()).await.unwrap().into_inner();
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
                fixture.set(&format!("note {}", (caller + write) % 20)).await;
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
async fn a_refused_write_changes_and_publishes_nothing(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("a").await;
    for (note, code) in [(Note::Bad, Code::Internal), (Note::Refused, Code::Invalid)] {
        let mut transaction = fixture.producer.begin().await.unwrap();
        let set = Note::Set("b".to_owned());
        apply(&mut transaction, &set).await.unwrap();
        let refused = apply(&mut transaction, &note).await;
        assert_eq!(refused.unwrap_err().code, code);
    }
    assert_eq!(fixture.write(Note::Nothing).await, Ok(0));
    assert_eq!(fixture.notes().await, [("a".to_owned(), 1)]);
    assert_eq!(fixture.head().await, 1);
}

#[testing::database_test]
async fn the_changes_of_a_transaction_are_published_in_their_order(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("a").await;
    let changes: Vec<NewChange> =
        ["it's", "\\ \"x\" é", "", "a"].map(|id| change(id, 7, false)).into();
    let transaction = fixture.producer.begin().await.unwrap();
    transaction.commit(&changes).await.unwrap();
    let mut connection = pool.acquire().await.unwrap();
    let read = read_changes(&mut connection, SCHEMA, 1, 10).await.unwrap();
    assert_eq!(read.head.position.seq, 5);
    assert!(!read.has_gap(1));
    let read = read.changes.into_iter().map(|change| NewChange {
        entity: "note",
        id: change.id,
        revision: change.revision,
        event: "set",
        announced: change.announced,
        happening: change.happening,
        state: change.state.into(),
    });
    assert_eq!(read.collect::<Vec<_>>(), changes);
}

#[testing::database_test]
async fn a_change_that_postgresql_refuses_at_the_commit_is_not_published(pool: PgPool) {
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
    let refused = fixture.write(Note::Set("late".to_owned())).await;
    assert_eq!(refused.unwrap_err().code, Code::Internal);
    fixture.set("a").await;
    assert_eq!(fixture.notes().await, [("a".to_owned(), 1)]);
    assert_eq!(fixture.head().await, 1);
}
