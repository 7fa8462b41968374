//! A caller that polls for the changes of an entity type gets each change once.

use contracts::common::v1::feed_service_client::FeedServiceClient;
use contracts::common::v1::{ListChangesRequest, ListChangesResponse};
use kit::api::timestamp;
use kit::feed::NewChange;
use kit::{Code, Fault};
use prost_types::Timestamp;
use sqlx::PgPool;
use testing::wait_until;

use super::support::{Fixture, Note};

/// A change of another entity type, after all others.
async fn publish_other(fixture: &Fixture) {
    let change = NewChange {
        entity: "other",
        id: "x".to_owned(),
        revision: 1,
        event: "set",
        announced: false,
        happening: false,
        state: Vec::new(),
    };
    let transaction = fixture.producer.begin().await.unwrap();
    transaction.commit(&[change]).await.unwrap();
}

async fn list(
    fixture: &Fixture,
    after: Option<Timestamp>,
    limit: u32,
) -> Result<ListChangesResponse, Fault> {
    let request = ListChangesRequest { entity: "note".to_owned(), after, limit };
    let mut client = FeedServiceClient::new(fixture.client.clone());
    Ok(client.list_changes(request).await?.into_inner())
}

/// The `seq` of the changes after a time, and the time for the next call.
async fn next(fixture: &Fixture, after: Timestamp, limit: u32) -> (Vec<i64>, Timestamp) {
    let listed = list(fixture, Some(after), limit).await.unwrap();
    let seqs = listed.changes.iter().map(|change| change.seq).collect();
    (seqs, listed.until.unwrap())
}

#[testing::database_test]
async fn a_caller_gets_each_change_of_its_entity_type_once(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("before").await;
    let first = list(&fixture, None, 0).await.unwrap();
    assert_eq!(first.changes, [], "nothing from before its first call");
    let begin = first.until.unwrap();

    fixture.set("a").await;
    publish_other(&fixture).await;
    fixture.write(Note::Happened("a".to_owned())).await.unwrap();
    fixture.set("b").await;
    publish_other(&fixture).await;
    let (seqs, middle) = next(&fixture, begin, 2).await;
    assert_eq!(seqs, [2, 4]);
    let (seqs, end) = next(&fixture, middle, 2).await;
    assert_eq!(seqs, [5]);
    assert_eq!(next(&fixture, end, 2).await, (vec![], end));
    // A repeated call returns the same changes: a caller that did not store the next time loses nothing.
    assert_eq!(next(&fixture, middle, 2).await, (vec![5], end));
}

#[testing::database_test]
async fn a_change_is_numbered_when_no_transaction_before_it_is_open(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("a").await;
    let mut first = pool.begin().await.unwrap();
    // A commit takes its number in this way. The transaction stays open.
    sqlx::query("update kit.feed_head set seq = seq + 1").execute(&mut *first).await.unwrap();
    let waits = "select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')";
    let undone = async {
        wait_until("the second waits for the first", async || {
            sqlx::query_scalar(waits).fetch_one(&pool).await.unwrap()
        })
        .await;
        first.rollback().await.unwrap();
    };
    tokio::join!(publish_other(&fixture), undone);
    assert_eq!(fixture.head().await, 2, "the first leaves no gap");
}

#[testing::database_test]
async fn a_time_is_a_position_in_every_epoch(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("a").await;
    let begin = list(&fixture, None, 0).await.unwrap().until.unwrap();
    fixture.set("b").await;
    // Simulate the promotion of a replica that has all changes.
    let elsewhere = "update kit.feed_head set incarnation = 'elsewhere'";
    sqlx::raw_sql(elsewhere).execute(&pool).await.unwrap();
    let (seqs, promoted) = next(&fixture, begin, 0).await;
    assert_eq!(seqs, [2]);
    // Simulate a restore to the time of the first change.
    let lost = "delete from kit.feed where seq = 2;
        update kit.feed_head set seq = 1, at = (select at from kit.feed where seq = 1), incarnation = 'restored'";
    sqlx::raw_sql(lost).execute(&pool).await.unwrap();
    assert_eq!(next(&fixture, promoted, 0).await, (vec![], promoted));
    let read = timestamp::decode_exact(promoted).unwrap();
    wait_until("it is later", async || fixture.clock.now() > read).await;
    fixture.set("c").await;
    let (seqs, _) = next(&fixture, promoted, 0).await;
    assert_eq!(seqs, [2], "its number was given out before");
}

#[testing::database_test]
async fn a_bad_request_says_what_is_wrong(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    let after = Timestamp { seconds: i64::MAX, nanos: 0 };
    let fault = list(&fixture, Some(after), 501).await.unwrap_err();
    assert_eq!(fault.code, Code::Invalid);
    assert_eq!(fault.fields.into_keys().collect::<Vec<_>>(), ["after", "limit"]);
}
