//! The high-water mark in Redis, which a transaction publishes before it returns.

use std::time::Duration;

use kit::config::Secret;
use kit::feed::{HighWaterMark, Position};
use kit::ids;
use kit::redis::{DEFAULT_TIMEOUT, Redis};
use sqlx::PgPool;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::support::{Fixture, Note, tables};

const LONG: Duration = Duration::from_mins(1);

fn redis() -> Redis {
    let url = std::env::var("REDIS_URL").expect("REDIS_URL names a Redis for tests");
    Redis::lazy(&Secret::from(url), LONG, "").unwrap()
}

/// The mark of a new producer.
fn mark() -> HighWaterMark {
    HighWaterMark::new(redis(), &format!("test-{}", ids::row_id()))
}

/// A fake Redis that completes the handshake and then never answers.
async fn silent_redis() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut caller, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                // The handshake sends the name and the version of the client.
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

/// Replicas publish in any order.
#[tokio::test]
async fn the_mark_never_goes_back() {
    let mark = mark();
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
        // From a producer that does not know yet that a replica was promoted.
        (at(old, 11), at(new, 3)),
    ] {
        mark.publish(published).await;
        assert_eq!(mark.read().await, Some(expected), "after {published:?}");
    }
}

#[testing::database_test]
async fn an_answered_write_is_published(pool: PgPool) {
    let mark = mark();
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
    let mark = mark();
    // This producer does not publish, as if it were killed between the commit and the publication.
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
        let mark = HighWaterMark::new(redis, "unavailable");
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
async fn a_stream_that_begins_replaces_the_mark_of_an_ended_epoch(pool: PgPool) {
    let mark = mark();
    tables(&pool).await;
    let fixture = Fixture::publishing(&pool, &mark).await;
    fixture.set("a").await;
    let before = mark.read().await.unwrap();
    sqlx::query("update kit.feed_head set incarnation = 'elsewhere'").execute(&pool).await.unwrap();
    fixture.follow();
    fixture.caught_up().await;
    let after = mark.read().await.unwrap();
    assert!(after.is_of_newer_epoch(before));
    assert_eq!(after, head(&fixture).await);
}
