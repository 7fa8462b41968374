//! What Redis is told of a feed, before its writers answer.

use std::time::Duration;

use kit::config::Secret;
use kit::feed::{Latest, Position, Reached};
use kit::redis::{PATIENCE, Redis};
use kit::{Clock, ids};
use sqlx::PgPool;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::support::{Fixture, Note, eventually, tables};

/// A loaded machine must not make Redis seem away.
const LONG: Duration = Duration::from_mins(1);

fn redis() -> Redis {
    let url = std::env::var("REDIS_URL").expect("REDIS_URL names a Redis for tests");
    Redis::lazy(&Secret::from(url), LONG, "").unwrap()
}

/// The position of a producer that nobody else tells of, and the name of its key.
fn latest() -> (Latest, String) {
    let producer = format!("test-{}", ids::row_id());
    let key = format!("feed:{producer}");
    (Latest::new(redis(), &producer).holding(LONG), key)
}

/// Somebody who greets as Redis does, and then never says a word.
async fn silent() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut caller, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                // The client says its name and version.
                let mut heard = [0; 1024];
                let _: usize = caller.read(&mut heard).await.unwrap();
                caller.write_all(b"+OK\r\n+OK\r\n").await.unwrap();
                while caller.read(&mut heard).await.is_ok_and(|read| read > 0) {}
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
async fn a_position_is_never_lowered_and_a_new_epoch_takes_its_place() {
    let (latest, _) = latest();
    let (old, new) = (ids::row_id(), ids::row_id());
    let at = |epoch, seq| Position { epoch, seq };
    assert_eq!(latest.read().await, None);
    for (told, held) in [
        (at(old, 9), at(old, 9)),
        (at(old, 10), at(old, 10)),
        (at(old, 9), at(old, 10)),
        (at(old, 10), at(old, 10)),
        (at(new, 3), at(new, 3)),
        (at(new, 2), at(new, 3)),
    ] {
        assert!(raise(&latest, told).await);
        assert_eq!(latest.read().await, Some(held), "after {told:?}");
    }
    // Someone who has not heard yet that a replica was promoted.
    assert!(!raise(&latest, at(old, 11)).await);
    assert_eq!(latest.read().await, Some(at(new, 3)));
}

#[tokio::test]
async fn an_epoch_from_before_epochs_sorted_by_time_is_replaced() {
    let (latest, _) = latest();
    let at = |epoch, seq| Position { epoch, seq };
    let before =
        [0xf0, 0x10].map(|first| uuid::Builder::from_random_bytes([first; 16]).into_uuid());
    let new = ids::row_id();
    for told in [
        at(before[0], 9),
        at(before[1], 8),
        at(before[0], 7),
        at(new, 3),
    ] {
        assert!(raise(&latest, told).await);
        assert_eq!(latest.read().await, Some(told));
    }
    assert!(!raise(&latest, at(before[0], 10)).await);
}

async fn raise(latest: &Latest, position: Position) -> bool {
    let at = Clock::system().now();
    latest.raise(Reached { position, at }).await
}

#[tokio::test]
async fn what_was_told_holds_no_longer_than_it_is_sure() {
    let (latest, _) = latest();
    let position = Position {
        epoch: ids::row_id(),
        seq: 9,
    };
    let now = Clock::system().now();
    let told = async |at| {
        assert!(latest.raise(Reached { position, at }).await);
        latest.read().await
    };
    assert_eq!(told(now).await, Some(position));
    // A teller that was held up on its way.
    assert_eq!(told(now - 2 * LONG).await, None);
}

#[sqlx::test]
async fn whoever_was_answered_finds_the_write_told(pool: PgPool) {
    let (latest, _) = latest();
    tables(&pool).await;
    let one = Fixture::telling(&pool, &latest).await;
    let other = Fixture::telling(&pool, &latest).await;
    let callers = (0..16).map(|caller| {
        let (fixture, latest) = (if caller % 2 == 0 { &one } else { &other }, &latest);
        async move {
            for write in 0..20 {
                let note = Note::Set(format!("note {}", (caller + write) % 10));
                let (_, place) = fixture.writer.write(note).await.unwrap();
                let told = latest.read().await.unwrap();
                assert!(told.reaches(place.unwrap()), "{told:?}, {place:?}");
            }
        }
    });
    futures::future::join_all(callers).await;
}

#[sqlx::test]
async fn whoever_finds_nothing_left_to_write_finds_that_told(pool: PgPool) {
    let (latest, _) = latest();
    // The one that wrote was lost before it could tell.
    let lost = Fixture::start(&pool).await;
    let other = Fixture::telling(&pool, &latest).await;
    for _ in 0..3 {
        lost.set("a").await;
        let (_, place) = other.writer.write(Note::Nothing).await.unwrap();
        assert_eq!(place, None);
        assert_eq!(latest.read().await, Some(head(&lost).await));
    }
}

#[sqlx::test]
async fn a_redis_that_is_away_stops_no_write(pool: PgPool) {
    let url = silent().await;
    tables(&pool).await;
    for url in [url.as_str(), "redis://127.0.0.1:1"] {
        let redis = Redis::lazy(&Secret::from(url.to_owned()), PATIENCE, "").unwrap();
        let latest = Latest::new(redis, "away").holding(Duration::ZERO);
        let fixture = Fixture::telling(&pool, &latest).await;
        let before = fixture.head().await;
        for id in ["a", "b", "a"] {
            fixture.set(id).await;
        }
        assert_eq!(fixture.head().await, before + 3);
        assert_eq!(latest.read().await, None);
    }
}

#[sqlx::test]
async fn the_writer_goes_on_while_redis_is_waited_for(pool: PgPool) {
    let url = silent().await;
    tables(&pool).await;
    let redis = Redis::lazy(&Secret::from(url), LONG, "").unwrap();
    let fixture = Fixture::telling(&pool, &Latest::new(redis, "silent")).await;
    let write = async |n: i64| fixture.set(&format!("note {n}")).await;
    let written = async |n| {
        eventually("it is written", async || fixture.head().await == n).await;
    };
    tokio::select! {
        _ = futures::future::join_all((1..=20).map(write)) => panic!("nobody is to be answered yet"),
        () = written(20) => {}
    }
    tokio::select! {
        _ = write(21) => panic!("nobody is to be answered yet"),
        () = written(21) => {}
    }
}

#[sqlx::test]
async fn an_emptied_redis_and_a_new_epoch_are_told_without_a_write(pool: PgPool) {
    let (latest, key) = latest();
    tables(&pool).await;
    let fixture = Fixture::telling(&pool, &latest).await;
    fixture.set("a").await;
    let told = async || latest.read().await == Some(head(&fixture).await);
    assert!(told().await);

    let mut delete = redis::cmd("DEL");
    delete.arg(&key);
    redis().query::<u8>("empty", &delete).await.unwrap();
    eventually("it is told again", told).await;

    sqlx::query("update kit.feed_head set epoch = $1")
        .bind(ids::row_id())
        .execute(&pool)
        .await
        .unwrap();
    eventually("the new epoch is told", told).await;
}
