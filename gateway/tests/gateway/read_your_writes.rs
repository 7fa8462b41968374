//! A read shows all earlier writes (§1): the request to catalogue-svc carries the newest position of the listings.

use std::time::Duration;

use contracts::catalogue::v1::{GetGameRequest, ListGamesRequest};
use gateway::upstream;
use kit::Clock;
use kit::feed::{CommittedPosition, Position};
use sqlx::PgPool;

use crate::support::{LONG, NO_REDIS, Test, TestConfig, UPSTREAM};

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

#[testing::database_test(gateway::MIGRATOR)]
async fn a_read_is_sent_once_with_the_position_in_redis(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let position = first();
    for (seq, calls) in [(7, 1), (9, 2)] {
        let newest = Position { seq, ..position };
        raise_position(&test, newest).await;
        assert!(test.get(&key, "/games").await.is_ok());
        assert_eq!(test.catalogue.calls(), calls);
        let request: ListGamesRequest = test.catalogue.last_request();
        assert_eq!(request.at_least, Some(newest.into()));
    }
    assert_eq!(test.files.position_requests(), 0);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_error_is_final(pool: PgPool) {
    let test = Test::new(pool).await;
    let key = test.live_key().await;
    let newest = first();
    raise_position(&test, newest).await;
    let response = test.get(&key, "/games/none").await;
    assert_eq!(response.error(), (404, "not_found"));
    assert_eq!(test.catalogue.calls(), 1);
    let request: GetGameRequest = test.catalogue.last_request();
    assert_eq!(request.at_least, Some(newest.into()));
}

/// A gateway without Redis.
fn without_redis() -> TestConfig {
    TestConfig {
        redis: NO_REDIS.to_owned(),
        ..TestConfig::default()
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn without_redis_listings_svc_reports_its_position(pool: PgPool) {
    let test = Test::with(pool, without_redis()).await;
    let key = test.live_key().await;
    let at = first();
    // Each read asks again, since there may be newer writes.
    for (seq, calls) in [(7, 1), (9, 2)] {
        let newest = Position { seq, ..at };
        test.files.set_position(newest);
        assert!(test.get(&key, "/games").await.is_ok());
        assert_eq!(
            (test.catalogue.calls(), test.files.position_requests()),
            (calls, calls)
        );
        let request: ListGamesRequest = test.catalogue.last_request();
        assert_eq!(request.at_least, Some(newest.into()));
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn without_any_position_a_read_is_answered_nevertheless(pool: PgPool) {
    let test = Test::with(pool, without_redis()).await;
    let key = test.live_key().await;
    assert!(test.get(&key, "/games").await.is_ok());
    assert_eq!(test.catalogue.calls(), 1);
    assert!(test.files.position_requests() > 0);
    let request: ListGamesRequest = test.catalogue.last_request();
    assert_eq!(request.at_least, None);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_listings_svc_that_hangs_delays_few_reads(pool: PgPool) {
    let with = TestConfig {
        // Many reads come in this time, also on a slow machine.
        upstream: upstream::CallLimits {
            position_timeout: Duration::from_secs(2),
            ..UPSTREAM
        },
        ..without_redis()
    };
    let test = Test::with(pool, with).await;
    let key = test.live_key().await;
    let reached = first();
    test.files.set_position(reached);
    test.files.hang(true);
    for _ in 0..20 {
        assert!(test.get(&key, "/games").await.is_ok());
    }
    let request = test.files.position_requests();
    assert!((1..10).contains(&request), "{request} of 20 reads waited");
    assert_eq!(test.catalogue.calls(), 20);

    test.files.hang(false);
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
