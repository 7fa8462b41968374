//! The high-water mark in Redis, which a transaction publishes before it returns.

use std::time::Duration;

use kit::config::Secret;
use kit::feed::{CommittedPosition, HighWaterMark, Position};
use kit::redis::{DEFAULT_TIMEOUT, Redis};
use kit::{Clock, ids};
use sqlx::PgPool;
use testing::wait_until;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::support::{Fixture, Note, tables};

/// Long enough for a loaded machine.
const LONG: Duration = Duration::from_mins(1);

pub(super) fn redis() -> Redis {
    let url = std::env::var("REDIS_URL").expect("REDIS_URL names a Redis for tests");
    Redis::lazy(&Secret::from(url), LONG, "").unwrap()
}

/// The mark of a new producer, and its key.
fn mark() -> (HighWaterMark, String) {
    let producer = format!("test-{}", ids::row_id());
    let key = format!("feed:{producer}");
    (HighWaterMark::new(redis(), &producer).with_ttl(LONG), key)
}

/// A fake Redis that completes the handshake and then never answers.
async fn silent_redis() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut caller, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                // The client sends its name and version.
                let mut buffer = [0; 1024];
                let _: usize = caller.read(&mut buffer).await.unwrap();
                caller.write_all(b"+OK\r\n+OK\r\n").await.unwrap();
                while caller.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
            });
        }
    });
    url
}

async fn head(fixture: &Fixture) -> Position {
    let (epoch, seq) = sqlx::query_as("select epoch, seq from kit.feed_head")
        .fetch_one(&fixture.pool)
        .await
        .unwrap();
    Position { epoch, seq }
}

#[tokio::test]
async fn the_mark_never_goes_down_and_a_new_epoch_replaces_it() {
    let (mark, _) = mark();
    let (old, new) = (ids::row_id(), ids::row_id());
    let at = |epoch, seq| Position { epoch, seq };
    assert_eq!(mark.read().await, None);
    for (published, expected) in [
        (at(old, 9), at(old, 9)),
        (at(old, 10), at(old, 10)),
        (at(old, 9), at(old, 10)),
        (at(old, 10), at(old, 10)),
        (at(new, 3), at(new, 3)),
        (at(new, 2), at(new, 3)),
    ] {
        assert!(publish(&mark, published).await);
        assert_eq!(mark.read().await, Some(expected), "after {published:?}");
    }
    // A producer that does not know yet that a replica was promoted.
    assert!(!publish(&mark, at(old, 11)).await);
    assert_eq!(mark.read().await, Some(at(new, 3)));
}

#[tokio::test]
async fn an_epoch_of_uuid_version_4_is_replaced() {
    let (mark, _) = mark();
    let at = |epoch, seq| Position { epoch, seq };
    let before =
        [0xf0, 0x10].map(|first| uuid::Builder::from_random_bytes([first; 16]).into_uuid());
    let new = ids::row_id();
    for published in [
        at(before[0], 9),
        at(before[1], 8),
        at(before[0], 7),
        at(new, 3),
    ] {
        assert!(publish(&mark, published).await);
        assert_eq!(mark.read().await, Some(published));
    }
    assert!(!publish(&mark, at(before[0], 10)).await);
}

async fn publish(mark: &HighWaterMark, position: Position) -> bool {
    let at = Clock::system().now();
    mark.publish(CommittedPosition { position, at }).await
}

#[tokio::test]
async fn a_mark_expires() {
    let (mark, _) = mark();
    let position = Position {
        epoch: ids::row_id(),
        seq: 9,
    };
    let now = Clock::system().now();
    let publish_at = async |at| {
        assert!(mark.publish(CommittedPosition { position, at }).await);
        mark.read().await
    };
    assert_eq!(publish_at(now).await, Some(position));
    // A call that was delayed for longer than the time to live.
    assert_eq!(publish_at(now - 2 * LONG).await, None);
}

#[testing::database_test]
async fn an_answered_write_is_published(pool: PgPool) {
    let (mark, _) = mark();
    tables(&pool).await;
    let one = Fixture::publishing(&pool, &mark).await;
    let other = Fixture::publishing(&pool, &mark).await;
    let callers = (0..16).map(|caller| {
        let (fixture, mark) = (if caller % 2 == 0 { &one } else { &other }, &mark);
        async move {
            for write in 0..20 {
                let id = format!("note {}", (caller + write) % 10);
                let revision = fixture.set(&id).await;
                let published = mark.read().await.unwrap();
                let sql = "select seq from kit.feed where id = $1 and revision = $2";
                let written: i64 = sqlx::query_scalar(sql)
                    .bind(&id)
                    .bind(revision)
                    .fetch_one(&fixture.pool)
                    .await
                    .unwrap();
                assert!(published.seq >= written, "{published:?}, {written}");
            }
        }
    });
    futures::future::join_all(callers).await;
}

#[testing::database_test]
async fn a_write_without_changes_publishes_the_head(pool: PgPool) {
    let (mark, _) = mark();
    // This producer writes without publishing, as if it were killed in between.
    let lost = Fixture::start(&pool).await;
    let other = Fixture::publishing(&pool, &mark).await;
    for _ in 0..3 {
        lost.set("a").await;
        other.write(Note::Nothing).await.unwrap();
        assert_eq!(mark.read().await, Some(head(&lost).await));
    }
}

#[testing::database_test]
async fn writes_go_on_without_redis(pool: PgPool) {
    let url = silent_redis().await;
    tables(&pool).await;
    for url in [url.as_str(), "redis://127.0.0.1:1"] {
        let redis = Redis::lazy(&Secret::from(url.to_owned()), DEFAULT_TIMEOUT, "").unwrap();
        let mark = HighWaterMark::new(redis, "away").with_ttl(Duration::ZERO);
        let fixture = Fixture::publishing(&pool, &mark).await;
        let before = fixture.head().await;
        for id in ["a", "b", "a"] {
            fixture.set(id).await;
        }
        assert_eq!(fixture.head().await, before + 3);
        assert_eq!(mark.read().await, None);
    }
}

#[testing::database_test]
async fn other_writes_go_on_while_one_waits_for_redis(pool: PgPool) {
    let url = silent_redis().await;
    tables(&pool).await;
    let redis = Redis::lazy(&Secret::from(url), LONG, "").unwrap();
    let fixture = Fixture::publishing(&pool, &HighWaterMark::new(redis, "silent")).await;
    let write = async |n: i64| fixture.set(&format!("note {n}")).await;
    let written = async |n| {
        wait_until("it is written", async || fixture.head().await == n).await;
    };
    tokio::select! {
        _ = futures::future::join_all((1..=20).map(write)) => panic!("no write may be answered yet"),
        () = written(20) => {}
    }
    tokio::select! {
        _ = write(21) => panic!("no write may be answered yet"),
        () = written(21) => {}
    }
}

#[testing::database_test]
async fn the_mark_is_republished_without_a_write(pool: PgPool) {
    let (mark, key) = mark();
    tables(&pool).await;
    let fixture = Fixture::publishing(&pool, &mark).await;
    fixture.set("a").await;
    let is_published = async || mark.read().await == Some(head(&fixture).await);
    assert!(is_published().await);

    let mut delete = redis::cmd("DEL");
    delete.arg(&key);
    redis().query::<u8>("empty", &delete).await.unwrap();
    wait_until("it is published again", is_published).await;

    sqlx::query("update kit.feed_head set epoch = $1")
        .bind(ids::row_id())
        .execute(&pool)
        .await
        .unwrap();
    wait_until("the new epoch is published", is_published).await;
}
