//! Messages of a feed are bounded in bytes, however large its states are.

use sqlx::PgPool;

use super::support::Fixture;

/// More bytes than a follower accepts in one message, in fewer rows than a message may have.
const LARGE: &str = "
    insert into kit.feed (seq, entity, id, revision, event, announced, happening, at, state)
        select n, 'note', n::text, 1, 'set', true, false, now(), convert_to(repeat('x', 200000), 'UTF8')
        from generate_series(1, 400) n;
    update kit.feed_head set seq = 400";

#[testing::database_test]
async fn a_new_follower_reads_a_feed_of_large_states(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    sqlx::raw_sql(LARGE).execute(&pool).await.unwrap();
    fixture.follow();
    fixture.caught_up().await;
    assert_eq!(fixture.mirror().await.len(), 400);
}

#[testing::database_test]
async fn a_batch_of_large_states_has_no_gap_at_its_end(pool: PgPool) {
    let _fixture = Fixture::start(&pool).await;
    sqlx::raw_sql(LARGE).execute(&pool).await.unwrap();
    let mut connection = pool.acquire().await.unwrap();
    let mut read = async |after, limit| {
        kit::feed::read_changes(&mut connection, super::support::SCHEMA, after, limit)
            .await
            .unwrap()
    };
    let first = read(0, 500).await;
    let numbers: Vec<i64> = first.changes.iter().map(|change| change.seq).collect();
    assert_eq!(numbers, (1..=21).collect::<Vec<i64>>());
    assert!(!first.is_complete && !first.has_gap(0));
    let last = read(380, 500).await;
    assert_eq!((last.changes.len(), last.is_complete), (20, true));
    assert!(!read(380, 20).await.is_complete);
}
