//! Compaction deletes old rows that a newer one replaces, and old one-off events.

use kit::feed::Retention;
use sqlx::PgPool;
use time::Duration;

use super::support::{Fixture, Note};

/// Compacts the feed as if `days` had passed; returns the `seq` of the rows that are left.
async fn compact(fixture: &Fixture, days: i64) -> Vec<i64> {
    let later = fixture.clock.now() + Duration::days(days);
    let compacted = fixture.producer.compact(later, Retention::default());
    compacted.await.unwrap();
    sqlx::query_scalar("select seq from kit.feed order by seq")
        .fetch_all(&fixture.pool)
        .await
        .unwrap()
}

async fn age(pool: &PgPool, seq: i64, days: i32) {
    sqlx::query("update kit.feed set at = at - make_interval(days => $2) where seq = $1")
        .bind(seq)
        .bind(days)
        .execute(pool)
        .await
        .unwrap();
}

#[testing::database_test]
async fn replaced_states_go_after_a_week_and_one_off_events_after_a_month(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("a").await;
    let happened = Note::Happened("a".to_owned());
    fixture.write(happened).await.unwrap();
    for id in ["a", "b", "b", "b"] {
        fixture.set(id).await;
    }
    // Row 1 is old, but was replaced just now.
    age(&pool, 1, 300).await;
    assert_eq!(compact(&fixture, 6).await, [1, 2, 3, 4, 5, 6]);
    // The state that the newest row replaces stays until another row follows.
    assert_eq!(compact(&fixture, 8).await, [2, 3, 5, 6]);
    fixture.set("c").await;
    assert_eq!(compact(&fixture, 8).await, [2, 3, 6, 7]);
    assert_eq!(compact(&fixture, 31).await, [3, 6, 7]);
    assert_eq!(compact(&fixture, 400).await, [3, 6, 7]);
}

#[testing::database_test]
async fn a_follower_that_was_away_for_longer_goes_on_with_what_is_left(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    let following = fixture.follow_into(&pool);
    fixture.caught_up().await;
    fixture.set("a").await;
    fixture.caught_up().await;
    following.stopping().cancel();
    for id in ["b", "b", "a", "c"] {
        fixture.set(id).await;
    }
    assert_eq!(compact(&fixture, 8).await, [3, 4, 5]);

    let following = fixture.follow_into(&pool);
    fixture.caught_up().await;
    let taken: Vec<(i64, bool)> = sqlx::query_as("select seq, acted from kit.taken order by seq")
        .fetch_all(&pool)
        .await
        .unwrap();
    assert_eq!(taken, [(1, true), (3, true), (4, true), (5, true)]);
    assert_eq!(fixture.mirror().await, fixture.notes().await);
    following.stopping().cancel();
}
