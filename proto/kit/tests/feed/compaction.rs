//! Compaction takes only what nobody needs.

use contracts::common::v1::FollowRequest;
use contracts::common::v1::feed_service_client::FeedServiceClient;
use contracts::common::v1::follow_response::Message;
use kit::Clock;
use kit::feed::Retention;
use sqlx::PgPool;

use crate::support::{Fixture, Note};

async fn register(fixture: &Fixture, follower: &str, seq: i64) {
    let epoch: uuid::Uuid = sqlx::query_scalar("select epoch from kit.feed_head")
        .fetch_one(&fixture.pool)
        .await
        .unwrap();
    let request = FollowRequest {
        follower: follower.to_owned(),
        epoch: epoch.to_string(),
        after_seq: seq,
        pause_ms: 0,
    };
    let mut stream = FeedServiceClient::new(fixture.client.clone())
        .follow(request)
        .await
        .unwrap()
        .into_inner();
    let first = stream.message().await.unwrap().unwrap().message.unwrap();
    assert!(matches!(first, Message::Start(start) if !start.reset));
}

async fn left(fixture: &Fixture) -> Vec<i64> {
    sqlx::query_scalar("select seq from kit.feed order by seq")
        .fetch_all(&fixture.pool)
        .await
        .unwrap()
}

#[sqlx::test]
async fn compaction_past_a_slow_follower_loses_no_happening(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    for id in ["a", "b"] {
        fixture.set(id).await;
    }
    fixture
        .writer
        .write(Note::Happened("a".to_owned()))
        .await
        .unwrap();
    for id in ["a", "b", "a"] {
        fixture.set(id).await;
    }
    register(&fixture, "quick", 6).await;
    register(&fixture, "slow", 1).await;
    let retention = Retention::default();
    let now = Clock::system().now();

    assert_eq!(
        fixture.producer.compact(now, retention).await.unwrap(),
        0,
        "young rows stay"
    );
    let later = now + time::Duration::days(2);
    // Only `a` of 1 is passed by both and replaced.
    assert_eq!(fixture.producer.compact(later, retention).await.unwrap(), 1);
    assert_eq!(left(&fixture).await, [2, 3, 4, 5, 6]);

    register(&fixture, "slow", 4).await;
    fixture.producer.compact(later, retention).await.unwrap();
    assert_eq!(
        left(&fixture).await,
        [3, 5, 6],
        "the happening stays, though a newer row of its entity is there"
    );

    // Both still alive much later; by then the happening has had its time.
    let much_later = now + time::Duration::days(40);
    let alive = "update kit.feed_follower set seen_at = $1";
    sqlx::query(alive)
        .bind(much_later)
        .execute(&pool)
        .await
        .unwrap();
    fixture
        .producer
        .compact(much_later, retention)
        .await
        .unwrap();
    assert_eq!(
        left(&fixture).await,
        [5, 6],
        "every entity's newest row stays for ever"
    );
}

#[sqlx::test]
async fn a_happening_waits_for_a_follower_however_old(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture
        .writer
        .write(Note::Happened("a".to_owned()))
        .await
        .unwrap();
    register(&fixture, "slow", 0).await;
    let soon = Retention {
        happenings: std::time::Duration::from_secs(1),
        ..Retention::default()
    };
    let later = Clock::system().now() + time::Duration::days(2);
    fixture.producer.compact(later, soon).await.unwrap();
    assert_eq!(left(&fixture).await, [1]);

    fixture.follow();
    fixture.caught_up().await;
    let happenings: i64 = sqlx::query_scalar("select count(*) from kit.taken where happening")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(happenings, 1);
}

#[sqlx::test]
async fn a_follower_that_is_gone_for_good_holds_nothing_up(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("a").await;
    fixture.set("a").await;
    register(&fixture, "retired", 0).await;
    let later = Clock::system().now() + time::Duration::days(31);
    assert_eq!(
        fixture
            .producer
            .compact(later, Retention::default())
            .await
            .unwrap(),
        1
    );
    assert_eq!(left(&fixture).await, [2]);
}
