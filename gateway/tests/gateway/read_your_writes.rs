//! A read shows all earlier writes (§1): a response that is older than the position in Redis is requested again.

use contracts::catalogue::v1::{GetGameRequest, ListGamesRequest};
use kit::Clock;
use kit::feed::{CommittedPosition, Position};
use sqlx::PgPool;

use crate::support::{LONG, Test, TestConfig};

fn first() -> Position {
    Position {
        epoch: kit::ids::row_id(),
        seq: 7,
    }
}

/// Raises the position in Redis.
async fn raise_position(test: &Test, position: Position) {
    let at = Clock::system().now();
    assert!(
        test.app
            .newest_position
            .publish(CommittedPosition { position, at })
            .await
    );
}

#[sqlx::test]
async fn an_outdated_response_is_requested_again(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let at = first();
    let newest = Position { seq: 9, ..at };
    raise_position(&test, newest).await;
    // If the second response is also behind, it is used.
    test.catalogue.set_position(at);
    for calls in [2, 4] {
        assert!(test.get(&key, "/games").await.is_ok());
        assert_eq!(test.catalogue.calls(), calls);
        let request: ListGamesRequest = test.catalogue.last_request();
        assert_eq!(request.at_least, Some(newest.into()));
    }
    test.catalogue.set_position(Position {
        epoch: kit::ids::row_id(),
        seq: 10,
    });
    assert!(test.get(&key, "/games").await.is_ok());
    assert_eq!(test.catalogue.calls(), 6, "another epoch tells nothing");
}

#[sqlx::test]
async fn an_up_to_date_response_is_final(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let newest = first();
    raise_position(&test, newest).await;
    for (seq, calls) in [(7, 1), (8, 2)] {
        test.catalogue.set_position(Position { seq, ..newest });
        assert!(test.get(&key, "/games/kora").await.is_ok());
        assert_eq!(test.catalogue.calls(), calls);
        let request: GetGameRequest = test.catalogue.last_request();
        assert_eq!(request.at_least, None);
    }
}

#[sqlx::test]
async fn an_outdated_error_is_requested_again(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let missing = async || test.get(&key, "/games/none").await.error() == (404, "not_found");
    assert!(missing().await);
    assert_eq!(test.catalogue.calls(), 1, "nothing was newest");

    let newest = first();
    raise_position(&test, newest).await;
    assert!(missing().await);
    assert_eq!(test.catalogue.calls(), 3);
    let request: GetGameRequest = test.catalogue.last_request();
    assert_eq!(request.at_least, Some(newest.into()));
}

#[sqlx::test]
async fn an_up_to_date_error_is_final(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let newest = first();
    raise_position(&test, newest).await;
    for (seq, calls) in [(7, 1), (8, 2), (6, 4)] {
        test.catalogue.set_position(Position { seq, ..newest });
        let response = test.get(&key, "/games/none").await;
        assert_eq!(response.error(), (404, "not_found"));
        assert_eq!(test.catalogue.calls(), calls, "decided at {seq}");
    }
}

/// A gateway without Redis.
fn without_redis() -> TestConfig {
    TestConfig {
        redis: "redis://127.0.0.1:1".to_owned(),
        patience: kit::redis::DEFAULT_TIMEOUT,
        ..TestConfig::default()
    }
}

#[sqlx::test]
async fn without_redis_listings_svc_reports_its_position(pool: PgPool) {
    let test = Test::with(pool, without_redis()).await;
    let key = test.live_key().await;
    let at = first();
    let reached = Position { seq: 9, ..at };
    test.catalogue.set_position(at);
    test.files.set_position(reached);
    assert!(test.get(&key, "/games").await.is_ok());
    assert_eq!(
        (test.catalogue.calls(), test.files.position_requests()),
        (2, 1)
    );
    let request: ListGamesRequest = test.catalogue.last_request();
    assert_eq!(request.at_least, Some(reached.into()));
    // A later read asks again, since there may be newer writes.
    test.catalogue.set_position(reached);
    assert!(test.get(&key, "/games").await.is_ok());
    assert_eq!(
        (test.catalogue.calls(), test.files.position_requests()),
        (3, 2)
    );
}

#[sqlx::test]
async fn without_any_position_the_first_response_is_final(pool: PgPool) {
    let test = Test::with(pool, without_redis()).await;
    let key = test.live_key().await;
    test.catalogue.set_position(first());
    assert!(test.get(&key, "/games").await.is_ok());
    assert_eq!(test.catalogue.calls(), 1);
    assert!(test.files.position_requests() > 0);
}

#[sqlx::test]
async fn a_listings_svc_that_hangs_delays_few_reads(pool: PgPool) {
    let test = Test::with(pool, without_redis()).await;
    let key = test.live_key().await;
    let reached = first();
    test.catalogue.set_position(reached);
    test.files.set_position(reached);
    test.files.hang(true);
    for _ in 0..20 {
        assert!(test.get(&key, "/games").await.is_ok());
    }
    let request = test.files.position_requests();
    assert!((1..10).contains(&request), "{request} of 20 reads waited");
    assert_eq!(test.catalogue.calls(), 20);

    test.files.hang(false);
    test.files.set_position(Position {
        seq: reached.seq + 1,
        ..reached
    });
    let asked_again = async {
        loop {
            // Each key has a minute of its own.
            let key = test.live_key().await;
            assert!(test.get(&key, "/games").await.is_ok());
            let request: ListGamesRequest = test.catalogue.last_request();
            if request.at_least.is_some() {
                break;
            }
        }
    };
    tokio::time::timeout(LONG, asked_again).await.unwrap();
}
