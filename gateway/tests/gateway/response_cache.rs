//! Reads show all earlier writes (§1). The request to catalogue-svc has the newest position of the listings, and a cached response is used only while
//! that position is unchanged.

use contracts::catalogue::v1::ListGamesRequest;
use kit::feed::Position;
use kit::{Code, Fault};
use sqlx::PgPool;
use time::Duration;

use crate::support::{NO_REDIS, Script, Test, TestConfig, TestKey};

/// Routes whose responses depend on the listings only.
const CACHED: [&str; 12] = [
    "/games",
    "/games?genre=puzzle&limit=2",
    "/games/kora",
    "/creators",
    "/creators/kora",
    "/events/kora",
    "/genres",
    "/countries",
    "/countries?empty=true",
    "/countries/kora",
    "/cities?country=GH",
    "/search?q=kora",
];

/// Upcoming events depend on the date, and boards on votes.
const NOT_CACHED: [&str; 2] = ["/events", "/rankings/games/week"];

fn position(seq: i64) -> Position {
    Position { epoch: kit::ids::row_id(), seq }
}

/// Publishes the position that reads must reach.
async fn publish(test: &Test, position: Position) {
    test.app.newest_position.publish(position).await;
}

/// Reads `path`, and asserts how often catalogue-svc was called.
async fn reads(test: &Test, key: &TestKey, path: &str, calls: u32) {
    let before = test.catalogue.calls();
    let response = test.get(key, path).await;
    assert!(response.is_ok(), "{path}: {}", response.text);
    assert_eq!(test.catalogue.calls() - before, calls, "{path}");
}

/// Reads `path` twice, after which its response is stored.
async fn stored(test: &Test, key: &TestKey, path: &str) {
    reads(test, key, path, 1).await;
    reads(test, key, path, 1).await;
}

