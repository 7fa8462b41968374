//! Retention removes old deliveries.

use sqlx::PgPool;
use time::Duration;
use webhook::store::retention;

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
    // An attempt, a waiting delivery, and two messages.
    let removed = retention::remove(&pool, later).await.unwrap();
    assert_eq!((removed, rows().await), (4, (0, 1, 1)));
    assert_eq!(service.list(ADA, endpoint).await.len(), 1);
}
