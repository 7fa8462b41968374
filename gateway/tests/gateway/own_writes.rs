//! A read shows what was written before it began (§1): an answer that is behind what Redis was told is asked for once more.

use contracts::catalogue::v1::{GetGameRequest, ListGamesRequest};
use kit::Clock;
use kit::feed::{CommittedPosition, Position};
use sqlx::PgPool;

use crate::support::{LONG, Test, With};

fn first() -> Position {
    Position {
        epoch: kit::ids::row_id(),
        seq: 7,
    }
}

/// Tells Redis how far the listings have come.
async fn tell(test: &Test, position: Position) {
    let at = Clock::system().now();
    assert!(
        test.app
            .latest
            .publish(CommittedPosition { position, at })
            .await
    );
}

#[sqlx::test]
async fn an_answer_that_is_behind_is_asked_for_once_more(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let at = first();
    let told = Position { seq: 9, ..at };
    tell(&test, told).await;
    // It stays behind: what it has is answered then.
    test.catalogue.stands_at(at);
    for calls in [2, 4] {
        assert!(test.get(&key, "/games").await.is_ok());
        assert_eq!(test.catalogue.calls(), calls);
        let asked: ListGamesRequest = test.catalogue.asked();
        assert_eq!(asked.at_least, Some(told.into()));
    }
    test.catalogue.stands_at(Position {
        epoch: kit::ids::row_id(),
        seq: 10,
    });
    assert!(test.get(&key, "/games").await.is_ok());
    assert_eq!(test.catalogue.calls(), 6, "another epoch tells nothing");
}

#[sqlx::test]
async fn an_answer_that_has_come_far_enough_is_not_asked_for_again(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let told = first();
    tell(&test, told).await;
    for (seq, calls) in [(7, 1), (8, 2)] {
        test.catalogue.stands_at(Position { seq, ..told });
        assert!(test.get(&key, "/games/kora").await.is_ok());
        assert_eq!(test.catalogue.calls(), calls);
        let asked: GetGameRequest = test.catalogue.asked();
        assert_eq!(asked.at_least, None);
    }
}

#[sqlx::test]
async fn a_refusal_may_be_behind_as_well(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let missing = async || test.get(&key, "/games/none").await.refusal() == (404, "not_found");
    assert!(missing().await);
    assert_eq!(test.catalogue.calls(), 1, "nothing was told");

    let told = first();
    tell(&test, told).await;
    assert!(missing().await);
    assert_eq!(test.catalogue.calls(), 3);
    let asked: GetGameRequest = test.catalogue.asked();
    assert_eq!(asked.at_least, Some(told.into()));
}

#[sqlx::test]
async fn a_refusal_that_has_come_far_enough_is_not_asked_for_again(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let told = first();
    tell(&test, told).await;
    for (seq, calls) in [(7, 1), (8, 2), (6, 4)] {
        test.catalogue.stands_at(Position { seq, ..told });
        let answer = test.get(&key, "/games/none").await;
        assert_eq!(answer.refusal(), (404, "not_found"));
        assert_eq!(test.catalogue.calls(), calls, "decided at {seq}");
    }
}

/// A gateway without Redis.
fn without_redis() -> With {
    With {
        redis: "redis://127.0.0.1:1".to_owned(),
        patience: kit::redis::DEFAULT_TIMEOUT,
        ..With::default()
    }
}

#[sqlx::test]
async fn while_redis_is_away_the_listings_tell_how_far_they_have_come(pool: PgPool) {
    let test = Test::with(pool, without_redis()).await;
    let key = test.live_key().await;
    let at = first();
    let reached = Position { seq: 9, ..at };
    test.catalogue.stands_at(at);
    test.files.stands_at(reached);
    assert!(test.get(&key, "/games").await.is_ok());
    assert_eq!((test.catalogue.calls(), test.files.positions()), (2, 1));
    let asked: ListGamesRequest = test.catalogue.asked();
    assert_eq!(asked.at_least, Some(reached.into()));
    // What comes later asks again: more may have been written.
    test.catalogue.stands_at(reached);
    assert!(test.get(&key, "/games").await.is_ok());
    assert_eq!((test.catalogue.calls(), test.files.positions()), (3, 2));
}

#[sqlx::test]
async fn nothing_is_compared_while_nobody_tells(pool: PgPool) {
    let test = Test::with(pool, without_redis()).await;
    let key = test.live_key().await;
    test.catalogue.stands_at(first());
    assert!(test.get(&key, "/games").await.is_ok());
    assert_eq!(test.catalogue.calls(), 1);
    assert!(test.files.positions() > 0);
}

#[sqlx::test]
async fn a_listings_svc_that_hangs_slows_hardly_any_read(pool: PgPool) {
    let test = Test::with(pool, without_redis()).await;
    let key = test.live_key().await;
    let reached = first();
    test.catalogue.stands_at(reached);
    test.files.stands_at(reached);
    test.files.hang(true);
    for _ in 0..20 {
        assert!(test.get(&key, "/games").await.is_ok());
    }
    let asked = test.files.positions();
    assert!((1..10).contains(&asked), "{asked} of 20 reads waited");
    assert_eq!(test.catalogue.calls(), 20);

    test.files.hang(false);
    test.files.stands_at(Position {
        seq: reached.seq + 1,
        ..reached
    });
    let asked_again = async {
        loop {
            // Each has a minute of its own.
            let key = test.live_key().await;
            assert!(test.get(&key, "/games").await.is_ok());
            let asked: ListGamesRequest = test.catalogue.asked();
            if asked.at_least.is_some() {
                break;
            }
        }
    };
    tokio::time::timeout(LONG, asked_again).await.unwrap();
}