/// A gateway and a catalogue at `position`.
async fn at(pool: PgPool, position: Position) -> (Test, TestKey) {
    let test = Test::new(pool).await;
    let account = test.account("build").await;
    let key = test.key(&account, "live").await;
    publish(&test, position).await;
    test.catalogue.set_position(position);
    (test, key)
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_cached_response_is_used_until_a_listing_changes(pool: PgPool) {
    let first = position(7);
    let (test, key) = at(pool, first).await;
    for path in CACHED {
        // A response is stored at its second read.
        for calls in [1, 1, 0] {
            reads(&test, &key, path, calls).await;
        }
    }
    let changed = Position { seq: 8, ..first };
    publish(&test, changed).await;
    for path in CACHED {
        // The catalogue is behind `changed`, so that its response is not stored.
        reads(&test, &key, path, 1).await;
        reads(&test, &key, path, 1).await;
    }
    test.catalogue.set_position(changed);
    for path in CACHED {
        reads(&test, &key, path, 1).await;
        reads(&test, &key, path, 0).await;
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn responses_that_depend_on_votes_or_the_date_are_not_cached(pool: PgPool) {
    let (test, key) = at(pool, position(7)).await;
    for path in NOT_CACHED {
        for _ in 0..3 {
            reads(&test, &key, path, 1).await;
        }
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_new_epoch_invalidates_cached_responses(pool: PgPool) {
    let (test, key) = at(pool, position(7)).await;
    stored(&test, &key, "/games").await;
    let restored = position(3);
    publish(&test, restored).await;
    reads(&test, &key, "/games", 1).await;
    test.catalogue.set_position(restored);
    reads(&test, &key, "/games", 1).await;
    reads(&test, &key, "/games", 0).await;
}

#[testing::database_test(gateway::MIGRATOR)]
async fn without_a_position_nothing_is_cached(pool: PgPool) {
    let without_redis = TestConfig { redis: NO_REDIS.to_owned(), ..TestConfig::default() };
    let test = Test::with(pool, without_redis).await;
    let key = test.live_key().await;
    test.catalogue.set_position(position(7));
    for _ in 0..3 {
        reads(&test, &key, "/games", 1).await;
        let request: ListGamesRequest = test.catalogue.last_request();
        assert_eq!(request.at_least, None);
    }
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_cached_response_expires_after_ten_seconds(pool: PgPool) {
    let (test, key) = at(pool, position(7)).await;
    stored(&test, &key, "/games").await;
    test.clock.advance(Duration::seconds(9));
    reads(&test, &key, "/games", 0).await;
    test.clock.advance(Duration::seconds(2));
    reads(&test, &key, "/games", 1).await;
}

#[testing::database_test(gateway::MIGRATOR)]
async fn samples_and_live_data_are_cached_separately(pool: PgPool) {
    let (test, key) = at(pool, position(7)).await;
    let account = test.account("build").await;
    let test_key = test.key(&account, "test").await;
    stored(&test, &key, "/games").await;
    stored(&test, &test_key, "/games").await;
    let sample = test.get(&test_key, "/games").await;
    assert!(sample.text.contains("\"mode\":\"test\""), "{}", sample.text);
    assert_eq!(test.catalogue.calls(), 4);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_cached_response_is_counted_and_complete(pool: PgPool) {
    let (test, key) = at(pool, position(7)).await;
    test.catalogue.set_revision(5);
    test.get(&key, "/games/kora").await;
    let first = test.get(&key, "/games/kora").await;
    let second = test.get(&key, "/games/kora").await;
    assert_eq!(test.catalogue.calls(), 2);
    assert_eq!(first.header("etag"), second.header("etag"));
    assert!(first.header("etag").starts_with("\"r5-"));
    assert_ne!(first.header("x-request-id"), second.header("x-request-id"));
    assert_ne!(first.header("ratelimit"), second.header("ratelimit"));
    let tag = second.header("etag");
    let known = key.get("/games/kora").header("if-none-match", tag);
    assert_eq!(test.call(known).await.status, 304);
    assert_eq!(test.catalogue.calls(), 2);
}

#[testing::database_test(gateway::MIGRATOR)]
async fn an_error_is_not_cached(pool: PgPool) {
    let (test, key) = at(pool, position(7)).await;
    for _ in 0..3 {
        let before = test.catalogue.calls();
        let response = test.get(&key, "/games/none").await;
        assert_eq!(response.error(), (404, "not_found"));
        assert_eq!(test.catalogue.calls() - before, 1);
    }
    test.catalogue.script(Script::Refuse(Fault::new(Code::Invalid, "no")));
    assert_eq!(test.get(&key, "/games").await.error().0, 400);
    test.catalogue.script(Script::Answer);
    reads(&test, &key, "/games", 1).await;
}

/// A search lists past events last, so that its order changes at midnight. Other responses do not change.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_cached_search_expires_at_midnight(pool: PgPool) {
    let (test, key) = at(pool, position(7)).await;
    let midnight = test.clock.now().date().next_day().unwrap().midnight();
    let before = midnight.assume_utc() - Duration::seconds(9);
    test.clock.advance(before - test.clock.now());
    for path in CACHED {
        stored(&test, &key, path).await;
    }
    test.clock.advance(Duration::seconds(8));
    for path in CACHED {
        let calls = u32::from(path.starts_with("/search"));
        reads(&test, &key, path, calls).await;
    }
}

/// A response that is requested once must not evict one that is requested often.
#[testing::database_test(gateway::MIGRATOR)]
async fn a_response_that_is_requested_once_is_not_cached(pool: PgPool) {
    let (test, key) = at(pool, position(7)).await;
    stored(&test, &key, "/games").await;
    let long = format!("\"{}\"", "x".repeat(1_000_000));
    test.catalogue.set_data(long, 1);
    for n in 0..40 {
        reads(&test, &key, &format!("/creators?q={n}"), 1).await;
    }
    reads(&test, &key, "/games", 0).await;
}

#[testing::database_test(gateway::MIGRATOR)]
async fn a_read_sends_the_newest_position(pool: PgPool) {
    let first = position(7);
    let (test, key) = at(pool, first).await;
    for seq in [7, 9] {
        let newest = Position { seq, ..first };
        publish(&test, newest).await;
        reads(&test, &key, "/games", 1).await;
        let request: ListGamesRequest = test.catalogue.last_request();
        assert_eq!(request.at_least, Some(newest.into()));
    }
}
