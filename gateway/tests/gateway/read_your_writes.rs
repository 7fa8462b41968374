//! A read shows all earlier writes (§1): the request to catalogue-svc carries the newest position of the listings.

use contracts::catalogue::v1::{GetGameRequest, ListGamesRequest};
use kit::feed::Position;
use sqlx::PgPool;

use crate::support::{NO_REDIS, Test, TestConfig};

fn first() -> Position {
    Position {
        epoch: kit::ids::row_id(),
        seq: 7,
    }
}

/// Raises the position in Redis.
async fn raise_position(test: &Test, position: Position) {
    test.app.newest_position.publish(position).await;
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

/// Without Redis, no read waits.
#[testing::database_test(gateway::MIGRATOR)]
async fn without_a_position_a_read_is_answered_nevertheless(pool: PgPool) {
    let with = TestConfig {
        redis: NO_REDIS.to_owned(),
        ..TestConfig::default()
    };
    let test = Test::with(pool, with).await;
    let key = test.live_key().await;
    assert!(test.get(&key, "/games").await.is_ok());
    assert_eq!(test.catalogue.calls(), 1);
    let request: ListGamesRequest = test.catalogue.last_request();
    assert_eq!(request.at_least, None);
}
