//! After the promotion of a standby, followers get all changes that they have not seen, with announcements.

use kit::Code;
use sqlx::PgPool;
use testing::postgres::Server;
use testing::wait_until;

use super::support::{Fixture, tables};

async fn head(standby: &Server) -> i64 {
    sqlx::query_scalar("select seq from kit.feed_head").fetch_one(&standby.pool).await.unwrap()
}

#[testing::database_test]
async fn a_promoted_replica_loses_no_announcement(follower: PgPool) {
    tables(&follower).await;
    let mut primary = Server::new().await.unwrap();
    let first = Fixture::start(&primary.pool).await;
    let standby = primary.standby().await.unwrap();

    // The follower was there from the beginning, so all changes have effects.
    let following = first.follow_into(&follower);
    wait_until("it follows", async || acted(&follower).await == Some(vec![])).await;
    first.set("a").await;
    first.set("b").await;
    wait_until("it has applied 2", async || acted(&follower).await == Some(vec![1, 2])).await;
    // Stop the follower while 3 is written.
    following.stopping().cancel();
    first.set("c").await;
    wait_until("3 is on the standby", async || head(&standby).await == 3).await;
    drop(first);
    primary.kill().unwrap();

    let second = Fixture::again(&standby.pool).await;
    let refused = second.producer.begin().await.unwrap_err();
    assert_eq!(refused.code, Code::Unavailable, "a standby takes no writes");
    standby.promote().await.unwrap();
    second.set("d").await;
    let following = second.follow_into(&follower);
    wait_until("it has applied 4", async || {
        acted(&follower).await.is_some_and(|acted| acted.contains(&4))
    })
    .await;
    assert_eq!(acted(&follower).await, Some(vec![1, 2, 3, 4]));
    following.stopping().cancel();
}

/// The changes that had effects; `None` before the follower has a cursor.
async fn acted(follower: &PgPool) -> Option<Vec<i64>> {
    let follows: bool = sqlx::query_scalar("select exists (select from kit.feed_cursor)")
        .fetch_one(follower)
        .await
        .unwrap();
    let acted = sqlx::query_scalar("select seq from kit.taken where acted order by seq")
        .fetch_all(follower)
        .await
        .unwrap();
    follows.then_some(acted)
}
