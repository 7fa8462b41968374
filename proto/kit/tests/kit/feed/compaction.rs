//! Compaction only deletes rows that no follower needs.

use contracts::common::v1::feed_service_client::FeedServiceClient;
use contracts::common::v1::follow_response::{Message, Start};
use contracts::common::v1::{AcknowledgeRequest, FollowRequest};
use kit::feed::Retention;
use kit::{Clock, Code, Fault};
use sqlx::PgPool;
use testing::wait_until;

use super::support::{Fixture, Note};

/// Registers a follower, and acknowledges `seq`.
async fn register(fixture: &Fixture, follower: &str, seq: i64) {
    let mut client = FeedServiceClient::new(fixture.client.clone());
    let request = FollowRequest {
        follower: follower.to_owned(),
        ..FollowRequest::default()
    };
    let mut stream = client.follow(request).await.unwrap().into_inner();
    let first = stream.message().await.unwrap().unwrap().message.unwrap();
    let Message::Start(Start { epoch, .. }) = first else {
        panic!("{first:?}");
    };
    let acknowledged = AcknowledgeRequest {
        follower: follower.to_owned(),
        epoch,
        seq,
    };
    client.acknowledge(acknowledged).await.unwrap();
}

async fn left(fixture: &Fixture) -> Vec<i64> {
    sqlx::query_scalar("select seq from kit.feed order by seq")
        .fetch_all(&fixture.pool)
        .await
        .unwrap()
}

#[testing::database_test]
async fn compaction_waits_for_a_slow_follower(pool: PgPool) {
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
    // Both followers have passed row 1 and it is replaced, but it is the last row of the slow follower.
    assert_eq!(fixture.producer.compact(later, retention).await.unwrap(), 0);

    register(&fixture, "slow", 5).await;
    fixture.producer.compact(later, retention).await.unwrap();
    assert_eq!(
        left(&fixture).await,
        [3, 5, 6],
        "the one-off event stays, although its entity has a newer row"
    );

    // Both followers are still alive much later, and the one-off event is old enough.
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
        "the newest row of every entity stays"
    );
}

#[testing::database_test]
async fn an_old_event_waits_for_a_follower(pool: PgPool) {
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

#[testing::database_test]
async fn an_expired_follower_does_not_block_compaction(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("a").await;
    fixture.set("a").await;
    register(&fixture, "retired", 0).await;
    expire_followers(&fixture).await;
    assert_eq!(left(&fixture).await, [2]);
}

#[testing::database_test]
async fn an_expired_follower_rebuilds_without_effects(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    let following = fixture.follow_into(&pool);
    fixture.caught_up().await;
    fixture.set("a").await;
    fixture.caught_up().await;
    following.stopping().cancel();
    for _ in 0..2 {
        fixture.set("b").await;
    }
    expire_followers(&fixture).await;
    assert_eq!(left(&fixture).await, [1, 3], "row 2 is deleted unseen");

    let following = fixture.follow_into(&pool);
    fixture.caught_up().await;
    fixture.set("c").await;
    fixture.caught_up().await;
    let acted: Vec<i64> = sqlx::query_scalar("select seq from kit.taken where acted order by seq")
        .fetch_all(&pool)
        .await
        .unwrap();
    assert_eq!(acted, [1, 4]);
    assert_eq!(fixture.mirror().await, fixture.notes().await);
    following.stopping().cancel();
}

/// Compacts after followers were silent for too long, and again after the grace time.
async fn expire_followers(fixture: &Fixture) {
    let now = Clock::system().now() + time::Duration::days(31);
    for now in [now, now + time::Duration::hours(1)] {
        let retention = Retention::default();
        fixture.producer.compact(now, retention).await.unwrap();
    }
}

#[testing::database_test]
async fn a_connected_idle_follower_does_not_expire(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    let following = fixture.follow_into(&pool);
    fixture.set("a").await;
    fixture.caught_up().await;
    // The clock jumps by more than the time after which a follower expires. The feed also compacts itself.
    fixture.clock.advance(time::Duration::days(31));
    let compact = async |now| {
        let retention = Retention::default();
        fixture.producer.compact(now, retention).await.unwrap();
    };
    compact(fixture.clock.now()).await;
    wait_until("it acknowledges", async || {
        let seen = "select seen_at > $1 and expires_at is null from kit.feed_follower";
        let since = fixture.clock.now() - time::Duration::hours(1);
        let seen = sqlx::query_scalar(seen).bind(since);
        seen.fetch_one(&pool).await.unwrap()
    })
    .await;
    compact(fixture.clock.now() + time::Duration::hours(1)).await;
    let registered: Vec<String> = sqlx::query_scalar("select name from kit.feed_follower")
        .fetch_all(&pool)
        .await
        .unwrap();
    assert_eq!(registered, ["mirror"]);
    following.stopping().cancel();
}

#[testing::database_test]
async fn an_acknowledgement_does_not_register_an_expired_follower(pool: PgPool) {
    let fixture = Fixture::start(&pool).await;
    fixture.set("a").await;
    register(&fixture, "slow", 0).await;
    expire_followers(&fixture).await;
    let late = AcknowledgeRequest {
        follower: "slow".to_owned(),
        epoch: uuid::Uuid::nil().to_string(),
        seq: 1,
    };
    let mut client = FeedServiceClient::new(fixture.client.clone());
    let refused = client.acknowledge(late).await.unwrap_err();
    assert_eq!(Fault::from(refused).code, Code::NotFound);
}
