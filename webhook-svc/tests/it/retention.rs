//! Retention removes old deliveries.

use sqlx::PgPool;
use time::Duration;
use webhook::store::{partitions, retention};

use crate::receiver::{Behaviour, Receiver};
use crate::support::{ADA, START, start};

#[testing::database_test(webhook::MIGRATOR)]
async fn old_deliveries_are_removed_with_attempts_and_messages(pool: PgPool) {
    let receiver = Receiver::start(Behaviour::Status(200)).await;
    let service = start(pool.clone(), &[&receiver]).await.delivering();
    let endpoint = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    service.ping(ADA, endpoint).await;
    service.newest_attempted(ADA, endpoint, 1).await;
    // Retention also removes the waiting deliveries of a paused endpoint.
    let paused = service.added(ADA, &receiver.url(), &["tip.paid"]).await;
    service.set_paused(ADA, paused, true).await;
    service.ping(ADA, paused).await;
    service.clock.advance(Duration::days(20));
    service.ping(ADA, endpoint).await;
    service.newest_attempted(ADA, endpoint, 1).await;

    let rows = async || {
        sqlx::query!(
            r#"select (select count(*) from webhook.waiting) as "waiting!",
                   (select count(*) from webhook.attempt_log) as "attempts!",
                   (select count(*) from webhook.message) as "messages!""#
        )
        .fetch_one(&pool)
        .await
        .map(|row| (row.waiting, row.attempts, row.messages))
        .unwrap()
    };
    assert_eq!(rows().await, (1, 2, 3));
    let kept = retention::remove(&pool, START).await.unwrap();
    assert_eq!((kept, rows().await), (0, (1, 2, 3)));
    let later = START + Duration::days(3);
    // Two partitions, a waiting delivery, and two messages.
    let removed = retention::remove(&pool, later).await.unwrap();
    assert_eq!((removed, rows().await), (5, (0, 1, 1)));
    assert_eq!(service.list(ADA, endpoint).await.len(), 1);

    // An attempt is recorded although the partition of its delivery is gone.
    sqlx::query!(
        "with woken as (update webhook.queue set due_at = $1)
         insert into webhook.waiting (endpoint_id, message_id, created_at, due_at)
         select endpoint_id, message_id, $1, $1 from webhook.attempt_log",
        START
    )
    .execute(&pool)
    .await
    .unwrap();
    service.newest_attempted(ADA, endpoint, 1).await;
    assert_eq!(rows().await, (0, 2, 1));
}

#[testing::database_test(webhook::MIGRATOR)]
async fn a_locked_partition_does_not_block_the_removal_of_others(pool: PgPool) {
    let service = start(pool.clone(), &[]).await;
    let paused = service
        .added(ADA, "https://hooks.example/", &["tip.paid"])
        .await;
    service.ping(ADA, paused).await;
    let days = [START, START + Duration::DAY].map(partitions::day);
    partitions::create(&pool, &days.into()).await.unwrap();
    let mut reader = pool.begin().await.unwrap();
    sqlx::raw_sql("lock table webhook.attempt_log_20260301 in access share mode")
        .execute(&mut *reader)
        .await
        .unwrap();
    // The partition that nobody reads, the waiting delivery and its message.
    let later = START + Duration::days(5);
    assert_eq!(retention::remove(&pool, later).await.unwrap(), 3);
    reader.rollback().await.unwrap();
    assert_eq!(retention::remove(&pool, later).await.unwrap(), 1);
}
